package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// TestLocationsOfObjects: the id is only taken from a Location that is the URL of an object of the resource. Another
// one names something else, which must not be adopted and deleted.
func TestLocationsOfObjects(t *testing.T) {
	const origin = "ORIGIN"
	layouts := []struct {
		base, rest, create, object string // the URL of an object ends in /ID
		more                       string // next to rest
	}{
		{"", `path: "/pets"`, "/pets", "/pets/", ""},
		{"/api/v1", `path: "/pets"`, "/api/v1/pets", "/api/v1/pets/", ""},
		{"/api/v1/", `path: "/stores/${inputs.store}/pets"`, "/api/v1/stores/s%201/pets", "/api/v1/stores/s%201/pets/", ""},
		{"", `path: "/stores/${inputs.store}/pets", object: "/pets/${id}"`, "/stores/s%201/pets", "/pets/", ""},
		{"/api", `path: "/pets", create: "POST /pets/new", object: "/stores/${config.store}/pets/${id}"`, "/api/pets/new", "/api/stores/s%201/pets/", ""},
		{"/api", `path: "/pets/"`, "/api/pets/", "/api/pets/", ""},
		{"/api", `path: "/all-pets", read: "GET /pets/${id}", update: "PATCH /pets/${id}", delete: "DELETE /pets/${id}"`, "/api/all-pets", "/api/pets/", ""},
		{"/api", `path: "/pets"`, "/api/pets", "/api/pets/", `create: http: {path: "/pets", json: {name: "${inputs.name}", size: 1}}`},
	}
	for _, l := range layouts {
		relative := strings.Repeat("../", strings.Count(l.create, "/")-1) + strings.TrimPrefix(l.object, "/")
		folder, collection := strings.TrimSuffix(l.object, "/"), strings.TrimPrefix(l.object, "/")
		for location, id := range map[string]string{
			l.object + "5": "5", origin + l.object + "5": "5", relative + "5": "5", l.object + "5/": "5", l.object + "5?x=y": "5", l.object + "5#top": "5", l.object + "5?x=/pets/6": "5",
			l.object + "a%2Fb": "a/b", l.object + "a%20b": "a b", l.object + "a+b": "a+b", l.object + "%C3%A9": "é", l.object + "x/../5": "5", "//HOST" + l.object + "5": "5",
			strings.ToUpper("http") + "://HOST" + l.object + "5": "5",
			// These are something else.
			"": "", l.object: "", folder: "", folder + "?id=5": "", folder + "#5": "", "/operations/5": "", "/api/operations/5": "", "/other" + l.object + "5": "", l.object + "5/operations/6": "", l.object + "5/6": "",
			"https://HOST" + l.object + "5": "", "http://elsewhere.test" + l.object + "5": "", "//elsewhere.test" + l.object + "5": "", "http://127.0.0.1:1" + l.object + "5": "", "http://u:p@HOST" + l.object + "5": "",
			l.object + "%2e%2e": "", l.object + ".": "", l.object + "..": "", l.object + "5%2": "", l.object + "%FF": "", l.object + "5;session=7": "", strings.ToUpper(l.object) + "5": "", "/" + l.object + "5": "", "urn:pets:5": "", "/5 6": "", "?5": "", "#5": "",
			folder + "/a/" + collection + "5": "",
		} {
			runCase(t, l.rest+l.more+"/"+location, func(t *testing.T) {
				t.Parallel()
				host := ""
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						if r.URL.EscapedPath() != l.create {
							t.Errorf("the create went to %s", r.URL.EscapedPath())
						}
						w.Header().Set("Location", strings.NewReplacer(origin, "http://"+host, "HOST", host).Replace(location))
						w.WriteHeader(http.StatusCreated)
						return
					}
					respond(w, http.StatusOK, map[string]any{"name": "a"})
				}))
				defer server.Close()
				host = strings.TrimPrefix(server.URL, "http://")
				short, expanded := restForms(t, `
name: "pets"
version: "1.0.0"
config: {endpoint: string, store: *"s 1" | string}
http: baseURL: "${config.endpoint}`+l.base+`"
resources: Pet: {
	inputs: {name: string @replace(), store: *"s 1" | string @replace() @noRead()}
	rest: {response: "none", `+l.rest+`}
	`+l.more+`
}`)
				for form, p := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
					program, diags := builtinProgram(p)
					if diags.HasErrors() {
						t.Fatalf("%+v", diags)
					}
					e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
					if err != nil {
						t.Fatal(err)
					}
					out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: check(t, e, "Pet", object("name", "a"))})
					got := ""
					if out.State != nil {
						got = out.State.ID
					}
					if got != id || id == "" && out.Err == nil {
						t.Errorf("%s: the id is %q, want %q (%v)", form, got, id, out.Err)
					}
					if id == "" && form == "rest" && location != "" && location[0] != '?' && !strings.Contains(fmt.Sprint(out.Err), "is not the path of an object, as rest has it. Correct `path` or `object`") {
						t.Error(out.Err)
					}
				}
			})
		}
	}
}

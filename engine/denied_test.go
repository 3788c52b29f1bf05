package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/compile/finding"
)

// guarded is a server that responds with a status to a request for an object that does not exist, and to one
// that the token may not make. Deny is the method and the path of the requests that it may not make.
type guarded struct {
	*httptest.Server
	status int
	things map[string]string // names by id
	deny   func(r *http.Request) bool
}

func guard(t *testing.T, status int) *guarded {
	t.Helper()
	g := &guarded{status: status, things: map[string]string{"7": "it", "8": "another"}, deny: func(*http.Request) bool { return false }}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/things"), "/")
		name, there := g.things[id]
		switch {
		case g.deny(r) || id != "" && !there:
			w.WriteHeader(g.status)
		case id == "":
			list := []map[string]any{}
			for id, name := range g.things {
				list = append(list, map[string]any{"id": id, "name": name})
			}
			respond(w, http.StatusOK, list)
		case r.Method == http.MethodDelete:
			delete(g.things, id)
			w.WriteHeader(http.StatusNoContent)
		default:
			respond(w, http.StatusOK, map[string]any{"id": id, "name": name})
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// TestDenialsThatMeanGone deletes or refreshes an object of a server that says the same of objects that do not
// exist and of those that the token may not see. A resource is forgotten only if the object is gone. denied is
// what the token may not do.
func TestDenialsThatMeanGone(t *testing.T) {
	t.Parallel()
	denials := map[string]func(r *http.Request) bool{
		"nothing":          func(*http.Request) bool { return false },
		"delete":           func(r *http.Request) bool { return r.Method == http.MethodDelete },
		"one object":       func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/things/") },
		"the list":         func(r *http.Request) bool { return r.URL.Path == "/things" },
		"the whole server": func(*http.Request) bool { return true },
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		for denied, deny := range denials {
			for _, exists := range []bool{true, false} {
				for _, verb := range []string{"refresh", "delete"} {
					for _, body := range []string{
						`rest: {path: "/things", unique: "name", update: "none", gone: "${status == STATUS}"}`,
						`id: "${result.body.id}"
						create: http: {method: "POST", path: "/things", json: "${inputs}"}
						find: {http: path: "/things", gone: "${status in [404, STATUS]}", return: "${find(body, .name == inputs.name)}"}
						read: {http: path: "/things/${id}", gone: "${status in [400, STATUS]}"}
						delete: {http: {method: "DELETE", path: "/things/${id}"}, gone: "${status >= 400 && status < 500}"}`,
					} {
						t.Run(fmt.Sprintf("%d, %s denied, exists %v, %s, rest %v", status, denied, exists, verb, strings.HasPrefix(body, "rest")), func(t *testing.T) {
							t.Parallel()
							g := guard(t, status)
							if !exists {
								delete(g.things, "7")
							}
							g.deny = deny
							e := g.engine(t, strings.ReplaceAll(body, "STATUS", fmt.Sprint(status)))
							state := engine.State{ID: "7", Inputs: object("name", "it"), Outputs: object("name", "it"), Private: engine.Private{Token: "a1"}}
							forgotten := false
							if verb == "refresh" {
								out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
								forgotten = out.Gone
								if out.Err != nil && out.State == nil && denied == "nothing" {
									t.Error(out.Err)
								}
							} else {
								err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state})
								forgotten = err == nil
								if err != nil && denied == "nothing" {
									t.Error(err)
								}
							}
							if _, there := g.things["7"]; there && forgotten {
								t.Error("it is there, and the resource was forgotten")
							}
							// What nobody can see is kept.
							if told := denied == "nothing" || denied == "delete" || denied == "one object"; !exists && told && !forgotten {
								t.Error("it is not there, and the resource was kept")
							}
						})
					}
				}
			}
		}
	}
}

func (g *guarded) engine(t *testing.T, body string) *engine.Engine {
	t.Helper()
	program := guardedProgram(t, body, "")
	e, err := program.Configure(t.Context(), object("endpoint", g.URL, "token", "t"), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func guardedProgram(t *testing.T, body, configure string) *engine.Program {
	t.Helper()
	program, diags := compileGuarded(t, body, configure)
	if diags != "" {
		t.Fatal(diags)
	}
	return program
}

// compileGuarded returns the program and the codes of its diagnostics.
func compileGuarded(t *testing.T, body, configure string) (*engine.Program, string) {
	t.Helper()
	doc, diags := loaded(`
name: "things"
version: "1.0.0"
config: {endpoint: string, token: string @secret()}
http: {baseURL: "${config.endpoint}", auth: bearer: "${config.token}"}
` + configure + `
resources: Thing: {
	inputs: name: string @replace()
	` + body + `
}`)
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	program, diags := builtinProgram(doc.Provider)
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	var codes []string
	for _, d := range diags {
		codes = append(codes, d.Code)
	}
	return program, strings.Join(codes, " ")
}

// TestDeniedIsGone checks which specs get the warning: those where a denial is taken for an object that is gone,
// and nothing tells. What `configure` tries says nothing about the rights of a token.
func TestDeniedIsGone(t *testing.T) {
	t.Parallel()
	for gone, by := range map[string]string{
		"${status == 403}": "rights", "${status in [401, 403, 404]}": "rights", "${status != 200}": "rights",
		"${status == 401}": "credentials", "${status == 404}": "", "${status == 403 && body.code == 'none'}": "",
	} {
		for _, configure := range []string{"", `configure: http: path: "/me"`} {
			for _, unique := range []string{"", `, unique: "name"`} {
				_, codes := compileGuarded(t, `rest: {path: "/things", update: "none", gone: "`+gone+`"`+unique+`}`, configure)
				want := unique == "" && (by == "rights" || by == "credentials" && configure == "")
				if got := strings.Contains(codes, finding.CodeDeniedIsGone); got != want {
					encoded, _ := json.Marshal([]string{gone, configure, unique})
					t.Errorf("%s: %q", encoded, codes)
				}
			}
		}
	}
}

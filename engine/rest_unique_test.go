package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// TestUniqueByRulesOfEquality: the server normalises the value that identifies an object, as @equal
// says, and the response to the create is lost. The next create finds the object in the list.
func TestUniqueByRulesOfEquality(t *testing.T) {
	rules := []struct {
		equal     string
		normalise func(string) string
	}{
		{"fold", strings.ToLower},
		{"trim", strings.TrimSpace},
		{`"${lower(old) == lower(new)}"`, strings.ToLower},
		{`"${split(old, '@')[0] == split(new, '@')[0]}"`, func(s string) string { return strings.ReplaceAll(s, ".com", ".org") }},
	}
	for _, rule := range rules {
		for _, options := range []string{"", "returns: #Person", "find: \"GET /people?all=1\"", "returns: #Person, find: \"GET /people?all=1\""} {
			for _, kind := range []string{"email: string", "email?: string", "nick: string, email: string"} {
				if !strings.Contains(options, "returns") && kind != "email: string" {
					continue // there is no type
				}
				t.Run(fmt.Sprintf("%s, %s, %s", rule.equal, options, kind), func(t *testing.T) {
					t.Parallel()
					uniqueLife(t, rule.equal, options, kind, rule.normalise)
				})
			}
		}
	}
}

func uniqueLife(t *testing.T, equal, options, declared string, normalise func(string) string) {
	var mu sync.Mutex // a request whose response is lost may still be handled while the next one arrives
	var people []map[string]any
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method != http.MethodPost {
			respond(w, http.StatusOK, people)
			return
		}
		posts++
		body, _ := io.ReadAll(r.Body)
		sent := map[string]any{}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		email, _ := sent["email"].(string)
		sent["email"], sent["id"], sent["nick"] = normalise(email), fmt.Sprint(len(people)+1), "n"
		people = append(people, sent)
		panic(http.ErrAbortHandler) // the response is lost
	}))
	defer server.Close()
	if options != "" {
		options = ", " + options
	}
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`
name: "people"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Person: {id: string, ` + declared + `}
resources: Person: {
	inputs: email: string @equal(` + equal + `)
	consistency: "0s"
	rest: {path: "/people", read: "list", unique: "email"` + options + `}
}`)})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	people = []map[string]any{{"id": "0", "email": "somebody@else", "nick": "n"}}
	mu.Unlock()
	create := func(urn string) engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: engine.Ref{Type: "Person", Name: urn, Key: urn}, Inputs: check(t, e, "Person", object("email", " Ada@x.com"))})
	}
	out := create("urn:a")
	if out.Err != nil && out.State == nil {
		out = create("urn:a")
	}
	if out.Err != nil || out.State == nil || out.State.ID != "2" {
		t.Errorf("the object of the lost response was not adopted: %+v", out)
	}
	if other := create("urn:b"); other.State != nil {
		t.Errorf("an object of the same name was created: %+v", other.State)
	}
	mu.Lock()
	defer mu.Unlock()
	if posts != 1 {
		t.Errorf("%d requests to create", posts)
	}
}

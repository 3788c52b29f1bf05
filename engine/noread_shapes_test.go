package engine_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
)

// TestShapesOfWhatIsNotRead: what is @noRead() or @ephemeral() is never taken from a read, so it may have any shape there:
// APIs show the names of secrets, a mask, or where they are kept.
func TestShapesOfWhatIsNotRead(t *testing.T) {
	shapes := map[string]any{
		"null": nil, "a boolean": true, "a number": 7.5, "a string": "***",
		"an empty list": []any{}, "a list of objects": []any{map[string]any{"name": "K"}},
		"an object": map[string]any{"K": map[string]any{"set": true}}, "a key of the host": map[string]any{"4dabf18193072939515e22adb298388d": "x"},
	}
	declared := map[string]struct {
		member string
		sent   any
	}{
		"a map":     {"secret?: [string]: string", map[string]any{"K": "v"}},
		"a string":  {"secret?: string", "v"},
		"an enum":   {`secret?: "u" | "v"`, "v"},
		"an int":    {"secret?: int", 3},
		"a list":    {"secret?: [...string]", []any{"v"}},
		"a struct":  {"secret?: {user: string, password: string}", map[string]any{"user": "u", "password": "v"}},
		"a union":   {`secret?: {kind: "a", a: string} | {kind: "b", b: string}`, map[string]any{"kind": "a", "a": "v"}},
		"null":      {"secret?: null | string", "v"},
		"mandatory": {"secret: string", "v"},
	}
	attributes := map[string]string{"noRead": "@noRead()", "ephemeral": "@ephemeral()"}
	rest := map[string]string{
		"the object": `rest: {path: "/notes", update: "PUT"}`,
		"nothing":    `rest: {path: "/notes", update: "PUT", unique: "name", response: "none"}`,
	}
	for shown, shape := range shapes {
		for is, d := range declared {
			for as, attribute := range attributes {
				for response, written := range rest {
					runCase(t, fmt.Sprintf("%s %s is shown as %s, create returns %s", as, is, shown, response), func(t *testing.T) {
						t.Parallel()
						a := &rewritingAPI{
							rewrite: func(note map[string]any) { note["secret"] = shape },
							created: func(w http.ResponseWriter, note map[string]any) {
								if response == "nothing" {
									note = nil
								}
								respond(w, http.StatusCreated, note)
							},
						}
						e, _ := a.open(t, "inputs: {name: string, "+d.member+" "+attribute+"}\n\t"+written)
						inputs := check(t, e, "Thing", object("name", "a", "secret", d.sent))
						out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
						if out.Err != nil {
							t.Fatal(out.Err)
						}
						a.keeps(t, e, *out.State)
						a.keeps(t, e, engine.State{ID: out.State.ID})
					})
				}
			}
		}
	}
}

// keeps reads a state, and reports an error if that changes its secret.
func (a *rewritingAPI) keeps(t *testing.T, e *engine.Engine, state engine.State) {
	t.Helper()
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
	if read.Err != nil || read.State == nil {
		t.Fatalf("%+v", read)
	}
	was, is := state.Inputs.Get("secret"), read.State.Inputs.Get("secret")
	if !was.Equals(is) {
		t.Errorf("read changes %v to %v", was, is)
	}
	if name := read.State.Inputs.Get("name"); !name.Equals(property.New("a")) {
		t.Errorf("read does not give the name: %v", name)
	}
}

// TestTypesOfWhatIsNotRead: the type that a read declares for a property that is never taken from it may be another one.
func TestTypesOfWhatIsNotRead(t *testing.T) {
	for attribute, codes := range map[string][]string{"": {"type-mismatch"}, "@noRead()": nil, "@ephemeral()": nil, "@secret() @noRead()": nil} {
		t.Run(attribute, func(t *testing.T) {
			doc, diags := loaded(`
name: "notes"
version: "1.0.0"
http: baseURL: "https://example.com"
#Note: {id: string, name: string, secret: [...{name: string}]}
resources: Thing: {
	inputs: {name: string, secret?: [string]: string ` + attribute + `}
	rest: {path: "/notes", returns: #Note, update: "PUT"}
}`)
			if len(diags) == 0 {
				_, diags = engine.Compile(doc.Provider, builtin.Families())
			}
			got := codesOf(diags)
			if diff := cmp.Diff(codes, got); diff != "" {
				t.Error(diff, diags)
			}
		})
	}
}

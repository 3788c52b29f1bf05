package engine_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// TestBrokenIDs: a mistake in an id or an import is one error. It is not known which inputs an import would give, or what the
// ids in a list are.
func TestBrokenIDs(t *testing.T) {
	t.Parallel()
	const inputs = `inputs: {team: string @replace(), title: string @replace()}
`
	broken := map[string]string{
		"a reference of CUE":   `inputs.title`,
		"within a string":      `"\(inputs.team)/${inputs.title}"`,
		"a name that is wrong": `"${inputs.team}/${inputs.titel}"`,
		"no expression":        `"${inputs.team}/${inputs.title +}"`,
	}
	shapes := map[string]string{
		"rest":             `id: ID, rest: {path: "/things/${inputs.team}", unique: "title"}`,
		"rest, by list":    `id: ID, rest: {path: "/things/${inputs.team}", unique: "title", read: "list"}`,
		"rest, of parents": `id: ID, rest: {path: "/things/${team}", under: team: "${inputs.team}", unique: "title"}`,
		"operations": `id: ID
	create: http: {method: "POST", path: "/things/${inputs.team}", json: "${inputs}", idempotencyKey: true}
	read: http: path: "/things/${inputs.team}/${inputs.title}"
	delete: http: {method: "DELETE", path: "/things/${inputs.team}/${inputs.title}"}`,
		"import": `id: "${body.id}", import: ID
	create: http: {method: "POST", path: "/things/${inputs.team}", json: "${inputs}", idempotencyKey: true}
	read: http: path: "/things/${inputs.team}/${id}"
	delete: http: {method: "DELETE", path: "/things/${inputs.team}/${id}"}`,
		"rest, import": `import: ID, rest: {path: "/things/${inputs.team}", unique: "title"}`,
	}
	for shape, resource := range shapes {
		for mistake, id := range broken {
			t.Run(shape+", "+mistake, func(t *testing.T) {
				t.Parallel()
				text := "package test\nname: \"test\"\nversion: \"0.1.0\"\nhttp: baseURL: \"https://things.example.com\"\nresources: Thing: {\n" + inputs + strings.ReplaceAll(resource, "ID", id) + "\n}"
				doc, found := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(text)})
				_, more := engine.Compile(doc.Provider, builtin.Families())
				var errors diag.List
				for _, d := range append(found, more...) {
					if d.Severity == diag.Error {
						errors = append(errors, d)
					}
				}
				if len(errors) != 1 {
					t.Errorf("%d errors, want 1, in\n%s\n%v", len(errors), text, errors)
				}
			})
		}
	}
}

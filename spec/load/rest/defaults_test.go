package rest_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// withDefaults returns a spec with defaults for rest and two resources.
func withDefaults(defaults, pet, vet string) string {
	return loadtest.Head + `rest: {` + defaults + `}
resources: {
	Pet: {inputs: {name: string}, ` + pet + `}
	Vet: {inputs: {name: string}, ` + vet + `}
}
`
}

// TestDefaults shows which resources have a default.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, defaults, pet string
		argument            string // of an operation of Pet, which has the value only by the default
		value               string
		want                bool
	}{
		{"a path", `update: "PUT"`, `rest: "/pets"`, "update method", "PUT", true},
		{"a block", `update: "PUT"`, `rest: {path: "/pets", list: "none"}`, "update method", "PUT", true},
		{"another value", `update: "PUT"`, `rest: {path: "/pets", update: "POST"}`, "update method", "PUT", false},
		{"another path", `update: "PUT"`, `rest: {path: "/pets", update: "POST /pets/${id}/edit"}`, "update method", "PUT", false},
		{"null", `unwrap: "data"`, `rest: {path: "/pets", unwrap: null}`, "create return", "${body.data}", false},
		{"unwrap", `unwrap: "data"`, `rest: {path: "/pets"}`, "create return", "${body.data}", true},
		{"an own operation", `unwrap: "data"`, `rest: "/pets", create: {http: {path: "/pets", method: "POST"}, return: "${body}"}`, "create return", "${body.data}", false},
		{"a body", `body: kind: "x"`, `rest: "/pets"`, "update json", `${let restBody = ({"kind": "x"}); merge(changes, restBody)}`, true},
		{"an id in updates", `body: {id: "${int(id)}", by: of: ["${ id }"]}`, `rest: "/pets"`, "update json", `${let restBody = ({"id": int(id), "by": {"of": [ id ]}}); merge(changes, restBody)}`, true},
		{"no id in creates", `body: {id: "${int(id)}", by: of: ["${ id }"]}`, `rest: "/pets"`, "create json", "${inputs}", true},
		{"what is not the id", `body: {id: "${inputs.name}", name: "${'the id of'}", of: "${{id: 1}.id}"}`, `rest: "/pets"`, "create json", `${let restBody = ({"id": inputs.name, "name": 'the id of', "of": {id: 1}.id}); merge(inputs, restBody)}`, true},
		{"an id within braces", `body: of: "${merge({a: {b: 1}}, {c: id})}"`, `rest: "/pets"`, "create json", "${inputs}", true},
		{"a wait", `wait: until: false`, `rest: "/pets"`, "delete as", "request", true},
		{"no wait", `wait: until: false`, `rest: {path: "/pets", wait: null}`, "delete as", "request", false},
		{"a condition", `ifMatch: true`, `rest: "/pets"`, "delete ifMatch", "true", true},
		{"a condition for an object of a list", `ifMatch: true`, `rest: {path: "/pets", read: "list"}`, "delete ifMatch", "true", false},
		{"a condition of a PUT", `ifNoneMatch: true`, `rest: "/pets"`, "create ifNoneMatch", "true", false},
		{"a patch without updates", `patch: "merge"`, `rest: {path: "/pets", update: "none"}`, "create patch", "merge", false},
		{"pages without a list", `paginate: link: true`, `rest: {path: "/pets", list: "none"}`, "create paginate", "", false},
		{"the next page without a list", `items: "results", paginate: next: "${body.links.next}"`, `rest: {path: "/pets", list: "none", items: null}`, "create paginate", "", false},
		{"a key", `idempotencyKey: true`, `rest: "/pets"`, "create idempotencyKey", "true", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// Another resource uses each default.
			vet := `rest: {path: "/vets", id: "${inputs.name}", create: "PUT"}, inputs: name: string @replace()`
			if strings.Contains(c.defaults, "idempotencyKey") {
				vet = `rest: "/vets"`
			}
			r := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(withDefaults(c.defaults, c.pet, vet)), Format: "cue"}).Resources[0]
			verb, name, _ := strings.Cut(c.argument, " ")
			op := map[string]*spec.Operation{"create": r.Create, "update": r.Update, "delete": r.Delete}[verb]
			got := ""
			switch {
			case name == "as":
				got = op.Steps[0].As
			case name != "return":
				got = argument(op, name)
			case op.Return != nil:
				got = op.Return.Text
			}
			if (got == c.value && got != "") != c.want {
				t.Errorf("%s is %q", c.argument, got)
			}
		})
	}
}

func TestMistakesInDefaults(t *testing.T) {
	t.Parallel()
	const rest = `rest: "/pets"`
	for _, c := range []struct{ name, code, defaults, pet, vet string }{
		{"a path", source.CodeUnknownKey, `«path»: "/pets"`, rest, rest},
		{"a find", source.CodeUnknownKey, `«find»: "GET /pets?name=${inputs.name}"`, rest, rest},
		{"a request", source.CodeBadValue, `update: «"PUT /pets/${id}/name"»`, rest, rest},
		{"a mistake in two resources", source.CodeBadValue, `unwrap: «"${body.data}"»`, rest, rest},
		{"an unknown word", source.CodeBadValue, `update: «"put"»`, rest, rest},
		{"nobody uses it", source.CodeMisplacedKey, `paginate: «{link: true}»`, `rest: {path: "/pets", list: "none"}`, `rest: {path: "/vets", list: "none"}`},
		{"all have another", source.CodeMisplacedKey, `update: «"PUT"»`, `rest: {path: "/pets", update: "none"}`, `rest: {path: "/vets", update: "POST"}`},
		{"a number", source.CodeWrongShape, `unwrap: «7»`, rest, rest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", withDefaults(c.defaults, c.pet, c.vet), c.code)
		})
	}
}

// TestNothingInYAML shows that a key without a value removes no default: the value was forgotten.
func TestNothingInYAML(t *testing.T) {
	t.Parallel()
	_, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "yaml", Stdin: []byte(loadtest.HeadYAML + `rest: {unwrap: data}
resources:
  Pet:
    inputs: {name: string}
    rest: /pets
  Vet:
    inputs: {name: string}
    rest:
      path: /vets
      unwrap:
`)})
	if len(diags) != 1 || diags[0].Code != source.CodeWrongShape {
		t.Errorf("%+v", diags)
	}
}

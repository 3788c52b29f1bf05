package engine_test

import (
	"cmp"
	"testing"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec/diag"
)

// TestUnusedInputs: an input that nothing uses is reported, and each way to use one counts.
func TestUnusedInputs(t *testing.T) {
	t.Parallel()
	type parts struct{ input, create, read, update, remove, more string }
	for name, c := range map[string]struct {
		parts
		want int
	}{
		"nothing":                     {want: 1},
		"a required one":              {parts{input: `extra: string`}, 1},
		"an object":                   {parts{input: `extra?: {a: string, b?: int}`}, 1},
		"a secret":                    {parts{input: `extra: string @secret() @noRead()`}, 1},
		"one that replaces, and read": {parts{input: `extra: string @replace()`}, 1},
		"another member of the body":  {parts{create: `{method: "PUT", path: "/things/${inputs.name}", json: {pages: "${inputs.pages}", extra: "it"}, ifNoneMatch: true}`}, 1},
		"only an output of that name": {parts{input: `extra?: string`, more: `outputs: extra: string`, read: `{path: "/things/${id}", returns: #Thing}`}, 1},
		"an input of a method":        {parts{more: `methods: poke: {inputs: extra: string, http: {method: "POST", path: "/things/${id}/poke", json: extra: "${inputs.extra}"}}`}, 1},

		"in the body":          {parts{create: `{method: "PUT", path: "/things/${inputs.name}", json: {pages: "${inputs.pages}", more: {deep: ["${inputs.extra}"]}}, ifNoneMatch: true}`}, 0},
		"all inputs":           {parts{create: `{method: "PUT", path: "/things/${inputs.name}", json: "${inputs}", ifNoneMatch: true}`}, 0},
		"all but others":       {parts{create: `{method: "PUT", path: "/things/${inputs.name}", json: "${omit(inputs, 'name')}", ifNoneMatch: true}`}, 0},
		"merged":               {parts{create: `{method: "PUT", path: "/things/${inputs.name}", json: "${merge(inputs, {kind: 'a'})}", ifNoneMatch: true}`}, 0},
		"a query":              {parts{create: `{method: "PUT", path: "/things/${inputs.name}", query: extra: "${inputs.extra}", json: pages: "${inputs.pages}", ifNoneMatch: true}`}, 0},
		"a header":             {parts{create: `{method: "PUT", path: "/things/${inputs.name}", headers: "X-Extra": "${inputs.extra}", json: pages: "${inputs.pages}", ifNoneMatch: true}`}, 0},
		"only update":          {parts{update: `{method: "PUT", path: "/things/${id}", json: {pages: "${inputs.pages}", extra: "${inputs.extra}"}}`}, 0},
		"changes":              {parts{update: `{method: "PATCH", path: "/things/${id}", json: "${changes}"}`}, 0},
		"only read":            {parts{read: `{path: "/things/${id}", query: extra: "${inputs.extra}"}`}, 0},
		"only delete":          {parts{remove: `{method: "DELETE", path: "/things/${id}", query: force: "${inputs.extra}"}`}, 0},
		"delete, by state":     {parts{remove: `{method: "DELETE", path: "/things/${id}", query: force: "${state.extra}"}`}, 0},
		"a check":              {parts{more: `checks: [{assert: "${inputs.extra != 'b'}", message: "b"}]`}, 0},
		"a rule":               {parts{more: `diff: rules: [{if: "${inputs.extra != state.extra}", replace: ["name"]}]`}, 0},
		"replaced by a rule":   {parts{more: `diff: rules: [{if: "${inputs.pages > state.pages}", replace: ["extra"]}]`}, 0},
		"a default":            {parts{input: `extra?: string, title?: string @default("${inputs.extra ?? 'a'}")`, create: `{method: "PUT", path: "/things/${inputs.name}", json: title: "${inputs.title}", ifNoneMatch: true}`, update: `{method: "PUT", path: "/things/${id}", json: {pages: "${inputs.pages}", title: "${inputs.title}"}}`}, 0},
		"a method, by state":   {parts{more: `methods: poke: http: {method: "POST", path: "/things/${id}/poke", json: extra: "${state.extra}"}`}, 0},
		"a find":               {parts{more: `find: {http: {path: "/things", query: extra: "${inputs.extra}", returns: #Things}, return: "${first(body)?.name}"}`}, 0},
		"an attribute":         {parts{input: `extra?: string @replace() @noRead()`}, 0},
		"an update repeated":   {parts{input: `extra?: string @noRead()`}, 0},
		"a deprecated one":     {parts{input: `extra?: string @deprecated("it has no effect")`}, 0},
		"a local name":         {parts{more: `let: it: "${inputs.extra}"`, create: `{method: "PUT", path: "/things/${inputs.name}", json: {pages: "${inputs.pages}", extra: "${it}"}, ifNoneMatch: true}`}, 0},
		"an output of a value": {parts{input: `extra?: string @noRead() @secret()`, more: `outputs: shown: string @secret()`, read: `{path: "/things/${id}", returns: #Thing}, return: {name: "${body.name}", pages: "${body.pages}", shown: "${inputs.extra ?? ''}"}`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `
#Thing: {name: string, pages: int, ...}
#Things: [...#Thing]
resources: Thing: {
	inputs: {name: string @replace(), pages: int, ` + cmp.Or(c.input, "extra?: string") + `}
	` + c.more + `
	id: "${inputs.name}"
	create: http: ` + cmp.Or(c.create, `{method: "PUT", path: "/things/${inputs.name}", json: pages: "${inputs.pages}", ifNoneMatch: true}`) + `
	read: {http: ` + cmp.Or(c.read, `{path: "/things/${id}"}`) + `}
	update: http: ` + cmp.Or(c.update, `{method: "PUT", path: "/things/${id}", json: pages: "${inputs.pages}"}`) + `
	delete: http: ` + cmp.Or(c.remove, `{method: "DELETE", path: "/things/${id}"}`) + `
}
`
			n, _ := warnings(t, text, finding.CodeNotSent)
			if n != c.want {
				t.Errorf("%d warnings, want %d, in\n%s", n, c.want, text)
			}
		})
	}
}

// TestUnusedBesideErrors: what could not be compiled may use an input, in another part too.
func TestUnusedBesideErrors(t *testing.T) {
	t.Parallel()
	unused := diag.Diagnostic{Severity: diag.Warning, Code: finding.CodeNotSent, Tentative: true}
	other := diag.Diagnostic{Severity: diag.Warning, Code: finding.CodeNoEffect}
	wrong := diag.Diagnostic{Severity: diag.Error, Code: finding.CodeBadCall}
	if got := (diag.List{unused, other}).Certain(); len(got) != 2 {
		t.Errorf("without errors: %v", got)
	}
	if got := (diag.List{unused, other, wrong}).Certain(); len(got) != 2 || got[0].Code != other.Code || got[1].Code != wrong.Code {
		t.Errorf("beside an error: %v", got)
	}
}

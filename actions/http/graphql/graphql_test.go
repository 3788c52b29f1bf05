package graphql

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

func TestEffect(t *testing.T) {
	for text, want := range map[string]actions.Effect{
		"{a}":                              actions.None,
		"query {a}":                        actions.None,
		"query Mutation {a}":               actions.None,
		"{mutation}":                       actions.None,
		"# mutation\n{a}":                  actions.None,
		"mutation {a}":                     actions.Write,
		"subscription {a}":                 actions.Write,
		"fragment F on A {b} mutation {a}": actions.Write,
		"query Q {a} mutation M {b}":       actions.Write,
		"{":                                actions.Write,
		"":                                 actions.Write,
		"fragment F on A {b}":              actions.Write,
	} {
		if got := EffectOf(map[string]any{"query": text}); got != want {
			t.Errorf("%s: effect %v, want %v", text, got, want)
		}
	}
	const two = "query Q {a} mutation M {b}"
	for name, want := range map[string]actions.Effect{"Q": actions.None, "M": actions.Write} {
		if got := EffectOf(map[string]any{"query": two, "operationName": name}); got != want {
			t.Errorf("operation %s: effect %v, want %v", name, got, want)
		}
	}
}

var (
	text   = &spec.Type{Kind: spec.String}
	number = &spec.Type{Kind: spec.Int}
	orNull = &spec.Type{Kind: spec.String, Nullable: true}
)

func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func required(name string, t *spec.Type) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true}
}

func TestCheck(t *testing.T) {
	named := spec.Types{"Pet": {Name: "Pet", Type: object(required("petName", text), &spec.Property{Name: "age", Type: number})}}
	pet := &spec.Type{Ref: "Pet"}
	list := &spec.Type{Kind: spec.List, Elem: text}
	type types = map[string]*spec.Type
	for name, tc := range map[string]struct {
		query, operation string
		variables        types
		returns          *spec.Type
		want             []string // part: summary
	}{
		"nothing to say": {query: "query($id: ID!) {pet(id: $id) {pet_name}}", variables: types{"id": text}, returns: object(required("pet", pet))},
		"syntax":         {query: "query {\n  a(}", want: []string{"query: invalid GraphQL: line 2, column 5: Expected Name, found }"}},
		"empty":          {query: "# nothing", want: []string{"query: the document has no operation"}},
		"which one":      {query: "query A {a} query B {b}", want: []string{"query: the document has several operations (A, B), and operationName does not say which one to run"}},
		"named":          {query: "query A {a} query B {b}", operation: "B"},
		"not there":      {query: "query A {a}", operation: "B", want: []string{`query: the document has no operation "B"`}},
		"missing":        {query: "query($id: ID!, $n: Int! = 1, $m: Int) {a(id: $id, n: {n: [$n]}) @if(m: $m)}", want: []string{"variables: the variable $id (ID!) is required, and is not given"}},
		"null":           {query: "query($id: ID!) {a(id: $id)}", variables: types{"id": orNull}, want: []string{"variables.id: the variable $id (ID!) must not be null, and the value may be"}},
		"may be null":    {query: "query($id: ID, $n: ID! = 2) {a(id: $id) ...F} fragment F on A {b(n: $n)}", variables: types{"id": orNull, "n": orNull}},
		"undeclared":     {query: "query($id: ID) {a(id: $id)}", variables: types{"ids": text}, want: []string{"variables.ids: the operation declares no variable $ids"}},
		"uses": {query: "query($id: ID) {a {b(id: $ids)}}", want: []string{
			"query: the operation uses $ids, and does not declare it", "query: the operation declares $id, and does not use it",
		}},
		"kinds": {
			query:     "query($a: Int, $b: String, $c: Float, $d: ID, $e: Boolean, $f: [Int!], $g: Weekday, $h: [String], $i: String, $j: [String]) {x(a: $a, b: $b, c: $c, d: $d, e: $e, f: $f, g: $g, h: $h, i: $i, j: $j)}",
			variables: types{"a": text, "b": number, "c": number, "d": number, "e": text, "f": list, "g": text, "h": list, "i": list, "j": text},
			want: []string{
				"variables.a: the variable $a has the type Int in the document, got string",
				"variables.b: the variable $b has the type String in the document, got int",
				"variables.e: the variable $e has the type Boolean in the document, got string",
				"variables.f: the variable $f has the type [Int!] in the document, got a list of string",
				"variables.i: the variable $i has the type String in the document, got list",
			},
		},
		"not selected": {
			query: "{pet {name} all: pets {...F}} fragment F on Pet {age ... on Pet {pet_name}}", returns: object(required("pet", pet), required("all", &spec.Type{Kind: spec.List, Elem: pet}), required("owner", text)),
			want: []string{
				"returns: the document does not select pet.pet_name, which the type of the data requires",
				"returns: the document does not select owner, which the type of the data requires",
			},
		},
		"a fragment within itself": {
			query: "{pet {...F}} fragment F on Pet {...F}", returns: object(required("pet", pet)),
			want: []string{"returns: the document does not select pet.pet_name, which the type of the data requires"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{Query: tc.query, OperationName: tc.operation, Variables: tc.variables, Given: true, Written: true, Returns: tc.returns, Types: named, Wire: "snake_case"}
			var got []string
			for _, m := range r.Check() {
				got = append(got, m.Part+": "+m.Summary)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
}

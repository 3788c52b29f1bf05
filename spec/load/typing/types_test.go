package typing_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

func count(n int) *int { return &n }

func bound(v any) *spec.Bound { return &spec.Bound{Value: v} }

func beyond(v any) *spec.Bound { return &spec.Bound{Value: v, Exclusive: true} }

// TestTypes checks the type for each way of writing one.
func TestTypes(t *testing.T) {
	text, whole := &spec.Type{Kind: spec.String}, &spec.Type{Kind: spec.Int}
	n := func(s string) json.Number { return json.Number(s) }
	object := func(fields ...*spec.Property) *spec.Type { return &spec.Type{Kind: spec.Object, Fields: fields} }
	union := func(variants ...*spec.Type) *spec.Type { return &spec.Type{Kind: spec.Union, Variants: variants} }
	cases := []struct {
		src  string
		want *spec.Property // its Name is a, and need not be said
	}{
		{"a: string", &spec.Property{Type: text, Required: true}},
		{"a!: string", &spec.Property{Type: text, Required: true}},
		{"a?: string", &spec.Property{Type: text}},
		{"a: bool", &spec.Property{Type: &spec.Type{Kind: spec.Bool}, Required: true}},
		{"a: true | false", &spec.Property{Type: &spec.Type{Kind: spec.Bool}, Required: true}},
		{"a: int", &spec.Property{Type: whole, Required: true}},
		{"a: number", &spec.Property{Type: &spec.Type{Kind: spec.Number}, Required: true}},
		{"a: float", &spec.Property{Type: &spec.Type{Kind: spec.Number}, Required: true}},
		{"a: uint8", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("0")), Max: bound(n("255"))}, Required: true}},
		{"a: int64", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("-9223372036854775808")), Max: bound(n("9223372036854775807"))}, Required: true}},
		{"a: uint", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("0"))}, Required: true}},
		{"a: int & >=1 & <10", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("1")), Max: beyond(n("10"))}, Required: true}},
		{"a: >0", &spec.Property{Type: &spec.Type{Kind: spec.Number, Min: beyond(n("0"))}, Required: true}},
		{"a: int32 & >=5", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("5")), Max: bound(n("2147483647"))}, Required: true}},
		{"a: _", &spec.Property{Type: &spec.Type{}, Required: true}},
		{`a: "x" | *"y" | "z"`, &spec.Property{Type: &spec.Type{Kind: spec.String, Enum: []any{"x", "y", "z"}}, Default: "y"}},
		{"a: 1 | 2", &spec.Property{Type: &spec.Type{Kind: spec.Int, Enum: []any{n("1"), n("2")}}, Required: true}},
		{`a: *"x" | string`, &spec.Property{Type: text, Default: "x"}},
		{`a?: *"x" | string`, &spec.Property{Type: text, Default: "x"}},
		{"a: *80 | uint16", &spec.Property{Type: &spec.Type{Kind: spec.Int, Min: bound(n("0")), Max: bound(n("65535"))}, Default: n("80")}},
		{"a: *false | bool", &spec.Property{Type: &spec.Type{Kind: spec.Bool}, Default: false}},
		{`a: *"0644" | =~"^0[0-7]{3}$"`, &spec.Property{Type: &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^0[0-7]{3}$"}}}, Default: "0644"}},
		{`a: *"" | "" | =~"^x"`, &spec.Property{Type: union(&spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^x"}}}, &spec.Type{Kind: spec.String, Enum: []any{""}}), Default: ""}},
		{"a: >10 | 0 | *0", &spec.Property{Type: union(&spec.Type{Kind: spec.Number, Min: beyond(n("10"))}, &spec.Type{Kind: spec.Int, Enum: []any{n("0")}}), Default: n("0")}},
		{`a: string & !~"x" & !="y"`, &spec.Property{Type: &spec.Type{Kind: spec.String, Not: []any{"y"}, Patterns: []spec.Pattern{{Regexp: "x", Negated: true}}}, Required: true}},
		{"a: null | string", &spec.Property{Type: &spec.Type{Kind: spec.String, Nullable: true}, Required: true}},
		{"a?: null | int", &spec.Property{Type: &spec.Type{Kind: spec.Int, Nullable: true}}},
		{"a: null | #E", &spec.Property{Type: &spec.Type{Ref: "E", Nullable: true}, Default: "p"}},
		{"a: strings.MinRunes(2) & strings.MaxRunes(5)", &spec.Property{Type: &spec.Type{Kind: spec.String, MinLen: 2, MaxLen: count(5)}, Required: true}},
		{"a: [...string]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text}, Required: true}},
		{"a: [string, ...string]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text, MinLen: 1}, Required: true}},
		{"a?: [int, int, ...int]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: whole, MinLen: 2}}},
		{"a: [#R, ...#R]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "R"}, MinLen: 1}, Required: true}},
		{`a: *[] | [...string]`, &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text}, Default: []any{}}},
		{`a: [...string] | *["x"]`, &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text}, Default: []any{"x"}}},
		{"a: list.MinItems(1) & list.MaxItems(3) & list.UniqueItems() & [...int]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: whole, MinLen: 1, MaxLen: count(3), Unique: true}, Required: true}},
		{`a: *["x", "y"] | [...string] & list.MinItems(2)`, &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text, MinLen: 2}, Default: []any{"x", "y"}}},
		{`a: ([...string] & list.MinItems(1)) | *["x"]`, &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text, MinLen: 1}, Default: []any{"x"}}},
		{`a: *["x"] | [...string] & list.MaxItems(2)`, &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text, MaxLen: count(2)}, Default: []any{"x"}}},
		{"a: null | [...string] & list.MinItems(2)", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text, MinLen: 2, Nullable: true}, Required: true}},
		{`a: *{b: 1} | {[string]: int} & struct.MinFields(1)`, &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: whole, MinLen: 1}, Default: map[string]any{"b": n("1")}}},
		{`a: *"xyz" | string & strings.MinRunes(3)`, &spec.Property{Type: &spec.Type{Kind: spec.String, MinLen: 3}, Default: "xyz"}},
		{"a: list.UniqueItems & [...int]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: whole, Unique: true}, Required: true}},
		{"a: [...[...#R]]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "R"}}}, Required: true}},
		{"a: [string]: int", &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: whole}, Required: true}},
		{`a: {[=~"^x"]: int}`, &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: whole, Keys: []string{"^x"}}, Required: true}},
		{"a: struct.MinFields(1) & struct.MaxFields(2) & {[string]: int}", &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: whole, MinLen: 1, MaxLen: count(2)}, Required: true}},
		{"a: {...}", &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: &spec.Type{}}, Required: true}},
		{"a: *{} | {[string]: int}", &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: whole}, Default: map[string]any{}}},
		{"a: *{b: 1} | {b: int}", &spec.Property{Type: object(&spec.Property{Name: "b", Type: whole, Required: true}), Default: map[string]any{"b": n("1")}}},
		{`a: *{t: "x"} | {t: "y", n: int}`, &spec.Property{Type: &spec.Type{Kind: spec.Union, Tag: "t", Variants: []*spec.Type{
			object(&spec.Property{Name: "t", Type: &spec.Type{Kind: spec.String, Enum: []any{"x"}}, Required: true}),
			object(&spec.Property{Name: "t", Type: &spec.Type{Kind: spec.String, Enum: []any{"y"}}, Required: true}, &spec.Property{Name: "n", Type: whole, Required: true}),
		}}, Default: map[string]any{"t": "x"}}},
		{"a: math.MultipleOf(5) & int", &spec.Property{Type: &spec.Type{Kind: spec.Int, MultipleOf: "5"}, Required: true}},
		{"a: {b: string, c?: int}", &spec.Property{Type: object(&spec.Property{Name: "b", Type: text, Required: true}, &spec.Property{Name: "c", Type: whole}), Required: true}},
		{"a: b: string", &spec.Property{Type: object(&spec.Property{Name: "b", Type: text, Required: true}), Required: true}},
		{"a: {b: string, ...}", &spec.Property{Type: &spec.Type{Kind: spec.Object, Open: true, Fields: object(&spec.Property{Name: "b", Type: text, Required: true}).Fields}, Required: true}},
		{"a: {b: string, [string]: int | string}", &spec.Property{Type: &spec.Type{Kind: spec.Object, Open: true, Elem: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{whole, text}}, Fields: object(&spec.Property{Name: "b", Type: text, Required: true}).Fields}, Required: true}},
		{"a: #R", &spec.Property{Type: &spec.Type{Ref: "R"}, Required: true}},
		{"a: #R & {more?: int}", &spec.Property{Type: &spec.Type{Kind: spec.Object, Open: true, Fields: []*spec.Property{{Name: "more", Type: whole}, {Name: "b", Type: text, Required: true}}}, Required: true}},
		{"a: #E", &spec.Property{Type: &spec.Type{Ref: "E"}, Default: "p"}},
		{"a: #N", &spec.Property{Type: &spec.Type{Kind: spec.String, MaxLen: count(3)}, Required: true}},
		{"a: _h", &spec.Property{Type: &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^h"}}}, Required: true}},
		{"a: spec.#Asset", &spec.Property{Type: &spec.Type{Kind: spec.Asset}, Required: true}},
		{"a?: [...spec.#Archive]", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Kind: spec.Archive}}}},
		{"a: string | int", &spec.Property{Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{text, whole}}, Required: true}},
		{`a: *"auto" | int`, &spec.Property{Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{whole, {Kind: spec.String, Enum: []any{"auto"}}}}, Default: "auto"}},
		{`a: {t: "x", p: int} | {t: "y"}`, &spec.Property{Type: &spec.Type{Kind: spec.Union, Tag: "t", Variants: []*spec.Type{
			object(&spec.Property{Name: "t", Type: &spec.Type{Kind: spec.String, Enum: []any{"x"}}, Required: true}, &spec.Property{Name: "p", Type: whole, Required: true}),
			object(&spec.Property{Name: "t", Type: &spec.Type{Kind: spec.String, Enum: []any{"y"}}, Required: true}),
		}}, Required: true}},
		{`"string": string`, &spec.Property{Name: "string", Type: text, Required: true}},
		{"a?: [string]: string @replace()", &spec.Property{Type: &spec.Type{Kind: spec.Map, Elem: text}, Replace: true}},
		{
			`// Says what.
			a: string @secret() @noRead() @ephemeral() @wire("A-b") @deprecated("no") @name(terraform="t")`,
			&spec.Property{Doc: "Says what.", Type: text, Required: true, Secret: true, NoRead: true, Ephemeral: true, Wire: "A-b", Deprecated: "no", Names: map[string]string{"terraform": "t"}},
		},
		{"a: string @autoname()", &spec.Property{Type: text, Autoname: &spec.Autoname{Sep: "-"}}},
		{`a: string @autoname(max=63, sep="")`, &spec.Property{Type: text, Autoname: &spec.Autoname{Max: 63}}},
		{`a: string @default("${inputs.b}")`, &spec.Property{Type: text, DefaultExpr: &spec.Node{Kind: spec.StringNode, Text: "${inputs.b}"}}},
		{`a: string @equal("${old == new}")`, &spec.Property{Type: text, Required: true, EqualExpr: &spec.Node{Kind: spec.StringNode, Text: "${old == new}"}}},
		{"a: string @equal(trim)", &spec.Property{Type: text, Required: true, Equal: "trim"}},
		{"a: [...string] @set()", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: text}, Required: true, Set: true}},
		{"a: [...{b: string}] @key(b)", &spec.Property{Type: &spec.Type{Kind: spec.List, Elem: object(&spec.Property{Name: "b", Type: text, Required: true})}, Required: true, Key: "b"}},
		{"a: #S", &spec.Property{Type: text, Required: true, Secret: true}},
	}
	const rest = "#R: {b: string, ...}\n#E: *\"p\" | \"q\"\n#N: strings.MaxRunes(3)\n#S: string @secret()\n_h: string & =~\"^h\"\n"
	for _, c := range cases {
		t.Run(c.src, func(t *testing.T) {
			src := loadtest.Imports(c.src+rest) + loadtest.InInputs(c.src) + rest
			p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
			if c.want.Name == "" {
				c.want.Name = "a"
			}
			if diff := cmp.Diff([]*spec.Property{c.want}, p.Resources[0].Inputs.Fields, loadtest.WithoutPlaces()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndlessType(t *testing.T) {
	loadtest.Mistake(t, "cue", loadtest.Head+"#Node: {name: string, «next»: #Node}\nconfig: {a: #Node, b?: [...#Node]}", source.CodeRecursiveType)
}

func TestNamedTypes(t *testing.T) {
	src := loadtest.Head + `
// A node.
#Node: {
	// The next one.
	next?: #Node
	kids: [...#Node]
	mode: #Mode
}
#Mode: "a" | "b"
#List: [...#List]
config: {node?: #Node, list?: #List}
`
	p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
	node := &spec.Type{Ref: "Node"}
	want := spec.Types{
		"Node": {Name: "Node", Doc: "A node.", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
			{Name: "next", Doc: "The next one.", Type: node},
			{Name: "kids", Type: &spec.Type{Kind: spec.List, Elem: node}, Required: true},
			{Name: "mode", Type: &spec.Type{Ref: "Mode"}, Required: true},
		}}},
		"Mode": {Name: "Mode", Type: &spec.Type{Kind: spec.String, Enum: []any{"a", "b"}}},
		"List": {Name: "List", Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "List"}}},
	}
	if diff := cmp.Diff(want, p.Types, loadtest.WithoutPlaces()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

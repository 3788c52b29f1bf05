package expr

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

func required(name string, t *spec.Type) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true}
}

func optionalProp(name string, t *spec.Type) *spec.Property {
	return &spec.Property{Name: name, Type: t}
}

func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func kind(k spec.Kind) *spec.Type { return &spec.Type{Kind: k} }

// petScope is the scope of most tests: a resource with inputs of many types.
func petScope() *Scope {
	three := 3
	secret := required("token", kind(spec.String))
	secret.Secret = true
	inputs := object(
		required("name", kind(spec.String)),
		required("kind", &spec.Type{Kind: spec.String, Enum: []any{"dog", "cat"}}),
		optionalProp("mode", &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^0[0-7]{3}$"}}}),
		&spec.Property{Name: "size", Type: kind(spec.Int), Default: json.Number("3")},
		required("ratio", kind(spec.Number)),
		optionalProp("limits", object(optionalProp("cpu", kind(spec.Int)), required("memory", kind(spec.String)))),
		required("rules", types.ListOf(&spec.Type{Ref: "Rule"})),
		optionalProp("ports", types.ListOf(kind(spec.Int))),
		optionalProp("tags", types.MapOf(kind(spec.String))),
		required("force", kind(spec.Bool)),
		required("pair", &spec.Type{Kind: spec.List, Elem: kind(spec.String), MaxLen: &three}),
		required("owner", &spec.Type{Kind: spec.String, Nullable: true}),
		required("asset", kind(spec.Asset)),
		required("tree", &spec.Type{Ref: "Tree"}),
		optionalProp("extra", kind(spec.Any)),
		required("source", &spec.Type{Kind: spec.Union, Tag: "from", Variants: []*spec.Type{
			object(required("from", &spec.Type{Kind: spec.String, Enum: []any{"git"}}), required("url", kind(spec.String))),
			object(required("from", &spec.Type{Kind: spec.String, Enum: []any{"file"}}), required("path", kind(spec.String))),
		}}),
	)
	return &Scope{
		Types: spec.Types{
			"Rule": {Name: "Rule", Type: object(required("port", kind(spec.Int)), optionalProp("note", kind(spec.String)), required("protocol", &spec.Type{Kind: spec.String, Enum: []any{"tcp", "udp"}}))},
			"Tree": {Name: "Tree", Type: object(required("label", kind(spec.String)), optionalProp("left", &spec.Type{Ref: "Tree"}), required("leaves", types.ListOf(&spec.Type{Ref: "Tree"})))},
		},
		Names: []Name{
			{Name: "inputs", Type: inputs},
			{Name: "config", Type: object(required("endpoint", kind(spec.String)), secret)},
			{Name: "body"},
			{Name: "id", Type: kind(spec.String)},
			{Name: "session", Type: object(required("key", kind(spec.String))), Secret: true},
			{Name: "state", Absent: "state is there in read, update and delete."},
		},
	}
}

// marked splits a template from the line below it, whose ^ mark the range of the
// finding.
func at(d diag.Diagnostic) string {
	return fmt.Sprintf("%d-%d", d.Subject.Start.Column, d.Subject.End.Column)
}

// TestStaticErrors checks the code and exact range of each finding. The range is
// given by the quoted part of the template.
func TestStaticErrors(t *testing.T) {
	str, num := kind(spec.String), kind(spec.Int)
	tests := []struct {
		text string
		want *spec.Type
		code string
		part string // where the finding stands
	}{
		// The template itself.
		{"a ${inputs.name", nil, template.CodeUnterminated, "${"},
		{"a ${ } b", nil, template.CodeEmpty, "${ }"},
		{"${}", nil, template.CodeEmpty, "${}"},
		{`${"}`, nil, template.CodeUnterminated, "${"},
		{"${inputs.name +}", nil, parse.CodeSyntax, "+"},
		{"${inputs.}", nil, parse.CodeSyntax, "."},
		{"${9223372036854775808}", nil, parse.CodeSyntax, "80‖8"},
		{"${any(inputs.rules)}", nil, parse.CodeSyntax, ")"},
		{"${inputs.name ?? inputs.mode + 1}", nil, parse.CodeSyntax, "+"},
		{"${mapValues(config)}", nil, parse.CodeSyntax, ")"},
		{"${mapValues(config, #kye)}", nil, check.CodeUnknownName, "#kye"},
		{"${map(inputs.rules, #key)}", nil, check.CodeUnknownName, "#key"},
		{"${mapValues(inputs.rules, #)}", nil, check.CodeWrongArgument, "inputs.rules"},
		{"${mapValues(inputs.name, #)}", nil, check.CodeWrongArgument, "inputs.name"},
		{"${mapValues(config, # + 1)}", nil, types.CodeTypeMismatch, "1"},
		{"${entries(inputs.rules)}", nil, check.CodeWrongArgument, "inputs.rules"},
		{"${b'x'}", nil, parse.CodeSyntax, "b'x'"},
		{"x${" + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}", nil, parse.CodeTooLarge, ""},
		// Names.
		{"${input.name}", nil, check.CodeUnknownName, "input"},
		{"${state.size}", nil, check.CodeNameNotHere, "state"},
		{"${len}", nil, check.CodeUnknownName, "len"},
		{"${$env}", nil, check.CodeUnknownName, "$env"},
		{"${#}", nil, parse.CodeSyntax, "#"},
		{"${map(inputs.rules, #key)}", nil, check.CodeUnknownName, "#key"},
		{"ünïcode ${inputs.nme}", nil, types.CodeUnknownMember, "nme"},
		{"${inputs.limits?.gpu}", nil, types.CodeUnknownMember, "gpu"},
		{"${inputs.rules.port}", nil, types.CodeUnknownMember, "port"},
		{"${inputs.rules[0].prt}", nil, types.CodeUnknownMember, "prt"},
		{"${map(inputs.rules, .prt)}", nil, types.CodeUnknownMember, "prt"},
		{"${map(filter(inputs.rules, .port > 1), #.prt)}", nil, types.CodeUnknownMember, "prt"},
		{"${first(inputs.rules)?.prt}", nil, types.CodeUnknownMember, "prt"},
		{"${{a: 1}.b}", nil, types.CodeUnknownMember, "b"},
		{"${groupBy(inputs.rules, .protocol).tcp?.[0]?.prt}", nil, types.CodeUnknownMember, "prt"},
		{"${let r = inputs.rules[0]; r.prt}", nil, types.CodeUnknownMember, "prt"},
		{"${inputs.tree.leaves[0].leaves[0].lbl}", nil, types.CodeUnknownMember, "lbl"},
		{"${inputs.source.ur}", nil, types.CodeUnknownMember, "source.‖ur"},
		{"${inputs.pair[3]}", nil, types.CodeUnknownMember, "3"},
		{"${[1, 2][2]}", nil, types.CodeUnknownMember, "][‖2"},
		{"${inputs.asset.path}", nil, types.CodeUnknownMember, "path"},
		{`${pick(inputs, "nme")}`, nil, types.CodeUnknownMember, `"nme"`},
		{`${get(inputs, "nme")}`, nil, types.CodeUnknownMember, `"nme"`},
		{`${inputs["nme"]}`, nil, types.CodeUnknownMember, `"nme"`},
		{"${pick(inputs, \"name\").size}", nil, types.CodeUnknownMember, "size"},
		{"${omit(inputs, \"name\").name}", nil, types.CodeUnknownMember, ").‖name"},
		{"${merge(config, {a: 1}).b}", nil, types.CodeUnknownMember, ").‖b"},
		{"${capture(inputs.name, `(?P<a>.)`)?.b}", nil, types.CodeUnknownMember, ".‖b"},
		// Null.
		{"${inputs.mode + \"x\"}", nil, types.CodeNullUnguarded, "inputs.mode"},
		{"a ${inputs.mode}", nil, types.CodeNullUnguarded, "inputs.mode"},
		{"${inputs.mode}", str, types.CodeNullUnguarded, "inputs.mode"},
		{"${inputs.limits.cpu}", nil, types.CodeNullUnguarded, "inputs.limits"},
		{"${inputs.limits?.cpu + 1}", nil, types.CodeNullUnguarded, "inputs.limits?.cpu"},
		{"${upper(inputs.mode)}", nil, types.CodeNullUnguarded, "inputs.mode"},
		{"${inputs.owner == null ? inputs.owner + \"\" : \"\"}", nil, types.CodeNullUnguarded, "? ‖inputs.owner"},
		{"${map(inputs.rules, .note + \"x\")}", nil, types.CodeNullUnguarded, ".note"},
		{"${inputs.tags.env + \"x\"}", nil, types.CodeNullUnguarded, "inputs.tags"},
		{"${(inputs.tags ?? {}).env + \"x\"}", nil, types.CodeNullUnguarded, "(inputs.tags ?? {}).env"},
		{"${filter(inputs.ports, # > 1)}", nil, types.CodeNullUnguarded, "inputs.ports"},
		{"${find(inputs.rules, .port == 1).port}", nil, types.CodeNullUnguarded, "find(inputs.rules, .port == 1)"},
		{"${inputs.mode != null || inputs.mode contains \"7\"}", nil, types.CodeNullUnguarded, "|| ‖inputs.mode"},
		{"${null + 1}", nil, types.CodeNullUnguarded, "null"},
		{"${inputs.tree.left.label}", nil, types.CodeNullUnguarded, "inputs.tree.left"},
		{"${merge({mode: inputs.mode}, {}).mode + \"\"}", nil, types.CodeNullUnguarded, "merge({mode: inputs.mode}, {}).mode"},
		{"${let m = {a: inputs.mode}; \"a\" in m ? upper(m.a) : \"\"}", nil, types.CodeNullUnguarded, "m.a"},
		// Types.
		{"${inputs.name + 1}", nil, types.CodeTypeMismatch, "1"},
		{"${1 + inputs.name}", nil, types.CodeTypeMismatch, "1"},
		{"${inputs.name * 2}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.ratio % 2}", nil, types.CodeTypeMismatch, "inputs.ratio"},
		{"${!inputs.name}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${-inputs.name}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.name ? 1 : 2}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.force && inputs.size}", nil, types.CodeTypeMismatch, "inputs.size"},
		{"${inputs.name < 1}", nil, types.CodeTypeMismatch, "inputs.name < 1"},
		{"${inputs.size contains \"1\"}", nil, types.CodeTypeMismatch, "inputs.size"},
		{"${\"a\" in inputs.name}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.name in 5}", nil, types.CodeTypeMismatch, "5"},
		{"${inputs.name..5}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.rules[\"a\"]}", nil, types.CodeUnknownMember, "\"a\""},
		{"${inputs.rules[inputs.name]}", nil, types.CodeTypeMismatch, "inputs.name"},
		{"${inputs.size[1:]}", nil, types.CodeTypeMismatch, "inputs.size"},
		{"${{(inputs.size): 1}}", nil, types.CodeTypeMismatch, "inputs.size"},
		{"${1 / 0}", nil, check.CodeConstantFails, "0"},
		{"${inputs.size % 0}", nil, check.CodeConstantFails, "0"},
		{"${int(\"x\")}", nil, check.CodeConstantFails, "int"},
		{"${cidrhost(\"10.0.0.0/30\", 9)}", nil, check.CodeConstantFails, "cidrhost"},
		{"${inputs.size}", str, types.CodeTypeMismatch, "inputs.size"},
		{"${inputs.name}", num, types.CodeTypeMismatch, "inputs.name"},
		{"${ inputs.ratio }", num, types.CodeTypeMismatch, "inputs.ratio"},
		{"a${inputs.name}", num, types.CodeTypeMismatch, "a${inputs.name}"},
		{"plain", num, types.CodeTypeMismatch, "plain"},
		{"${inputs.force ? \"dog\" : \"cow\"}", &spec.Type{Kind: spec.String, Enum: []any{"dog", "cat"}}, types.CodeNotAllowed, `inputs.force ? "dog" : "cow"`},
		{"cow", &spec.Type{Kind: spec.String, Enum: []any{"dog", "cat"}}, types.CodeNotAllowed, "cow"},
		{"${\"99\"}", &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^0"}}}, types.CodeNotAllowed, "\"99\""},
		{"${2 + 3}", &spec.Type{Kind: spec.Int, Max: &spec.Bound{Value: json.Number("4")}}, types.CodeNotAllowed, "2 + 3"},
		{"${{port: \"x\"}}", object(required("port", num)), types.CodeTypeMismatch, "\"x\""},
		{"${{prt: 1}}", object(optionalProp("port", num)), types.CodeUnknownMember, "prt"},
		// Comparisons.
		{"${inputs.kind == \"dgo\"}", nil, check.CodeNeverEqual, "\"dgo\""},
		{"${\"dgo\" != inputs.kind}", nil, check.CodeNeverEqual, "\"dgo\""},
		{"${inputs.kind in [\"dog\", \"dgo\"]}", nil, check.CodeNeverEqual, "\"dgo\""},
		{"${inputs.mode == \"9\"}", nil, check.CodeNeverEqual, "\"9\""},
		{"${inputs.name == 1}", nil, check.CodeNeverEqual, "inputs.name == 1"},
		{"${inputs.rules == \"x\"}", nil, check.CodeNeverEqual, "inputs.rules == \"x\""},
		{"${any(inputs.rules, .protocol == \"icmp\")}", nil, check.CodeNeverEqual, "\"icmp\""},
		{"${1 in [\"a\"]}", nil, check.CodeNeverEqual, "1 in [\"a\"]"},
		{"${\"nme\" in inputs}", nil, check.CodeNeverEqual, "\"nme\""},
		{"${inputs.name == null}", nil, check.CodeNeverEqual, "inputs.name == null"},
		{"${type(body) == \"list\"}", nil, check.CodeNeverEqual, "\"list\""},
		// Functions.
		{"${uper(inputs.name)}", nil, check.CodeUnknownFunction, "uper"},
		{"${now()}", nil, check.CodeForbiddenFunction, "now"},
		{"${timezone(\"UTC\")}", nil, check.CodeForbiddenFunction, "timezone"},
		{"${inputs.name.upper()}", nil, check.CodeUnknownFunction, "upper"},
		{"${upper(1)}", nil, check.CodeWrongArgument, "1"},
		{"${upper()}", nil, check.CodeWrongArgument, "upper"},
		{"${upper(\"a\", \"b\")}", nil, check.CodeWrongArgument, "upper"},
		{"${date()}", nil, check.CodeWrongArgument, "date"},
		{"${join(inputs.rules)}", nil, check.CodeWrongArgument, "inputs.rules"},
		{"${len(1)}", nil, check.CodeWrongArgument, "1"},
		{"${sum(inputs.rules)}", nil, check.CodeWrongArgument, "inputs.rules"},
		{"${filter(inputs.rules, .port)}", nil, types.CodeTypeMismatch, ".port"},
		{"${filter(inputs.tags ?? {}, true)}", nil, check.CodeWrongArgument, "inputs.tags ?? {}"},
		{"${sortBy(inputs.rules, #)}", nil, check.CodeWrongArgument, "#"},
		{"${sortBy(inputs.rules, .port, \"up\")}", nil, check.CodeWrongArgument, "\"up\""},
		{"${hmac(\"sha3\", \"k\", \"s\")}", nil, check.CodeWrongArgument, "\"sha3\""},
		{"${semver(inputs.name, \"~\", \"1.0.0\")}", nil, check.CodeWrongArgument, "\"~\""},
		{"${date(\"2024-01-01\").year()}", nil, check.CodeUnknownFunction, "year"},
		{"${inputs.name matches \"[\"}", nil, check.CodeBadRegexp, "\"[\""},
		{"${capture(inputs.name, \"(\")}", nil, check.CodeBadRegexp, "\"(\""},
		{"${capture(inputs.name, \"a\")}", nil, check.CodeWrongArgument, "\"a\""},
		// Text.
		{"a ${inputs.rules}", nil, check.CodeTextPart, "inputs.rules"},
		{"a ${inputs}", nil, check.CodeTextPart, "inputs"},
		{"a ${inputs.asset}", nil, check.CodeTextPart, "inputs.asset"},
	}
	for _, test := range tests {
		name := test.text
		if len(name) > 60 {
			name = name[:60]
		}
		t.Run(name, func(t *testing.T) {
			_, diags := Compile(stringNode(test.text), petScope(), test.want)
			if len(diags) != 1 {
				t.Fatalf("got %d findings, want one: %+v", len(diags), diags)
			}
			d := diags[0]
			if d.Code != test.code {
				t.Errorf("code %s, want %s: %s", d.Code, test.code, d.Summary)
			}
			if test.part == "" {
				return
			}
			// The part before ‖ only selects one of several occurrences.
			before, part, found := strings.Cut(test.part, "‖")
			if !found {
				before, part = "", test.part
			}
			i := strings.Index(test.text, before+part) + len(before)
			from := len([]rune(test.text[:i])) + 1
			if got, want := at(d), fmt.Sprintf("%d-%d", from, from+len([]rune(part))); got != want {
				t.Errorf("at %s, want %s (%s): %s", got, want, part, d.Summary)
			}
		})
	}
}

// TestStaticTypes checks the types of valid expressions.
func TestStaticTypes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"${inputs.name}", "a string"},
		{"${mapValues({a: 1, b: \"x\"}, string(#)).a}", "a string"},
		{"${mapValues(inputs.tags ?? {}, len(#))}", "a map of int"},
		{"${entries({a: 1})[0].key + \"x\"}", "a string"},
		{"x", `"x"`},
		{"x ${inputs.size}", "a string"},
		{"${inputs.size + 1}", "an int"},
		{"${inputs.size / 2}", "a number"},
		{"${inputs.size * 1.5}", "a number"},
		{"${inputs.force ? \"a\" : \"b\"}", `"a" or "b"`},
		{"${inputs.force ? 1 : null}", "1 or null"},
		{"${inputs.mode}", "a string or null"},
		{"${inputs.mode ?? \"0644\"}", "a string"},
		{"${inputs.limits?.cpu ?? 1}", "an int"},
		{"${inputs.limits?.memory}", "a string or null"},
		{"${inputs.limits != null ? inputs.limits.memory : \"\"}", "a string"},
		{"${inputs.limits == null ? \"\" : inputs.limits.memory}", "a string"},
		{"${inputs.limits?.cpu != nil ? inputs.limits.cpu + 1 : 0}", "an int"},
		{"${inputs.mode != null && inputs.mode contains \"7\"}", "a bool"},
		{"${inputs.mode == null || inputs.mode contains \"7\"}", "a bool"},
		{"${not (inputs.mode == null) && inputs.mode contains \"7\"}", "a bool"},
		{"${(inputs.mode ?? \"\") != \"\" ? upper(inputs.mode) : \"\"}", "a string"},
		{"${\"env\" in (inputs.tags ?? {}) ? 1 : 2}", "1 or 2"},
		{"${inputs.tags != null && \"env\" in inputs.tags ? inputs.tags.env : \"\"}", "a string"},
		{"${inputs.rules}", "a list of Rule"},
		{"${inputs.rules[0].port}", "an int"},
		{"${map(inputs.rules, .port)}", "a list of int"},
		{"${map(inputs.rules, {p: .port}).p}", ""},
		{"${map(filter(inputs.rules, .note != null), upper(.note))}", "a list of string"},
		{"${map(inputs.rules, #index)}", "a list of int"},
		{"${find(inputs.rules, .port == 1)?.protocol}", `"tcp" or "udp" or null`},
		{"${groupBy(inputs.rules, .protocol)}", "a map of a list of Rule"},
		{"${sum(inputs.rules, .port)}", "an int"},
		{"${sum(map(inputs.rules, .port)) + 1}", "an int"},
		{"${reduce(inputs.rules, #acc + .port, 0)}", "an int"},
		{"${keys(inputs)}", "a list of string"},
		{"${values(inputs.tags ?? {})}", "a list of string"},
		{"${concat(inputs.pair, [\"x\"])}", "a list of string"},
		{"${inputs.ports ?? []}", "a list of int"},
		{"${1..3}", "a list of int"},
		{"${body.a.b}", "any value"},
		{"${inputs.tree.left?.left?.label}", "a string or null"},
		{"${merge(pick(inputs, \"name\"), {size: 1}).size}", "1"},
		{"${merge({mode: \"a\"}, pick(inputs, \"mode\")).mode}", "a string"},
		{"${omit(inputs, \"mode\").name}", "a string"},
		{"${coalesce(inputs.mode, inputs.name)}", "a string"},
		{"${coalesce(inputs.mode, inputs.owner)}", "a string or null"},
		{"${let l = inputs.limits; l != null ? l.memory : \"\"}", "a string"},
		{"${inputs.source.from}", `"git" or "file"`},
		{"${inputs.source.url}", "a string or null"},
		{"${date(\"2024-01-02\") - date(\"2024-01-01\") > duration(\"1h\")}", "a bool"},
		{"${parsetime(inputs.name)}", "a string"},
		{"${inputs.rules | filter(.port > 1) | len()}", "an int"},
		{"${if inputs.force { 1 } else { 2 }}", "1 or 2"},
		{"a/${segments(inputs.name)}", "a string"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			v, diags := Compile(stringNode(test.text), petScope(), nil)
			if test.want == "" {
				if !diags.HasErrors() {
					t.Fatal("no error")
				}
				return
			}
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			if got := types.Describe(v.Type()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestPresent checks what is known if a condition is true, and that a scope with that
// knowledge requires no guard.
func TestPresent(t *testing.T) {
	for text, want := range map[string][]string{
		"${inputs.mode != null}": {"inputs.mode"},
		"${inputs.mode != null && inputs.limits?.cpu == 1 && inputs.size > 1}": {"inputs.mode", "inputs.limits.cpu"},
		"${!(inputs.mode == null || inputs.size > 1)}":                         {"inputs.mode"},
		"${inputs.mode == null}":                                               nil,
		"${let m = inputs.mode; m != null}":                                    {"inputs.mode"},
		"${any(inputs.rules, .port != null)}":                                  nil,
		"x ${inputs.mode != null}":                                             nil,
	} {
		var got []string
		v, _ := Compile(stringNode(text), petScope(), nil)
		if v == nil {
			t.Fatalf("%s does not compile", text)
		}
		for _, path := range v.Present() {
			got = append(got, strings.Join(path, "."))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	text := &spec.Type{Kind: spec.String}
	scope := petScope()
	if _, diags := Compile(stringNode("${inputs.mode}"), scope, text); !diags.HasErrors() {
		t.Error("what may be null passes for text")
	}
	scope.Present = [][]string{{"inputs", "mode"}, {"inputs", "limits", "cpu"}}
	for _, expression := range []string{"${inputs.mode}", "${string(inputs.limits.cpu)}"} {
		if _, diags := Compile(stringNode(expression), scope, text); len(diags) > 0 {
			t.Errorf("%s is known not to be null: %+v", expression, diags)
		}
	}
}

// TestRefs checks the references of templates.
func TestRefs(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"plain", nil},
		{"${1 + 2}", nil},
		{"${inputs.limits?.memory}", []string{"inputs.limits.memory"}},
		{"${inputs}", []string{"inputs"}},
		{"${inputs.rules[0].port} ${config.endpoint}", []string{"inputs.rules.0.port", "config.endpoint"}},
		{"${inputs.rules[inputs.size].port}", []string{"inputs.rules.*.port", "inputs.size"}},
		{"${map(inputs.rules, .port)}", []string{"inputs.rules.*.port"}},
		{"${map(inputs.rules, 1)}", []string{"inputs.rules"}},
		{"${map(filter(inputs.rules, .port > 1), .protocol)}", []string{"inputs.rules.*.port", "inputs.rules.*.protocol"}},
		{"${filter(inputs.rules, .port > 1)}", []string{"inputs.rules", "inputs.rules.*.port"}},
		{"${inputs.rules[1:][0].port}", []string{"inputs.rules.*.port"}},
		{"${len(inputs.rules)}", []string{"inputs.rules"}},
		{"${let r = inputs.rules; r[0].port}", []string{"inputs.rules.0.port"}},
		{"${let r = inputs.rules; 1}", []string{"inputs.rules"}},
		{"${first(inputs.rules)?.port}", []string{"inputs.rules.*.port"}},
		{"${groupBy(inputs.rules, .protocol)}", []string{"inputs.rules", "inputs.rules.*.protocol"}},
		{"${merge(inputs, {a: config.token}).name}", []string{"inputs", "config.token"}},
		{"${body.items | map(.id)}", []string{"body.items.*.id"}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			v, diags := Compile(stringNode(test.text), petScope(), nil)
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			var got []string
			for _, r := range v.Refs() {
				got = append(got, strings.Join(r.Path, "."))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPassed checks what is known if a condition is false or a string is null.
func TestPassed(t *testing.T) {
	for text, want := range map[string][]string{
		"${inputs.mode == null}":                                                    {"inputs.mode"},
		"${inputs.mode == null || inputs.size > 1}":                                 {"inputs.mode"},
		"${inputs.mode != null}":                                                    nil,
		"${inputs.mode == null ? \"no mode\" : null}":                               {"inputs.mode"},
		"${inputs.mode != null ? null : \"no mode\"}":                               {"inputs.mode"},
		"${inputs.mode == null ? inputs.mode : null}":                               nil,
		"${inputs.size > 1 ? \"large\" : inputs.mode == null ? \"no mode\" : null}": {"inputs.mode"},
		"${inputs.mode}":                                                            nil,
	} {
		var got []string
		v, diags := Compile(stringNode(text), petScope(), nil)
		if v == nil {
			t.Fatalf("%s does not compile: %+v", text, diags)
		}
		for _, path := range v.Passed() {
			got = append(got, strings.Join(path, "."))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
)

// A tree is a component of children of every kind.
const tree = `
resources: Part: {
	inputs: {name: string, size?: int, mode: *"a" | "b", key?: string @secret()}
	outputs: {code: string, pin: string @secret()}
	id: "${inputs.name}"
	create: {world: do: {what: "make", with: "${inputs}"}, return: {code: "c", pin: "p"}}
	delete: world: do: what: "x"
}
components: Twig: {
	inputs: name: string
	outputs: length: int
	children: part: {type: "Part", inputs: name: "${inputs.name}"}
	return: length: "${len(children.part.code)}"
}
components: Tree: {
	inputs: {title: string, more: bool, key: string @secret(), names: [string]: string}
	outputs: {code: string, count: int, pin: string @secret(), twig?: int}
	children: {
		root: {type: "Part", inputs: {name: "${inputs.title}", key: "${inputs.key}"}, options: {ignoreChanges: ["size"], protect: "${inputs.more}"}}
		maybe: {type: "Part", if: "${inputs.more}", inputs: name: "${children.root.code}"}
		leaf: {type: "Part", forEach: "${inputs.names}", inputs: {name: "${each.key}", size: 3}, options: dependsOn: ["maybe"]}
		twig: {type: "Twig", inputs: name: "${resource.name ?? config.root}"}
		east: {type: "pulumi:providers:other"}
		pet: {type: "other:index:Pet", inputs: {a: {b: ["${children.root.pin}"]}}, options: {provider: "east", version: "1.0.0"}}
	}
	return: {
		code: "${children.maybe?.code ?? children.root.code}"
		count: "${len(inputs.title)}"
		pin: "${children.root.pin}"
		twig: "${children.twig.length}"
	}
}
config: root: *"." | string
`

func TestComponentsCompile(t *testing.T) {
	if _, diags := newWorld().compile(t, tree); len(diags) > 0 {
		t.Errorf("a right spec has findings: %+v", diags)
	}
}

// TestComponentMistakes breaks the tree at one place each: from is replaced by
// to, and the finding is at «…» of it.
func TestComponentMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ code, from, to string }{
		"an unknown type":              {"unknown-resource", `root: {type: "Part"`, `root: {type: «"Prat"»`},
		"a token of one part too many": {"unknown-resource", `"other:index:Pet"`, `«"other:a:b:Pet"»`},
		"an empty type":                {"unknown-resource", `root: {type: "Part"`, `root: {type: «""»`},
		"a type by template":           {"no-templates", `root: {type: "Part"`, `root: {type: «"${inputs.title}"»`},
		"an unknown input":             {"unknown-member", `{name: "${each.key}", size: 3}`, `{name: "${each.key}", «sise»: 3}`},
		"a missing input":              {"missing-member", `maybe: {type: "Part", if: "${inputs.more}", inputs: name: "${children.root.code}"}`, `«maybe»: {type: "Part", if: "${inputs.more}"}`},
		"a misspelt input":             {"unknown-member", `if: "${inputs.more}", inputs: name: "`, `if: "${inputs.more}", inputs: «nmae»: "`},
		"an input of another type":     {"type-mismatch", "size: 3}", `size: «"three"»}`},
		"a literal that is none":       {"value-not-allowed", "size: 3}", `mode: «"c"»}`},
		"a null input":                 {"null-unguarded", `name: "${children.root.code}"`, `name: "${«children.root.size»}"`},
		"inputs as a whole":            {"missing-member", `inputs: {name: "${each.key}", size: 3}`, `inputs: "${«{size: 3}»}"`},
		"an unknown child":             {"unknown-member", `"${children.root.code}"`, `"${children.«rot».code}"`},
		"an unknown output":            {"unknown-member", `"${children.root.code}"`, `"${children.root.«kode»}"`},
		"an optional child":            {"null-unguarded", `"${children.maybe?.code ?? children.root.code}"`, `"${«children.maybe».code}"`},
		"a child of a map":             {"null-unguarded", `"${children.maybe?.code ?? children.root.code}"`, `"${«children.leaf.a».code}"`},
		"each elsewhere":               {"name-not-here", `name: "${inputs.title}"`, `name: "${«each».key}"`},
		"itself":                       {"child-cycle", `name: "${inputs.title}"`, `name: "${«children.root.code»}"`},
		"all of them":                  {"child-cycle", "size: 3}", `size: "${len(«children»)}"}`},
		"a ring":                       {"child-cycle", `inputs: name: "${children.root.code}"}`, `inputs: name: "${children.root.code}", options: dependsOn: ["leaf"]}`},
		"a component in itself":        {"child-cycle", `part: {type: "Part", inputs: name: "${inputs.name}"}`, `{part: {type: "Part", inputs: name: "${inputs.name}"}, twig: {type: «"Twig"», inputs: name: "x"}}`},
		"no such child to wait for":    {"unknown-child", `dependsOn: ["maybe"]`, `dependsOn: [«"mabye"»]`},
		"no such parent":               {"unknown-child", `dependsOn: ["maybe"]`, `parent: «"mabye"»`},
		"several parents":              {"bad-option", `options: {provider: "east"`, `options: {parent: «"leaf"», provider: "east"`},
		"no provider":                  {"bad-option", `provider: "east"`, `provider: «"root"»`},
		"another's provider":           {"bad-option", `"pulumi:providers:other"}`, `"pulumi:providers:mother"}`},
		"a version of its own":         {"bad-option", `dependsOn: ["maybe"]`, `version: «"1.0.0"»`},
		"a component of its own":       {"bad-option", `dependsOn: ["maybe"]`, `component: «true»`},
		"an unknown path":              {"unknown-property", `ignoreChanges: ["size"]`, `ignoreChanges: [«"sise"»]`},
		"an unknown secret":            {"unknown-property", `dependsOn: ["maybe"]`, `additionalSecretOutputs: [«"kode"»]`},
		"protect as text":              {"type-mismatch", `protect: "${inputs.more}"`, `protect: "${«inputs.title»}"`},
		"a secret in an option":        {"secret-exposed", `dependsOn: ["maybe"]`, `aliases: [«"${inputs.key}"»]`},
		"a secret in an id":            {"secret-exposed", `name: "${inputs.title}"`, `name: «"${inputs.key}"»`},
		"a secret in the open":         {"secret-exposed", `code: "${children.maybe?.code ?? children.root.code}"`, `code: «"${children.root.pin}"»`},
		"over a secret":                {"secret-exposed", `forEach: "${inputs.names}"`, `forEach: «"${inputs.names}"»`},
		"over text":                    {"wrong-type", `forEach: "${inputs.names}"`, `forEach: «"${inputs.title}"»`},
		"an output of another type":    {"type-mismatch", `"${len(inputs.title)}"`, `"${«children.root.code»}"`},
		"an output is not given":       {"output-not-given", `count: "${len(inputs.title)}"`, ``},
		"a misspelt output":            {"unknown-property", `count: "${len`, `«conut»: "${len`},
		"a default that is wrong":      {"unknown-member", "{title: string,", `{title: string @default("${inputs.«tilte»}"),`},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(tree, tc.from) < 1 {
				t.Fatalf("the tree has no %q", tc.from)
			}
			broken := strings.Replace(tree, tc.from, tc.to, 1)
			if name == "over a secret" {
				broken = strings.Replace(broken, "names: [string]: string}", "names: {[string]: string} @secret()}", 1)
			}
			before, rest, marked := strings.Cut(broken, "«")
			_, diags := newWorld().compile(t, strings.NewReplacer("«", "", "»", "").Replace(broken))
			diags = errorsOf(diags)
			if len(diags) != 1 || diags[0].Code != tc.code || !strings.HasPrefix(diags[0].Context, "component") || diags[0].Path == "" {
				t.Fatalf("want one %s in a component, got %+v", tc.code, diags)
			}
			meant, _, _ := strings.Cut(rest, "»")
			if !marked || meant == "" || strings.Contains(tc.to, "@default") {
				return // the place is elsewhere
			}
			head := "package test\nname: \"test\"\nversion: \"1.0.0\"\n"
			got := diags[0].Subject
			start := fmt.Sprintf("%d:%d", got.Start.Line, got.Start.Column)
			if diff := cmp.Diff(at(head+before), start); diff != "" || got.End.Column-got.Start.Column != len([]rune(meant)) {
				t.Errorf("it is at %v, want %q (-want +got):\n%s", got, meant, diff)
			}
		})
	}
}

func errorsOf(list diag.List) diag.List {
	var errors diag.List
	for _, d := range list {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	return errors
}

// TestConditionGuards: what an `if` says of null holds for what it guards, in
// steps and in children, and not for names that mean something else there.
func TestConditionGuards(t *testing.T) {
	for name, tc := range map[string]struct{ text, code string }{
		"a step": {`resources: A: {
	inputs: {name: string, note?: string}
	id: "${inputs.name}"
	create: steps: [
		{world: do: what: "make"},
		{if: "${inputs.note != null}", world: do: {what: "${inputs.note}"}},
	]
}`, ""},
		"a step, the other way": {`resources: A: {
	inputs: {name: string, note?: string}
	id: "${inputs.name}"
	create: {if: "${inputs.note == null}", world: do: {what: "${inputs.note}"}}
}`, "null-unguarded"},
		"a child": {`components: A: {
	inputs: {name?: string, list?: [...string]}
	children: {
		one: {type: "o:index:P", if: "${inputs.name != null && len(inputs.name) > 2}", inputs: name: "x${inputs.name}"}
		two: {type: "o:index:P", if: "${inputs.list != null}", inputs: {size: "${len(inputs.list)}"}, options: aliases: ["${inputs.list[0]}"]}
	}
}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, tc.text)
			diags = errorsOf(diags)
			switch {
			case tc.code == "" && len(diags) > 0:
				t.Errorf("%+v", diags)
			case tc.code != "" && (len(diags) != 1 || diags[0].Code != tc.code):
				t.Errorf("want one %s, got %+v", tc.code, diags)
			}
		})
	}
}

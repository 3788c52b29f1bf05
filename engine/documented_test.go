package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExamplesOfResources: vet accepts an example exactly if a program could pass it, and
// documentation can show it as it is.
func TestExamplesOfResources(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ code, example string }{
		"the least":                  {"", `{name: "a"}`},
		"everything":                 {"", `{name: "a", size: 3, rules: [{port: 1, note: "x"}], tags: a: "b", either: 4, file: "./a", folder: "./b", kind: "x"}`},
		"null leaves out":            {"", `{name: "a", size: null}`},
		"a generated name":           {"", `{}`},
		"an unknown input":           {"unknown-member", `{name: "a", «sise»: 3}`},
		"an output":                  {"unknown-member", `{name: "a", «number»: 3}`},
		"of another type":            {"type-mismatch", `{name: "a", size: «"3"»}`},
		"out of bounds":              {"value-not-allowed", `{name: "a", size: «10»}`},
		"no such choice":             {"value-not-allowed", `{name: "a", kind: «"z"»}`},
		"no match of the pattern":    {"value-not-allowed", `{name: «"A"»}`},
		"wrong within a list":        {"value-not-allowed", `{name: "a", rules: [{port: 1}, {port: «0»}]}`},
		"unknown within a list":      {"unknown-member", `{name: "a", rules: [{port: 1, «prot»: 2}]}`},
		"missing within a list":      {"missing-member", `{name: "a", rules: [«{note: "x"}»]}`},
		"wrong within a map":         {"type-mismatch", `{name: "a", tags: {a: "b", c: «1»}}`},
		"no variant":                 {"type-mismatch", `{name: "a", either: «true»}`},
		"an asset that is a number":  {"type-mismatch", `{name: "a", file: «1»}`},
		"a template":                 {"no-templates", `{name: «"${config.name}"»}`},
		"an escaped template":        {"no-templates", `{name: "a", tags: a: «"$${x}"»}`},
		"half a template":            {"no-templates", `{name: "a", tags: a: «"${"»}`},
		"literal in place of a text": {"type-mismatch", `«{name: literal: "a"}»`},
		"literal as a key":           {"", `{name: "a", tags: literal: "b"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marked := `package test
import "declprov.dev/spec"
name: "test"
version: "1.0.0"
file: root: "."
#Rule: {port: int & >0, note?: string}
config: name: string
resources: Thing: {
	inputs: {
		name: =~"^[a-z]+$" @autoname() @replace()
		size?: int & <10 @noRead()
		rules?: [...#Rule] @noRead()
		tags?: [string]: string @noRead()
		either?: "x" | int @noRead()
		kind: *"y" | "x" @noRead()
		file?: spec.#Asset @noRead()
		folder?: spec.#Archive @noRead()
	}
	outputs: number?: int
	id: "${inputs.name}"
	create: file: write: {path: "${inputs.name}", content: "x"}
	read: {file: read: path: "${id}", return: name: "${id}"}
	delete: file: delete: path: "${id}"
	examples: "An example": ` + tc.example + `
}`
			want := ""
			if tc.code != "" {
				from, to := strings.Index(marked, "«"), strings.Index(marked, "»")
				want = fmt.Sprintf("%s %s %s", tc.code, at(marked[:from]), marked[from+len("«"):to])
			}
			text := strings.NewReplacer("«", "", "»", "").Replace(marked)
			_, diags := newWorld().compile(t, text)
			var found []string
			for _, d := range diags {
				found = append(found, fmt.Sprintf("%s %d:%d %s", d.Code, d.Subject.Start.Line, d.Subject.Start.Column, subject(text, d.Subject)))
			}
			if diff := cmp.Diff(want, strings.Join(found, "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/layout"
	"github.com/declprov/declprov/spec/load/loadtest"
)

// TestCommentsOfChains: a comment stays with the field that it documents where formatting adds
// braces.
func TestCommentsOfChains(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"// A.\n// B.\ninputs: b: int @x()\n":      "inputs: {\n\t// A.\n\t// B.\n\tb: int @x()\n}\n",
		"// A.\na: b: int @x() @y()\n":             "// A.\na: {\n\t// A.\n\tb: int @x() @y()\n}\n",
		"// A.\na: b: int\n":                       "// A.\na: b: int\n",
		"// A.\na: {b: int @x()}\n":                "// A.\na: {b: int @x()}\n",
		"// A.\na: int @x()\n":                     "// A.\na: int @x()\n",
		"// A.\na?: [string]: int @x() @y()\n":     "// A.\na?: {[string]: int} @x() @y()\n",
		"a: b: [=~\"^x\"]: int @x()\n":             "a: {b: {[=~\"^x\"]: int} @x()}\n",
		"outputs: b: int @x() @y()\n":              "outputs: {b: int @x() @y()}\n",
		"outputs: b: int @x() // B.\n":             "outputs: {b: int @x()} // B.\n",
		"outputs: a: b?: c!: int @x()\n":           "outputs: a: b?: {c!: int @x()}\n",
		"// A.\noutputs: b?: [string]: int @x()\n": "outputs: {\n\t// A.\n\tb?: {[string]: int} @x()\n}\n",
		"// A.\n\na: b: int @x()\n":                "// A.\n\na: {b: int @x()}\n",
	} {
		for _, text := range []string{before, after} {
			got, err := layout.CUE([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(after, string(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	}
}

// TestFormattingKeepsTheMeaning formats properties of many forms, with and without comments and
// attributes. The model of the spec stays the same.
func TestFormattingKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	blocks := []string{"inputs: {\n%s}", "inputs: %s", "inputs: p: {\n%s}", "inputs: p: %s", "inputs: p: [...{\n%s}]", "inputs: p: [string]: %s", "inputs: {q: string, p: {\n%s}}"}
	comments := []string{"", "// Says what.\n", "// Says\n// what.\n"}
	types := []string{"string", "*5 | int", "[...string]", "[...{k: string}]", "[string]: string", "{[string]: string}", `[=~"^x"]: [string]: string`, "c: string", "c: d: [string]: string", "{c: string}", "{\nc: string\n}"}
	attributes := []string{"", " @secret()", " @secret() @deprecated(\"no\")"}
	for _, block := range blocks {
		for _, kind := range types {
			t.Run(block+kind, func(t *testing.T) {
				t.Parallel()
				for _, comment := range comments {
					for _, attribute := range attributes {
						property := "a?: " + kind + attribute + "\n"
						if strings.Contains(block, "\n%s") {
							property = comment + property
						}
						text := "name: \"xy\"\nversion: \"1.0.0\"\n" + comment + "resources: Thing: {\n" +
							"id: \"x\"\ncreate: exec: command: [\"true\"]\n" + comment + fmt.Sprintf(block, property) + "\n}\n"
						formatted, err := layout.CUE([]byte(text))
						if err != nil {
							t.Fatal(err)
						}
						before := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
						after := loadtest.Model(t, load.Source{Path: "-", Stdin: formatted, Format: "cue"})
						if diff := cmp.Diff(before, after, loadtest.WithoutPlaces()); diff != "" {
							t.Errorf("%s\nformatted as\n%s\nthe model differs (-want +got):\n%s", text, formatted, diff)
						}
					}
				}
			})
		}
	}
}

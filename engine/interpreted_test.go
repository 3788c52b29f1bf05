package engine_test

import (
	"fmt"
	"testing"
)

// TestInterpretedValues: vet warns of a value in a text that a program parses exactly if the type
// of the value allows any text, and no function encodes it.
func TestInterpretedValues(t *testing.T) {
	t.Parallel()
	types := map[string]bool{ // whether it allows any text
		`string`: true, `=~"^[a-z]+$"`: false, `=~"[a-z]"`: true, `"a" | "b"`: false, `int`: false, `bool`: false, `#Name`: false, `#Text`: true,
		`string & !="x"`: true, `*"a" | =~"^[a-z]+$"`: false, `int | =~"^[a-z]+$"`: false, `int | string`: true,
	}
	uses := map[string]bool{ // whether the value is in the text as it is
		"${inputs.v}": true, "${upper(string(inputs.v))}": true, "${base64encode(string(inputs.v))}": false, "${jsonencode(inputs.v)}": false,
		"${string(inputs.v) == 'a' ? 'b' : 'c'}": true, // vet does not follow conditions
	}
	steps := []string{`command: ["psql", "-c", %q]`, `{command: ["psql"], stdin: %q}`, `{shell: "exec psql -q", stdin: %q}`, `{command: ["sudo", "ldapmodify"], stdin: %q}`}
	for typ, free := range types {
		for use, plain := range uses {
			for _, step := range steps {
				t.Run(fmt.Sprint(typ, use, step), func(t *testing.T) {
					t.Parallel()
					n, _ := warnings(t, fmt.Sprintf(`permissions: run: ["psql", "sudo", "sh"]
#Name: =~"^[a-z]+$"
#Text: string
resources: Thing: {
	inputs: v: (%s) @noRead()
	let: {v: "${string(inputs.v)}", encoded: "${base64encode(string(inputs.v))}"}
	id: "x"
	create: exec: %s
	delete: exec: {command: ["psql", "-c", "drop"], env: {A: "${v}", B: "${encoded}"}}
}`, typ, fmt.Sprintf(step, "create role "+use+";")), "bad-call")
					if want := free && plain; n > 0 != want {
						t.Errorf("warned %d times, want %t", n, want)
					}
				})
			}
		}
	}
}

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
	const json = "${jsonencode(inputs.v)}"
	uses := map[string]bool{ // whether the text has characters of the value that the program interprets
		"${inputs.v}": true, "${upper(string(inputs.v))}": true, "${base64encode(string(inputs.v))}": false,
		json: true, // in SQL, a backslash does not keep a quote from ending a name
		"${string(inputs.v) == 'true' ? 'b' : 'c'}": true, // vet does not follow conditions
	}
	steps := map[string]bool{ // whether JSON is a literal in the language of the program
		`command: ["psql", "-c", %q]`: false, `{command: ["psql"], stdin: %q}`: false, `{shell: "exec psql -q", stdin: %q}`: false,
		`{command: ["sudo", "ldapmodify"], stdin: %q}`: false, `{command: ["kubectl", "apply", "-f", "-"], stdin: %q}`: true, `{shell: "exec node", stdin: %q}`: true,
	}
	for typ, free := range types {
		for use, plain := range uses {
			for step, literal := range steps {
				runCase(t, fmt.Sprint(typ, use, step), func(t *testing.T) {
					t.Parallel()
					n, _ := warnings(t, fmt.Sprintf(`permissions: run: ["psql", "sudo", "sh", "kubectl"]
#Name: =~"^[a-z]+$"
#Text: string
resources: Thing: {
	inputs: v: (%s) @noRead()
	let: {v: "${string(inputs.v)}", encoded: "${base64encode(string(inputs.v))}"}
	id: "x"
	create: exec: %s
	delete: exec: {command: ["psql", "-c", "drop"], env: {A: "${v}", B: "${encoded}"}}
}`, typ, fmt.Sprintf(step, "create role "+use+";")), "bad-call")
					if want := free && plain && !(literal && use == json); n > 0 != want {
						t.Errorf("warned %d times, want %t", n, want)
					}
				})
			}
		}
	}
}

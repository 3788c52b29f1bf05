package engine_test

import (
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestImportsOfValuesThatNoProgramMayWrite checks that an import is refused if its text gives an input a value that the type
// of the input does not allow: no program could declare the object. A value that read corrects counts as it was read.
func TestImportsOfValuesThatNoProgramMayWrite(t *testing.T) {
	t.Parallel()
	for typ, parts := range map[string]map[string]bool{
		`"1" | "3"`:           {"1": true, "3": true, "p1": false},
		`=~"^[a-z0-9]+$"`:     {"abc": true, "a-c": false},
		`int & >=1 & <=9`:     {"7": true, "10": false, "p1": false},
		`1 | 2`:               {"1": true, "3": false},
		`string`:              {"p1": true},
		`*"1" | "2"`:          {"2": true, "4": false},
		`number & >=1 & <=50`: {"1.5": true, "99.5": false},
	} {
		for part, fits := range parts {
			for form, text := range map[string]string{`id: "${inputs.project}/${inputs.title}"`: part + "/t", "id: \"${result.n}\"\n\timport: \"${inputs.project}/${id}\"": part + "/7"} {
				for _, shown := range []any{nil, "1", "x-"} {
					t.Run(typ+"/"+part+"/"+form, func(t *testing.T) {
						t.Parallel()
						w := newWorld()
						w.on("get", yields("n", "7", "title", "t"))
						if shown != nil {
							w.on("get", yields("n", "7", "title", "t", "project", shown))
						}
						e, _ := w.engine(t, `resources: Page: {
	inputs: {project: (`+typ+`) @replace(), title: string @replace()}
	`+form+`
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	delete: world: do: what: "remove"
}`)
						out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Page"), State: engine.State{ID: text}, Reason: engine.Import})
						if out.Err != nil {
							if fits && shown == nil {
								t.Errorf("%s is refused: %v", text, out.Err)
							}
							return
						}
						checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Page"), New: out.State.Inputs})
						if err != nil || len(checked.Failures) > 0 || !fits && shown == nil {
							t.Errorf("%s is imported with %v: %v, %v", text, out.State.Inputs, checked.Failures, err)
						}
					})
				}
			}
		}
	}
}

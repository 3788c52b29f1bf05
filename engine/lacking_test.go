package engine_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestOperationsAfterAnImportThatLacksAProperty checks operations that refer to a required property which an import cannot
// give: without a guard nothing is sent, and the error names the property; with one, vet has nothing to say, and the
// operation runs. It makes no difference where the reference is.
func TestOperationsAfterAnImportThatLacksAProperty(t *testing.T) {
	t.Parallel()
	for use, relies := range map[string]bool{
		`{old: "${state.password}"}`:                                          true,
		`{deep: [{old: "${state.password}"}]}`:                                true,
		`"x ${state.password}"`:                                               true,
		`"${upper(state.password)}"`:                                          true,
		`"${state.password}"`:                                                 true,
		`{old: "${state.password ?? null}"}`:                                  false,
		`{old: "${state.password == null ? 'none' : upper(state.password)}"}`: false,
		`{name: "${state.name}"}`:                                             false,
		`{all: "${state}"}`:                                                   false,
		`{given: "${inputs.password}"}`:                                       false,
	} {
		for _, guard := range []string{"", `if: "${state.password != null}", `} {
			for _, verb := range []string{"update", "delete"} {
				t.Run(verb+"/"+guard+use, func(t *testing.T) {
					t.Parallel()
					recorded := verb == "delete" && strings.Contains(use, "inputs.password") // its inputs are the recorded ones
					w := newWorld()
					w.on("get", yields("name", "ann"))
					ops := map[string]string{"update": `{world: do: what: "change"}`, "delete": `{world: do: what: "remove"}`}
					ops[verb] = `{` + guard + `world: do: {what: "sent", with: ` + use + `}}`
					e, _ := w.engine(t, `resources: User: {
	inputs: {name: string @replace(), password: string @secret() @noRead()}
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: `+ops["update"]+`
	delete: `+ops["delete"]+`
}`)
					read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("User"), State: engine.State{ID: "ann"}, Reason: engine.Import})
					if read.Err != nil {
						t.Fatal(read.Err)
					}
					var out engine.Result
					if verb == "update" {
						out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("User"), State: *read.State, Inputs: object("name", "ann", "password", property.New("new").WithSecret(true))})
					} else {
						out.Err = e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("User"), State: *read.State})
					}
					sent := strings.Contains(strings.Join(names(w.log()), " "), "sent")
					switch {
					case recorded || relies && guard == "":
						if out.Err == nil || sent || !strings.Contains(out.Err.Error(), "password") {
							t.Errorf("it was sent: %t, %v", sent, out.Err)
						}
					case out.Err != nil || sent != (guard == ""):
						t.Errorf("it was sent: %t, %v", sent, out.Err)
					}
				})
			}
		}
	}
}

package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// A delete that finds nothing does not wait for its end; what else there is to
// delete is deleted.
func TestADeleteOfWhatIsGone(t *testing.T) {
	const text = `resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: world: do: what: "make"
	delete: steps: [
		{as: "start", world: do: what: "start"},
		{as: "wait", world: look: {what: "wait", with: "op ${steps.start.op}"}, until: "${result.done}"},
		{world: look: {what: "ask", with: "${steps.wait.log}"}},
		{world: do: {what: "others", with: "${inputs.name}"}},
	]
}`
	for _, tc := range []struct {
		name  string
		start actions.Outcome
		want  []string
	}{
		{"there", yields("op", "7"), []string{"start", "wait op 7", "ask x", "others a"}},
		{"gone", actions.Missing(errors.New("404")), []string{"start", "others a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld().on("start", tc.start).on("wait", yields("done", true, "log", "x"))
			e, _ := w.engine(t, text)
			state := created(t, e, "Thing", object("name", "a"))
			w.log()
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, w.log()); diff != "" {
				t.Errorf("what was done (-want +got):\n%s", diff)
			}
		})
	}
}

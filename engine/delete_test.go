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

// What found nothing yields null, which a step with an `if` decides by.
func TestNullsOfADelete(t *testing.T) {
	for _, tc := range []struct {
		name, steps string
		want        []string
	}{
		{"asked for", `{if: "${steps.start != null}", world: do: what: "more"}`, nil},
		{"asked for, then used", `{if: "${steps.start != null}", world: do: {what: "more", with: "${steps.start.status + 1}"}}`, nil},
		{"asked for in an argument", `{if: "${inputs.name != ''}", world: do: {what: "more", with: "${steps.start == null ? 0 : 1}"}}`, nil},
		{"asked for by its short name", `{if: "${result != null}", world: do: what: "more"}`, nil},
		{"not asked for", `{if: "${steps.start.status == 202}", world: do: what: "more"}`, []string{"null-unguarded"}},
		{"without an if", `{world: do: {what: "more", with: "${steps.start.status + 1}"}}`, nil},
		{"an element of it", `{forEach: [1], as: "all", world: ask: what: "a"}, {if: "${steps.all[0].status == 1}", world: do: what: "more"}`, []string{"null-unguarded"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: world: do: what: "make"
	delete: steps: [{as: "start", world: ask: what: "start"}, `+tc.steps+`]
}`)
			var codes []string
			for _, d := range diags {
				codes = append(codes, d.Code)
			}
			if diff := cmp.Diff(tc.want, codes); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, diags)
			}
		})
	}
}

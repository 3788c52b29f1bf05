package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestNewObjectsAreLookedForAgain: for as long as `consistency` says after the create, an object that
// the server does not show is not gone: neither for a refresh, nor for a delete.
func TestNewObjectsAreLookedForAgain(t *testing.T) {
	t.Parallel()
	shown := answers(members("name", "a"))
	hidden := gone("it")
	for name, c := range map[string]struct {
		consistency string
		hidden      int
		gone        bool
		destroy     []string
	}{
		"at once":         {`"5s"`, 0, false, []string{"get", "remove"}},
		"after a while":   {`"5s"`, 2, false, []string{"get", "get", "get", "remove"}},
		"never":           {`"300ms"`, 99, true, nil},
		"not in the spec": {``, 1, true, []string{"remove"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			spec := `resources: Thing: {inputs: name: string, id: "${inputs.name}", create: world: do: what: "make", read: world: ask: what: "get", delete: world: do: what: "remove"`
			if c.consistency != "" {
				spec += ", consistency: " + c.consistency
			}
			e, _ := w.engine(t, spec+"}")
			hide := func() {
				var list []actions.Outcome
				for range c.hidden {
					list = append(list, hidden)
				}
				if c.hidden < 99 {
					list = append(list, shown)
				}
				w.on("get", list...)
			}
			state := created(t, e, "Thing", object("name", "a"))
			hide()
			read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
			if read.Err != nil || read.Gone != c.gone {
				t.Errorf("a refresh: gone %t, %v", read.Gone, read.Err)
			}
			if c.destroy == nil {
				return
			}
			hide()
			w.log()
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.destroy, w.log()); diff != "" {
				t.Errorf("a delete (-want +got):\n%s", diff)
			}
		})
	}
}

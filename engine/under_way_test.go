package engine_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestNothingUnderWayIsUnsettled: while a process works on a create or an update, another provider on the same journal calls
// nothing of it unsettled, whichever call is under way and whatever earlier ones have returned. If the process
// dies there, what it had sent is unsettled. So is what it leaves open while it lives on.
func TestNothingUnderWayIsUnsettled(t *testing.T) {
	t.Parallel()
	nothing := yields()
	for name, tc := range map[string]struct {
		create, update string
		// first is what the first call of an operation returns, and then what all further ones of that name do.
		first, then actions.Outcome
		last        actions.Outcome // what the last step returns
		unsettled   string          // the calls, in order, after whose death something is unsettled
		open        bool            // afterwards, with the process alive
	}{
		"a rename, whose response has the id": {
			update: `{world: post: {what: "first", with: "${inputs.name}"}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  yields("id", "7"), unsettled: "first wait last",
		},
		"a rename, whose response has no id": {
			update: `{world: post: {what: "first", with: "${inputs.name}"}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, unsettled: "first wait last",
		},
		"a rename of two requests": {
			update: `{world: post: {what: "first", with: "${inputs.name}"}}, {world: post: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, unsettled: "first wait last",
		},
		"a safe rename": {
			update: `{world: post: {what: "first", with: "${inputs.name}", safe: true}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, unsettled: "first wait last",
		},
		"an update with a key": {
			update: `{world: post: {what: "first", key: true}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, unsettled: "first wait last",
		},
		"an update of elements": {
			update: `{forEach: [1, 2], world: post: {what: "first", with: "${each.value}"}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, unsettled: "first first wait last",
		},
		"an update that is repeated": {
			update: `{world: post: {what: "first", key: true}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  lost(), then: nothing, unsettled: "first first wait last",
		},
		"an update whose response is lost": {
			update: `{world: post: {what: "first", key: true}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  lost(), then: lost(), unsettled: "first first first first", open: true,
		},
		"an update that fails late": {
			update: `{world: post: {what: "first", with: "${inputs.name}"}}, {world: look: {what: "wait"}}, {world: do: {what: "last"}}`,
			first:  nothing, last: refused("no"), unsettled: "first wait last", open: true,
		},
		"a create": {
			create: `{as: "it", world: post: {what: "first"}}, {world: look: {what: "wait"}}, {world: post: {what: "last"}}`,
			first:  yields("id", "7"), unsettled: "first wait last",
		},
		"a create with a key": {
			create: `{as: "it", world: post: {what: "first", key: true}}, {world: look: {what: "wait"}}, {world: post: {what: "last", key: true}}`,
			first:  yields("id", "7"), unsettled: "first wait last",
		},
		"a create that is undone": {
			create: `{as: "it", world: post: {what: "first"}, onFailure: [{world: do: what: "undo"}]}, {world: look: {what: "wait"}}, {world: post: {what: "last"}}`,
			first:  yields("id", "7"), last: refused("no"), unsettled: "first wait last undo",
		},
		"a lost create that is undone": {
			create: `{as: "it", world: post: {what: "first"}}, {world: look: {what: "wait"}}, {world: post: {what: "last"}, onFailure: [{world: do: {what: "undo", with: "${steps.it.id}"}}]}`,
			first:  yields("id", "7"), last: lost(), unsettled: "first wait last undo",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.journal = t.TempDir()
			create := tc.create
			if create == "" {
				create = `{as: "it", world: post: {what: "make"}}`
			}
			update := ""
			if tc.update != "" {
				update = "update: steps: [" + tc.update + "]"
			}
			spec := `resources: Thing: {
	inputs: name: string
	id: "${steps.it?.id ?? result.id}"
	consistency: "0s"
	create: steps: [` + create + `]
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: {world: look: {what: "read", with: "${id}"}, return: name: "${result.name}"}
	` + update + `
	delete: world: do: {what: "remove", with: "${id}"}
}`
			spec = strings.Replace(spec, `"${steps.it?.id ?? result.id}"`, map[bool]string{true: `"${steps.it.id}"`, false: `"${result.id}"`}[tc.update == ""], 1)
			all := func(journal.Subject) bool { return true }
			var live, dead []string
			look := func(call string) {
				other, _ := w.engine(t, spec)
				for _, i := range other.Unsettled(all) {
					live = append(live, call+": "+string(i.Status))
				}
				later := newWorld()
				later.journal = t.TempDir()
				if err := os.CopyFS(later.journal, os.DirFS(w.journal)); err != nil {
					t.Error(err)
				}
				then, _ := later.engine(t, spec)
				if len(then.Unsettled(all)) > 0 {
					dead = append(dead, call)
				}
			}
			calls := 0
			answer := func(what string, do func() actions.Outcome) {
				w.hooks[what] = func(context.Context, *actions.Call) actions.Outcome {
					look(what)
					return do()
				}
			}
			outcome := func(o actions.Outcome) actions.Outcome {
				if o.Status == 0 && o.Err == nil {
					return nothing
				}
				return o
			}
			answer("first", func() actions.Outcome {
				if calls++; calls > 1 {
					return outcome(tc.then)
				}
				return tc.first
			})
			answer("last", func() actions.Outcome { return outcome(tc.last) })
			for _, what := range []string{"wait", "undo"} {
				answer(what, func() actions.Outcome { return nothing })
			}
			w.on("make", yields("id", "7")).on("find", gone("it")).on("read", yields("name", "a"))
			e, _ := w.engine(t, spec)
			if tc.update == "" {
				e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
			} else {
				was := created(t, e, "Thing", object("name", "a"))
				w.on("read", yields("name", "other"))
				e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: was, Inputs: object("name", "b")})
			}
			if len(live) > 0 {
				t.Errorf("unsettled while it is under way: %v", live)
			}
			if got := strings.Join(dead, " "); got != tc.unsettled {
				t.Errorf("unsettled after a death at %q, want %q", got, tc.unsettled)
			}
			other, _ := w.engine(t, spec)
			if open := other.Unsettled(all); (len(open) > 0) != tc.open {
				t.Errorf("unsettled afterwards: %v, want %v", open, tc.open)
			}
			if journalOpen := slices.ContainsFunc(intents(t, w.journal), journal.Intent.UnderWay); journalOpen {
				t.Error("something is under way afterwards")
			}
		})
	}
}

package engine_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// killedScene is a scene whose provider is killed, and has the journal of that moment afterwards.
func killedScene(t *testing.T, resource string) (*killer, func() *scene) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	return &killer{T: t, w: w}, func() *scene {
		e, _ := w.engine(t, "resources: Thing: {\n"+resource+"\n}")
		return &scene{T: t, w: w, e: e}
	}
}

// TestKilledLoops kills a create at each element of a loop of requests that may take effect twice. The next run goes on
// with the element at which it was killed, also if the loop is the only step.
func TestKilledLoops(t *testing.T) {
	t.Parallel()
	for _, steps := range []string{
		`{as: "main", world: post: {what: "make", with: "${inputs.name}"}}, {forEach: "${inputs.parts}", world: post: {what: "part", with: "${each.value}"}}`,
		`{forEach: "${inputs.parts}", world: post: {what: "part", with: "${each.value}"}}`,
	} {
		for at := 1; at < 3; at++ {
			t.Run(fmt.Sprint(steps, at), func(t *testing.T) {
				t.Parallel()
				k, start := killedScene(t, `inputs: {name: string @replace(), parts: [...string] @replace()}
	id: "${inputs.name}"
	create: steps: [`+steps+`]
	delete: world: do: {what: "remove", with: "${id}"}`)
				made := map[string]int{}
				k.w.hooks["part"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					if len(made) == at {
						k.die()
					}
					made[fmt.Sprint(call.Args["with"])]++
					return yields()
				}
				create := func() engine.Result { return start().create("name", "a", "parts", []any{"x", "y", "z"}) }
				k.run(func() { create() })
				if out := create(); out.Err != nil || out.State == nil {
					t.Fatalf("%+v", out)
				}
				if diff := cmp.Diff(map[string]int{"x": 1, "y": 1, "z": 1}, made); diff != "" {
					t.Errorf("made (-want +got):\n%s", diff)
				}
			})
		}
	}
}

const shownOnce = "s3cret-shown-once"

// TestKilledWithSecrets kills creates whose response has a secret. It is not in the journal, and nothing is made twice: what
// needs the secret is replaced, or refused if its id is not known; the rest continues.
func TestKilledWithSecrets(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		declared, id, uses, more string
		continues, refused       bool
	}{
		"an output that a step uses":       {"outputs: token: string @secret() @noRead()", "steps.main.id", "steps.main.token", "", false, false},
		"an output by another name":        {"outputs: pass: string @secret() @noRead()", "steps.main.id", "steps.main.id", `, return: pass: "${steps.main.token}"`, false, false},
		"an output that nothing uses":      {"", "steps.main.id", "steps.main.id", "", true, false},
		"an input that the response tells": {"", "steps.main.id", "steps.main.echo", "", false, false},
		"an input of the later step":       {"", "steps.main.id", "inputs.pass", "", true, false},
		"the id is not known":              {"outputs: token: string @secret() @noRead()", "steps.part.id", "steps.main.token", "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			undo := ""
			if tc.refused {
				undo = `, onFailure: [{world: do: {what: "remove", with: "${result.id}"}}]`
			}
			k, start := killedScene(t, `inputs: {name: string @replace(), pass: string @secret() @replace()}
	`+tc.declared+`
	id: "${`+tc.id+`}"
	create: {steps: [
		{as: "main", world: post: {what: "make", with: "${inputs.name} ${inputs.pass}"}`+undo+`},
		{as: "part", world: post: {what: "part", with: "${`+tc.uses+`}"}},
		{as: "last", world: post: {what: "last", with: "${steps.main.id}"}},
	]`+tc.more+`}
	delete: world: do: {what: "remove", with: "${id}"}`)
			live, did := 0, []string{}
			k.w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
				live++
				return yields("id", "7", "token", shownOnce, "echo", "the-pass-word")
			}
			k.w.hooks["remove"] = func(context.Context, *actions.Call) actions.Outcome {
				live--
				return yields()
			}
			k.w.hooks["part"] = func(context.Context, *actions.Call) actions.Outcome {
				k.die()
				did = append(did, "part")
				return yields("id", "8")
			}
			k.w.hooks["last"] = func(context.Context, *actions.Call) actions.Outcome {
				return yields("token", shownOnce)
			}
			create := func(s *scene) engine.Result { return s.create("name", "a", "pass", secret("the-pass-word")) }
			k.run(func() { create(start()) })
			if text := folderText(t, k.w.journal); strings.Contains(text, shownOnce) || strings.Contains(text, "the-pass-word") {
				t.Errorf("a secret is in the journal: %s", text)
			}
			s := start()
			out := create(s)
			switch {
			case tc.refused:
				if out.State != nil || out.Err == nil || len(did) > 0 || live != 1 || len(intents(t, k.w.journal)) != 1 {
					t.Errorf("%+v; %d live, did %q", out, live, did)
				}
			case tc.continues:
				if out.State == nil || out.Err != nil || live != 1 || len(did) != 1 {
					t.Errorf("%+v; %d live, did %q", out, live, did)
				}
			default:
				if out.State == nil || out.Err == nil || out.State.ID != "7" || len(did) > 0 || live != 1 {
					t.Fatalf("%+v; %d live, did %q", out, live, did)
				}
				diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: out.State.Inputs})
				if err != nil || !slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace }) {
					t.Errorf("it is not replaced: %+v, %v", diff, err)
				}
			}
		})
	}
}

// folderText returns the text of all files in a folder.
func folderText(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKilledWhileItGoesOn kills the run that goes on with a create that had failed: the next one knows what that has made,
// although Pulumi has recorded nothing of it, and a delete removes it.
func TestKilledWhileItGoesOn(t *testing.T) {
	t.Parallel()
	for _, then := range []string{"up", "destroy"} {
		t.Run(then, func(t *testing.T) {
			t.Parallel()
			k, start := killedScene(t, `inputs: {name: string @replace(), size: int}
	id: "${steps.main.id}"
	create: steps: [
		{as: "main", world: post: {what: "make", with: "${inputs.name}"}},
		{as: "part", world: post: {what: "part", with: "${steps.main.id}"}},
		{as: "last", world: post: {what: "last", with: "${steps.part.id}"}},
	]
	update: world: do: {what: "change", with: "${inputs.size}"}
	delete: steps: [{if: "${made.part}", world: do: what: "remove part"}, {world: do: {what: "remove", with: "${id}"}}]`)
			k.w.on("make", yields("id", "7")).on("part", refused("not yet"), yields("id", "8"))
			var lasts []any
			k.w.hooks["last"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				k.die()
				lasts = append(lasts, call.Args["with"])
				return yields()
			}
			state := start().create("name", "a", "size", 1).State
			k.run(func() { start().update(state, "name", "a", "size", 1) })
			k.w.log()
			s := start()
			if then == "destroy" {
				if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state}); err != nil {
					t.Fatal(err)
				}
				s.calls("remove part", "remove 7")
			} else {
				if out := s.update(state, "name", "a", "size", 1); out.Err != nil || !slices.Equal(lasts, []any{"8"}) {
					t.Errorf("%+v, last was called with %v", out, lasts)
				}
				s.calls("last 8")
			}
			for _, i := range intents(t, k.w.journal) {
				if then == "destroy" && i.Step != 2 { // nobody knows whether that was done
					t.Errorf("in the journal: %+v", i)
				}
			}
		})
	}
}

// TestKilledWhileItIsUndone kills a create that failed while it is undone, before or after the effect of that. The next create
// completes the undo, and makes the object anew: there is one.
func TestKilledWhileItIsUndone(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			k, start := killedScene(t, `inputs: name: string @replace()
	id: "${steps.main.id}"
	create: steps: [
		{as: "main", world: post: {what: "make", with: "${inputs.name}"}, onFailure: [{world: do: {what: "undo", with: "${result.id}"}}]},
		{world: post: {what: "part", with: "${steps.main.id}"}},
	]
	delete: world: do: {what: "remove", with: "${id}"}`)
			live, last := map[string]bool{}, 0
			k.w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
				last++
				live[fmt.Sprint(last)] = true
				return yields("id", fmt.Sprint(last))
			}
			k.w.hooks["undo"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				if !after {
					k.die()
				}
				there := live[fmt.Sprint(call.Args["with"])]
				delete(live, fmt.Sprint(call.Args["with"]))
				k.die()
				if !there {
					return gone("it")
				}
				return yields()
			}
			k.w.on("part", refused("no"), yields())
			k.run(func() { start().create("name", "a") })
			out := start().create("name", "a")
			if out.Err != nil || out.State == nil || !live[out.State.ID] || len(live) != 1 {
				t.Errorf("%+v, live: %v", out, live)
			}
		})
	}
}

// TestNoJournalForParts: a create of several steps sends nothing if what it has made so far cannot be recorded.
func TestNoJournalForParts(t *testing.T) {
	t.Parallel()
	k, start := killedScene(t, `inputs: name: string @replace()
	id: "${steps.main.id}"
	create: steps: [{as: "main", world: post: {what: "make", with: "${inputs.name}"}}, {world: post: {what: "part", with: "${steps.main.id}"}}]
	delete: world: do: {what: "remove", with: "${id}"}`)
	blocked := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k.w.journal = filepath.Join(blocked, "journal")
	s := start()
	if out := s.create("name", "a"); out.Err == nil || out.State != nil {
		t.Errorf("%+v", out)
	}
	s.calls()
}

// TestSettleKilled: what a killed create has made is listed as open, with its id, until it is settled.
func TestSettleKilled(t *testing.T) {
	t.Parallel()
	k, start := killedScene(t, `inputs: name: string @replace()
	id: "${steps.main.id}"
	create: steps: [{as: "main", world: post: {what: "make", with: "${inputs.name}"}}, {world: post: {what: "part", with: "${steps.main.id}"}}]
	read: world: look: what: "get"
	delete: world: do: {what: "remove", with: "${id}"}`)
	k.w.on("make", yields("id", "7")).on("get", yields("name", "a"))
	k.w.hooks["part"] = func(context.Context, *actions.Call) actions.Outcome {
		k.die()
		return yields()
	}
	k.run(func() { start().create("name", "a") })
	s := start()
	open := s.e.Unsettled(func(journal.Subject) bool { return true })
	if len(open) != 1 || open[0].ID != "7" || open[0].StepName == "" || !s.e.Settles(open[0]) {
		t.Fatalf("open: %+v", open)
	}
	k.w.log()
	out, err := s.e.Settle(t.Context(), engine.SettleRequest{Intent: open[0], Delete: true})
	if err != nil || !out.Deleted || out.ID != "7" || out.By != "read" {
		t.Errorf("%+v, %v", out, err)
	}
	s.calls("get", "remove 7")
}

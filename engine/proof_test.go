package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

const provable = `inputs: {name: string, size: int, tags?: [...string], pin?: string @noRead() @secret(), text?: string @equal(trim)}
	id: "${result.id}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: {world: look: {what: "read", with: "${id}"}, gone: "${result.gone ?? false}"}
	create: world: post: {what: "make", with: "${inputs}"}
	delete: world: do: {what: "remove", with: "${id}"}`

// TestOnlyWhatHoldsWhatWasSentIsAdopted: what find finds after a lost response is
// another owner's if it does not hold what was sent, in the same run as in the next
// one, however its properties compare.
func TestOnlyWhatHoldsWhatWasSentIsAdopted(t *testing.T) {
	for name, tc := range map[string]struct {
		seen    []any // what read shows of what is there
		adopted bool
	}{
		"the same":                          {[]any{"name", "a", "size", 1}, true},
		"another size":                      {[]any{"name", "a", "size", 7}, false},
		"another name":                      {[]any{"name", "b", "size", 1}, false},
		"tags that nobody sent":             {[]any{"name", "a", "size", 1, "tags", []any{"x"}}, false},
		"an empty list that nobody sent":    {[]any{"name", "a", "size", 1, "tags", []any{}}, true},
		"a text that means the same":        {[]any{"name", "a", "size", 1, "text", " t "}, true},
		"another text":                      {[]any{"name", "a", "size", 1, "text", "u"}, false},
		"a size of another kind":            {[]any{"name", "a", "size", "many"}, false},
		"nothing that read could find":      {[]any{"gone", true}, true},
		"what read does not say stands":     {[]any{"name", "a", "size", 1, "pin", "0000"}, true},
		"what read never says is not asked": {[]any{"name", "a", "size", 1}, true},
	} {
		for when, finds := range map[string]int{"the same run": 1, "the next run": 2} {
			t.Run(name+"/"+when, func(t *testing.T) {
				hidden := slices.Repeat([]actions.Outcome{gone("it")}, finds)
				w := newWorld().on("make", lost()).on("find", append(hidden, yields("id", "7"))...).on("read", yields(tc.seen...))
				s := newScene(t, w, provable)
				inputs := []any{"name", "a", "size", 1, "pin", secret("1234")}
				if strings.Contains(name, "text") {
					inputs = append(inputs, "text", "t")
				}
				out := s.create(inputs...)
				if finds == 2 {
					if out.Err == nil || out.State != nil {
						t.Fatalf("nothing was found of it, and there is %+v", out)
					}
					out = s.create(inputs...)
				}
				if got := out.State != nil; got != tc.adopted || (out.Err == nil) != tc.adopted {
					t.Fatalf("adopted: %v (%v), and should be: %v", got, out.Err, tc.adopted)
				}
				open := slices.Contains(s.statuses(), journal.Unknown)
				if open == tc.adopted {
					t.Errorf("the create is open: %v", open)
				}
				if calls := w.log(); slices.Contains(calls, "remove 7") {
					t.Errorf("what is there was deleted: %q", calls)
				}
			})
		}
	}
}

// TestOnlyWhatAStepSendsProves: the step of which the response was lost has not sent
// what later ones bring.
func TestOnlyWhatAStepSendsProves(t *testing.T) {
	w := newWorld().on("make", lost()).on("find", gone("it"), yields("id", "7")).on("read", yields("name", "a", "size", 0))
	s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${steps.it.id}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	create: steps: [
		{as: "it", world: post: {what: "make", with: "${inputs.name}"}},
		{world: post: {what: "resize", with: "${inputs.size}", safe: true}},
	]
	delete: world: do: {what: "remove", with: "${id}"}`)
	if out := s.create("name", "a", "size", 1); out.Err != nil || out.State.ID != "7" {
		t.Fatalf("%+v", out)
	}
	s.calls("find a", "make a", "find a", "read 7", "resize 1")
}

// TestWhatCannotBeReadIsNotAdopted: whether it is its own cannot be told then, and the
// next run asks again.
func TestWhatCannotBeReadIsNotAdopted(t *testing.T) {
	w := newWorld().on("make", lost()).on("find", gone("it"), yields("id", "7")).on("read", refused("not now"), yields("name", "a", "size", 1))
	s := newScene(t, w, provable)
	if out := s.create("name", "a", "size", 1); out.Err == nil || out.State != nil || !strings.Contains(out.Err.Error(), "not now") {
		t.Fatalf("%+v", out)
	}
	if out := s.create("name", "a", "size", 1); out.Err != nil || out.State.ID != "7" {
		t.Fatalf("%+v", out)
	}
	if calls := w.log(); slices.Index(calls, "make map[name:a size:1]") != 1 || len(slices.DeleteFunc(calls, func(c string) bool { return !strings.HasPrefix(c, "make") })) != 1 {
		t.Errorf("sent more than once: %q", calls)
	}
}

// TestWhatAnotherResourceHasIsNotAdopted: two resources of a program never have one
// object, whatever find finds.
func TestWhatAnotherResourceHasIsNotAdopted(t *testing.T) {
	w := newWorld().on("find", gone("it")).on("make", yields("id", "7"), lost()).on("read", yields("name", "a", "size", 1))
	s := newScene(t, w, provable)
	mine := s.create("name", "a", "size", 1)
	if mine.Err != nil {
		t.Fatal(mine.Err)
	}
	found := 0
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if found++; found == 1 {
			return gone("it") // a search that lags
		}
		return yields("id", "7")
	}
	second := engine.Ref{Type: "Thing", Name: "second", Key: "urn:second"}
	out := s.e.Create(t.Context(), engine.CreateRequest{Ref: second, Inputs: object("name", "a", "size", 1)})
	if out.Err == nil || out.State != nil || !strings.Contains(out.Err.Error(), "urn:it") {
		t.Fatalf("%+v", out)
	}
	third := engine.Ref{Type: "Thing", Name: "third", Key: "urn:third"}
	out = s.e.Create(t.Context(), engine.CreateRequest{Ref: third, Inputs: object("name", "a", "size", 1)})
	if out.Err == nil || out.State != nil || !strings.Contains(out.Err.Error(), "urn:it") {
		t.Fatalf("%+v", out)
	}
	if list := intents(t, w.journal); len(list) != 2 {
		t.Errorf("in the journal: %+v", list) // the first, which the host has not shown yet, and the second
	}
}

// TestUndoLeavesWhatDoesNotHoldWhatWasSent: what failed may not have made what is
// there now.
func TestUndoLeavesWhatDoesNotHoldWhatWasSent(t *testing.T) {
	for name, tc := range map[string]struct {
		size   any
		undone bool
	}{"its own": {1, true}, "another's": {7, false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", failed("half of it")).on("find", gone("it"), yields("id", "7")).on("read", yields("name", "a", "size", tc.size))
			s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${inputs.name}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	create: {world: post: {what: "make", with: "${inputs}"}, onFailure: [{world: do: {what: "undo", with: "${inputs.name}"}}]}
	delete: world: do: {what: "remove", with: "${id}"}`)
			if out := s.create("name", "a", "size", 1); out.Err == nil {
				t.Fatalf("%+v", out)
			}
			if got := slices.Contains(w.log(), "undo a"); got != tc.undone {
				t.Errorf("undone: %v, and should be: %v", got, tc.undone)
			}
		})
	}
}

// TestARenameTakesNoOthersID: an update whose response was lost moves the resource only
// to what holds what it was to bring there, or what was there before.
func TestARenameTakesNoOthersID(t *testing.T) {
	for name, tc := range map[string]struct {
		size  any
		stays bool // what had the id before is there
		copy  bool // the update makes a copy first
		moved bool
	}{
		"as it was":       {1, false, false, true},
		"as it was to be": {2, false, false, true},
		"another's":       {7, false, false, false},
		"beside the old":  {2, true, false, false},
		"a copy":          {2, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "a")).on("change", lost()).on("find", gone("it"), gone("it"), yields("id", "b"))
			w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				switch {
				case call.Args["with"] == "b":
					return yields("id", "b", "name", "b", "size", tc.size)
				case tc.stays:
					return yields("id", "a", "name", "a", "size", 1)
				}
				return gone("it")
			}
			after := `do: {what: "reload", with: "${id}"}`
			if !tc.copy {
				after = `look: {what: "reload", with: "${id}"}`
			}
			s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${result.id}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	create: world: post: {what: "make", with: "${inputs}"}
	update: steps: [{world: post: {what: "change", with: "${inputs}"}}, {world: `+after+`}]
	delete: world: do: {what: "remove", with: "${id}"}`)
			made := s.create("name", "a", "size", 1)
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			out := s.update(made.State, "name", "b", "size", 2)
			state := made.State
			if out.State != nil {
				state = out.State
			}
			if got := state.Private.ID == "b"; got != tc.moved {
				t.Errorf("it has the id of what was found: %v, and should: %v (%v)", got, tc.moved, out.Err)
			}
		})
	}
}

// TestSettleDoubts: what does not hold what was sent is shown as doubtful, and never
// deleted.
func TestSettleDoubts(t *testing.T) {
	for name, tc := range map[string]struct {
		size    any
		doubted bool
	}{"its own": {1, false}, "another's": {7, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", lost()).on("find", gone("it"), gone("it"), yields("id", "7")).on("read", yields("name", "a", "size", tc.size))
			s := newScene(t, w, provable)
			if out := s.create("name", "a", "size", 1); !errors.Is(out.Err, errLost) {
				t.Fatalf("%+v", out)
			}
			w.log()
			list := intents(t, w.journal)
			out, err := s.e.Settle(t.Context(), engine.SettleRequest{Intent: list[0], Delete: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := out.Doubt != ""; got != tc.doubted || out.Deleted == tc.doubted || !out.Found {
				t.Errorf("%+v", out)
			}
			if got := slices.Contains(w.log(), "remove 7"); got == tc.doubted {
				t.Errorf("deleted: %v", got)
			}
		})
	}
}

// TestWhatAnEarlierCreateWasToldStands: what find finds is no reason to forget what an
// earlier create was told to have made, and which is there; with the same inputs, and
// with others.
func TestWhatAnEarlierCreateWasToldStands(t *testing.T) {
	for name, tc := range map[string]struct {
		there bool
		size  int
	}{
		"there": {true, 1}, "gone": {false, 1}, "there, other inputs": {true, 2}, "gone, other inputs": {false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "17")).on("find", gone("it"), yields("id", "18"))
			w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				if call.Args["with"] == "17" && !tc.there {
					return gone("it")
				}
				return yields("name", "a", "size", 1)
			}
			s := newScene(t, w, provable)
			if out := s.create("name", "a", "size", 1); out.Err != nil {
				t.Fatal(out.Err)
			}
			s.diesBeforeHanding()
			out := s.create("name", "a", "size", tc.size)
			if out.Err == nil || out.State != nil {
				t.Fatalf("%+v", out)
			}
			if got := len(s.statuses()) > 0; got != tc.there {
				t.Errorf("it is listed: %v, and should be: %v (%v)", got, tc.there, out.Err)
			}
		})
	}
}

// TestAFailedMoveStaysListed: a delete that does not find a resource, of which an update
// failed, or was answered and has left nothing to read, does not make that update forgotten.
func TestAFailedMoveStaysListed(t *testing.T) {
	for name, tc := range map[string]struct {
		answer actions.Outcome
		listed bool
		move   actions.Outcome
	}{
		"found": {yields(), false, failed("half of it")}, "not found": {gone("it"), true, failed("half of it")},
		"answered, found": {yields(), false, yields()}, "answered, not found": {gone("it"), true, yields()},
		"with its id, found": {yields(), false, yields("id", "7")}, "with its id, not found": {gone("it"), true, yields("id", "7")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on("move", tc.move).on("find", gone("it")).on("remove", tc.answer)
			w.on("read", gone("it"))
			s := newScene(t, w, `inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	create: {world: post: {what: "make", with: "${inputs}"}, return: serial: "s"}
	read: world: look: {what: "read", with: "${id}"}
	outputs: serial: string
	update: world: post: {what: "move", with: "${inputs}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
			made := s.create("name", "a")
			half := s.update(made.State, "name", "b")
			if half.Err == nil || half.State == nil {
				t.Fatal("the update failed")
			}
			if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *half.State}); err != nil {
				t.Fatal(err)
			}
			if got := len(s.statuses()) > 0; got != tc.listed {
				t.Errorf("the update is listed: %v, and should be: %v", got, tc.listed)
			}
		})
	}
}

// TestSettleDeletesNothingUnread: what cannot be read without a secret that the journal does
// not hold is not deleted before that is given.
func TestSettleDeletesNothingUnread(t *testing.T) {
	for name, tc := range map[string]struct {
		inputs  []any
		size    any
		deleted bool
	}{
		"without the secret":             {nil, 1, false},
		"with the secret":                {[]any{"pin", "1234"}, 1, true},
		"with the secret, and another's": {[]any{"pin", "1234"}, 7, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", lost()).on("find", gone("it"), gone("it"), yields("id", "7")).on("read", yields("name", "a", "size", tc.size))
			s := newScene(t, w, strings.Replace(provable, `{what: "read", with: "${id}"}`, `{what: "read", with: "${inputs.pin ?? ''}"}`, 1))
			if out := s.create("name", "a", "size", 1, "pin", secret("1234")); !errors.Is(out.Err, errLost) {
				t.Fatalf("%+v", out)
			}
			w.log()
			out, err := s.e.Settle(t.Context(), engine.SettleRequest{Intent: intents(t, w.journal)[0], Inputs: object(tc.inputs...), Delete: true})
			if withheld := errors.As(err, new(*engine.WithheldError)); withheld != (tc.inputs == nil) {
				t.Errorf("it asks for the secret: %v (%v)", withheld, err)
			}
			if got := slices.Contains(w.log(), "remove 7"); got != tc.deleted || out.Deleted != tc.deleted {
				t.Errorf("deleted: %v", got)
			}
		})
	}
}

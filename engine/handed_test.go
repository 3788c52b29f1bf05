package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// shelf is a server of things that have a name each, and a journal that outlives engines.
type shelf struct {
	*testing.T
	w    *world
	spec string

	mu     sync.Mutex
	things map[string]string // names by id
	last   int
	dies   string // the call at which the provider dies
	died   bool
}

// newShelf is a shelf for a spec whose create has these steps.
func newShelf(t *testing.T, create, find string) *shelf {
	s := &shelf{T: t, w: newWorld(), things: map[string]string{}}
	s.w.journal = t.TempDir()
	s.spec = `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${steps.it.id}"
	consistency: "0s"
	create: steps: [` + create + `]
	` + find + `
	read: world: look: {what: "read", with: "${id}"}
	update: world: do: {what: "change", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
	s.on("make", func(name string) actions.Outcome { return s.make(name) })
	s.on("find", func(name string) actions.Outcome {
		for id, is := range s.things {
			if is == name {
				return yields("id", id, "name", is)
			}
		}
		return gone("it")
	})
	s.on("read", func(id string) actions.Outcome {
		if name, ok := s.things[id]; ok {
			return yields("id", id, "name", name)
		}
		return gone("it")
	})
	s.on("remove", func(id string) actions.Outcome {
		delete(s.things, id)
		return yields()
	})
	s.on("part", func(string) actions.Outcome { return yields() })
	return s
}

func (s *shelf) on(what string, do func(with string) actions.Outcome) {
	s.w.hooks[what] = func(_ context.Context, call *actions.Call) actions.Outcome {
		s.mu.Lock()
		defer s.mu.Unlock()
		if what == s.dies && !s.died {
			s.died = true
			panic("the provider dies")
		}
		return do(fmt.Sprint(call.Args["with"]))
	}
}

func (s *shelf) make(name string) actions.Outcome {
	s.last++
	id := fmt.Sprint(s.last)
	s.things[id] = name
	return yields("id", id, "name", name)
}

// create creates a resource in a process of its own.
func (s *shelf) create(urn, name string, size int) (out engine.Result) {
	s.Helper()
	e, _ := s.w.engine(s.T, s.spec)
	defer func() { _ = recover() }()
	return e.Create(s.Context(), engine.CreateRequest{Ref: refOf(urn), Inputs: object("name", name, "size", size)})
}

func refOf(urn string) engine.Ref { return engine.Ref{Type: "Thing", Name: urn, Key: "urn:" + urn} }

func (s *shelf) created(urn, name string) engine.State {
	s.Helper()
	out := s.create(urn, name, 1)
	if out.Err != nil || out.State == nil {
		s.Fatalf("%+v", out)
	}
	return *out.State
}

// destroy deletes a resource in a process of its own.
func (s *shelf) destroy(urn string, state engine.State) {
	s.Helper()
	e, _ := s.w.engine(s.T, s.spec)
	if err := e.Delete(s.Context(), engine.DeleteRequest{Ref: refOf(urn), State: state}); err != nil {
		s.Fatal(err)
	}
}

// refused checks that a create takes over nothing and makes nothing.
func (s *shelf) refused(out engine.Result, words ...string) {
	s.Helper()
	if out.State != nil || out.Err == nil {
		s.Fatalf("it is not refused: %+v", out)
	}
	for _, word := range words {
		if !strings.Contains(out.Err.Error(), word) {
			s.Errorf("no %q in: %v", word, out.Err)
		}
	}
	if s.last != 1 {
		s.Errorf("%d things were made", s.last)
	}
}

// key is that of the entry of the create's maker.
func (s *shelf) key() string {
	s.Helper()
	list := intents(s.T, s.w.journal)
	if len(list) == 0 {
		s.Fatal("nothing is in the journal")
	}
	return list[0].Key
}

const (
	byFind     = `find: world: look: {what: "find", with: "${inputs.name}"}`
	findMaker  = `{as: "it", world: post: {what: "make", with: "${inputs.name}"}}`
	keyedMaker = `{as: "it", world: post: {what: "make", with: "${inputs.name}", key: true}}`
	twoParts   = `, {world: post: {what: "part", with: "${steps.it.id}", safe: true}, retry: attempts: 1}, {world: post: {what: "label", with: "${steps.it.id}", safe: true}, retry: attempts: 1}`
)

var makers = map[string][2]string{"found": {findMaker, byFind}, "keyed": {keyedMaker, ""}}

// TestWhatWasHandedIsNotTakenOver: Pulumi has recorded what a create was answered, and the
// stack was renamed since: the same resource of a new stack of the old name is another one.
func TestWhatWasHandedIsNotTakenOver(t *testing.T) {
	for name, maker := range makers {
		for inputs, size := range map[string]int{"the same": 1, "other inputs": 2} {
			t.Run(name+"/"+inputs, func(t *testing.T) {
				s := newShelf(t, maker[0], maker[1])
				s.created("dev", "a")
				key := s.key()
				s.refused(s.create("dev", "a", size), key, "import", `"1"`)
				// Once the user has said that it is another's, it is another create.
				if err := journal.Open(s.w.journal).Settle(intents(t, s.w.journal)[0].Subject, func(i journal.Intent) bool { return i.Key == key }); err != nil {
					t.Fatal(err)
				}
				out := s.create("dev", "a", size)
				if name == "found" {
					s.refused(out, "exists already")
				} else if out.Err != nil || out.State.ID != "2" {
					t.Errorf("%+v", out)
				}
			})
		}
	}
}

// TestWhatWasHandedAndIsGone: a resource was renamed by an alias, and destroyed. What comes
// under its first name later is somebody else's, or made anew.
func TestWhatWasHandedAndIsGone(t *testing.T) {
	for name, maker := range makers {
		for _, foreign := range []string{"", "1", "other"} {
			t.Run(fmt.Sprintf("%s/foreign %s", name, cmp.Or(foreign, "none")), func(t *testing.T) {
				s := newShelf(t, maker[0], maker[1])
				state := s.created("first", "a")
				s.destroy("second", state)
				if foreign != "" {
					s.things[foreign] = "a"
				}
				out := s.create("first", "a", 1)
				switch {
				case foreign == "1":
					s.refused(out, "Pulumi was told of")
				case foreign != "" && name == "found":
					s.refused(out, "exists already")
				case out.Err != nil || out.State.ID != "2":
					t.Errorf("%+v", out)
				}
			})
		}
	}
}

// TestHandedAndHeldByAnother: what another resource of the program is shown to have needs
// nobody's word.
func TestHandedAndHeldByAnother(t *testing.T) {
	s := newShelf(t, keyedMaker, "")
	state := s.created("first", "a")
	e, _ := s.w.engine(t, s.spec)
	if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: refOf("second"), State: state, New: state.Inputs}); err != nil {
		t.Fatal(err)
	}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: refOf("first"), Inputs: state.Inputs})
	if out.Err != nil || out.State.ID != "2" {
		t.Errorf("%+v", out)
	}
}

// TestHandedAndImported: the host was killed before it recorded the answer. Once it is
// imported, as the refusal says, nothing of it stays in the journal.
func TestHandedAndImported(t *testing.T) {
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, maker[0], maker[1])
			s.created("it", "a")
			s.refused(s.create("it", "a", 1), "import", "killed")
			e, _ := s.w.engine(t, s.spec)
			in := e.Read(t.Context(), engine.ReadRequest{Ref: refOf("it"), State: engine.State{ID: "1"}, Reason: engine.Import})
			if in.Err != nil || in.State == nil {
				t.Fatalf("%+v", in)
			}
			if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: refOf("it"), State: *in.State, New: in.State.Inputs}); err != nil {
				t.Fatal(err)
			}
			if list := intents(t, s.w.journal); len(list) != 0 {
				t.Errorf("in the journal: %+v", list)
			}
		})
	}
}

// TestKilledBetweenSteps: what was answered in a run that died before it could hand
// anything is the next run's to go on with.
func TestKilledBetweenSteps(t *testing.T) {
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, maker[0]+twoParts, maker[1])
			keys := []string{}
			makes := s.w.hooks["make"]
			s.w.hooks["make"] = func(ctx context.Context, call *actions.Call) actions.Outcome {
				if keys = append(keys, call.Key); len(keys) > 1 && call.Key == keys[0] {
					return yields("id", "1", "name", "a") // a server that knows the key
				}
				return makes(ctx, call)
			}
			s.dies = "part"
			if out := s.create("it", "a", 1); out.State != nil {
				t.Fatalf("it has not died: %+v", out)
			}
			out := s.create("it", "a", 1)
			if out.Err != nil || out.State == nil || out.State.ID != "1" || s.last != 1 {
				t.Errorf("%d were made: %+v", s.last, out)
			}
		})
	}
}

// TestSettledWithAllItsSteps: what `declprov journal settle --delete` has deleted is
// nobody's: not by the entries of the create's other steps, either.
func TestSettledWithAllItsSteps(t *testing.T) {
	s := newShelf(t, findMaker+twoParts, byFind)
	s.on("label", func(string) actions.Outcome { return yields() })
	s.dies = "label"
	s.create("it", "a", 1)
	var open *journal.Intent
	for _, i := range intents(t, s.w.journal) {
		if i.Open() {
			open = &i
		}
	}
	if open == nil || open.Step != 2 {
		t.Fatalf("%+v", intents(t, s.w.journal))
	}
	e, _ := s.w.engine(t, s.spec)
	settled, err := e.Settle(t.Context(), engine.SettleRequest{Intent: *open, Delete: true})
	if err != nil || !settled.Deleted || len(s.things) != 0 {
		t.Fatalf("%+v %v", settled, err)
	}
	if err := journal.Open(s.w.journal).Settle(open.Subject, func(i journal.Intent) bool { return i.Key == open.Key }); err != nil {
		t.Fatal(err)
	}
	s.things["1"] = "a" // the server gives out the same id
	s.refused(s.create("it", "a", 1), "exists already")
}

// TestSettleDeletesNothingHanded: a state has what was handed.
func TestSettleDeletesNothingHanded(t *testing.T) {
	s := newShelf(t, findMaker, byFind)
	s.created("it", "a")
	list := intents(t, s.w.journal)
	if got := (&scene{T: t, w: s.w}).statuses(); !slices.Equal(got, []journal.Status{journal.Handed}) {
		t.Fatalf("in the journal: %v", got)
	}
	e, _ := s.w.engine(t, s.spec)
	if out, err := e.Settle(t.Context(), engine.SettleRequest{Intent: list[0], Delete: true}); err == nil || out.Deleted || len(s.things) != 1 {
		t.Errorf("%+v %v", out, err)
	}
}

// TestAHandedPartGoesOn: a create that stopped halfway goes on under its own entries,
// although the host has its state.
func TestAHandedPartGoesOn(t *testing.T) {
	s := newShelf(t, keyedMaker+`, {forEach: "${['x', 'y']}", world: post: {what: "part", with: "${each.value}", key: true}, retry: attempts: 1}`, "")
	keys, lost := map[string][]string{}, true
	s.w.hooks["part"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with := fmt.Sprint(call.Args["with"])
		if keys[with] = append(keys[with], call.Key); with == "y" && lost {
			return actions.Outcome{Status: actions.Unknown, Err: errLost}
		}
		return yields()
	}
	half := s.create("it", "a", 1)
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	lost = false
	e, _ := s.w.engine(t, s.spec)
	half.State.Private.Failed.Elements = nil // as where they cannot be stored
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: refOf("it"), State: *half.State, Inputs: half.State.Inputs})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	for with, list := range keys {
		if slices.ContainsFunc(list, func(key string) bool { return key != list[0] }) {
			t.Errorf("%s was sent under the keys %q", with, list)
		}
	}
}

// TestHalfOfItWasHandedAndIsGone: the host was killed before it recorded what a create had
// made by half, and that is gone. What the create left in the journal stops no other one.
func TestHalfOfItWasHandedAndIsGone(t *testing.T) {
	for name, maker := range makers {
		for _, part := range []string{`post: {what: "part", with: "${inputs.name}", key: true}`, `do: {what: "part", with: "${inputs.name}"}`} {
			t.Run(name+"/"+part, func(t *testing.T) {
				s := newShelf(t, maker[0]+`, {world: `+part+`, retry: attempts: 1}`, maker[1])
				lost := true
				s.w.hooks["part"] = func(context.Context, *actions.Call) actions.Outcome {
					if lost {
						return actions.Outcome{Status: actions.Unknown, Err: errLost}
					}
					return yields()
				}
				half := s.create("it", "a", 1)
				if half.Err == nil || half.State == nil {
					t.Fatalf("%+v", half)
				}
				lost = false
				clear(s.things)
				out := s.create("it", "a", 1)
				if out.Err != nil || out.State.ID != "2" {
					t.Errorf("%+v", out)
				}
			})
		}
	}
}

package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// shared is a server that has one object whatever is made, and two resources of one program, a and b.
// In a way, b may come to have a's object.
type shared struct {
	*scene
	loses bool
	// text is the resource in the spec.
	text string
}

// shareSpecs are the ways in which a resource gets its id.
var shareSpecs = map[string]string{
	"a response": `id: "${result.id}"`,
	"the name":   `id: "${inputs.label}"`,
	"a place":    `id: "${result.id}", outputs: place: string`,
}

func newShared(t *testing.T, spec string, read, find bool) *shared {
	t.Helper()
	s := &shared{}
	w := newWorld()
	object := func(context.Context, *actions.Call) actions.Outcome {
		return actions.Succeed(map[string]any{"id": "7", "label": "x", "size": int64(1), "place": "p"})
	}
	looks := map[string]int{}
	var mu sync.Mutex
	w.hooks["make"] = func(ctx context.Context, call *actions.Call) actions.Outcome {
		if s.loses {
			return lost()
		}
		return object(ctx, call)
	}
	w.hooks["find"] = func(ctx context.Context, call *actions.Call) actions.Outcome {
		mu.Lock()
		defer mu.Unlock()
		with := fmt.Sprint(call.Args["with"])
		if looks[with]++; looks[with] == 1 {
			return gone("it")
		}
		return object(ctx, call)
	}
	w.hooks["get"] = object
	text := shareSpecs[spec] + `
	inputs: {label: string @replace(), owner: string, size: int}
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs}"}
	update: world: post: {what: "change", with: "${inputs}"}
	`
	if spec == "a place" {
		text += "delete: world: do: {what: \"remove\", with: \"${state.place}/${id}\"}\n"
	} else {
		text += "delete: world: do: {what: \"remove\", with: \"${id}\"}\n"
	}
	if read {
		text += "read: {world: look: {what: \"get\", with: \"${id}\"}}\n"
	}
	if find {
		text += "find: {world: look: {what: \"find\", with: \"${inputs.owner}\"}}\n"
	}
	s.text, s.scene = text, newScene(t, w, text)
	return s
}

func sharing(name string) (engine.Ref, property.Map) {
	return engine.Ref{Type: "Thing", Name: name, Key: "urn:" + name}, object("label", "x", "owner", name, "size", 1)
}

func (s *shared) made(name string) engine.Result {
	ref, inputs := sharing(name)
	return s.e.Create(s.Context(), engine.CreateRequest{Ref: ref, Inputs: inputs})
}

// TestTwoResourcesShareNoObject creates two resources for which a server has one object, one after the
// other or at once, with or without their responses, with every way to the id. One gets it.
func TestTwoResourcesShareNoObject(t *testing.T) {
	t.Parallel()
	for spec := range shareSpecs {
		for _, read := range []bool{true, false} {
			for _, find := range []bool{true, false} {
				for _, loses := range []bool{true, false} {
					for _, atOnce := range []bool{true, false} {
						if loses && !find {
							continue // nothing could adopt anything
						}
						t.Run(fmt.Sprintf("%s, read %v, find %v, lost %v, at once %v", spec, read, find, loses, atOnce), func(t *testing.T) {
							t.Parallel()
							s := newShared(t, spec, read, find)
							s.loses = loses
							s.createTwo(t, atOnce)
						})
					}
				}
			}
		}
	}
}

func (s *shared) createTwo(t *testing.T, atOnce bool) {
	t.Helper()
	var results [2]engine.Result
	if atOnce {
		var wait, ready sync.WaitGroup
		ready.Add(2)
		for i, name := range []string{"a", "b"} {
			wait.Go(func() {
				ready.Done()
				ready.Wait()
				results[i] = s.made(name)
			})
		}
		wait.Wait()
	} else {
		results[0], results[1] = s.made("a"), s.made("b")
	}
	states := slices.DeleteFunc(slices.Clone(results[:]), func(r engine.Result) bool { return r.State == nil })
	if len(states) != 1 {
		t.Fatalf("%d resources have the object: %+v", len(states), results)
	}
	if states[0].Err != nil {
		t.Errorf("the one that has it: %v", states[0].Err)
	}
	if slices.ContainsFunc(s.w.log(), func(call string) bool { return len(call) > 6 && call[:6] == "remove" }) {
		t.Error("the object was removed")
	}
}

// TestWhoseObjectAResponseNames creates a resource whose response names the object that another one
// has in the recorded state. That is refused if the program of this run keeps that object. If it does
// not, the resource may have another name now, and its old one must not delete the object. If the response
// is lost, find finds it, and nothing that any other resource is known to have is adopted.
func TestWhoseObjectAResponseNames(t *testing.T) {
	t.Parallel()
	ref, inputs := sharing("a")
	cases := []struct {
		name    string
		shows   func(t *testing.T, e *engine.Engine, s engine.State)
		refused bool
	}{
		{"nothing shows it", func(*testing.T, *engine.Engine, engine.State) {}, false},
		{"a read shows it", func(t *testing.T, e *engine.Engine, s engine.State) {
			t.Helper()
			if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref, State: s}); out.Err != nil {
				t.Fatal(out.Err)
			}
		}, false},
		{"it is unchanged", func(t *testing.T, e *engine.Engine, s engine.State) { t.Helper(); differs(t, e, s, inputs) }, true},
		{"it is to be updated", func(t *testing.T, e *engine.Engine, s engine.State) {
			t.Helper()
			differs(t, e, s, inputs.Set("size", property.New(2.0)))
		}, true},
		{"it is to be replaced", func(t *testing.T, e *engine.Engine, s engine.State) {
			t.Helper()
			differs(t, e, s, inputs.Set("label", property.New("y")))
		}, false},
		{"it was updated", func(t *testing.T, e *engine.Engine, s engine.State) {
			t.Helper()
			if out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: s, Inputs: inputs.Set("size", property.New(2.0))}); out.Err != nil {
				t.Fatal(out.Err)
			}
		}, true},
	}
	for _, tc := range cases {
		t.Run(tc.name+", lost", func(t *testing.T) {
			t.Parallel()
			s := newShared(t, "a response", true, true)
			a := s.made("a")
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			s.e, _ = s.w.engine(t, "resources: Thing: {"+s.text+"}")
			tc.shows(t, s.e, *a.State)
			s.loses = true
			refused := tc.name != "nothing shows it"
			if b := s.made("b"); (b.Err != nil) != refused || (b.State == nil) != refused {
				t.Fatalf("refused: %v, want %v: %v", b.Err != nil, refused, b.Err)
			}
		})
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, "a response", true, false)
			a := s.made("a")
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			s.e, _ = s.w.engine(t, "resources: Thing: {"+s.text+"}") // the next run
			tc.shows(t, s.e, *a.State)
			if b := s.made("b"); (b.Err != nil) != tc.refused || (b.State == nil) != tc.refused {
				t.Fatalf("refused: %v, want %v: %v", b.Err != nil, tc.refused, b.Err)
			}
			s.w.log()
			if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref, State: *a.State}); err != nil {
				t.Fatal(err)
			}
			if deleted := len(s.w.log()) > 0; deleted != tc.refused {
				t.Errorf("the object is deleted: %v, want %v", deleted, tc.refused)
			}
		})
	}
}

// TestImportsOfAnotherResourcesObject imports the object of one resource as another one. That is refused
// if the program has both, whichever comes first, and whatever has become of them since; the object is
// only moved if the program does not have the first one any more.
func TestImportsOfAnotherResourcesObject(t *testing.T) {
	t.Parallel()
	shown := map[string]func(t *testing.T, e *engine.Engine, a engine.State) error{
		"a is unchanged": func(t *testing.T, e *engine.Engine, a engine.State) error {
			ref, inputs := sharing("a")
			_, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref, State: a, New: inputs})
			return err
		},
		"a is updated": func(t *testing.T, e *engine.Engine, a engine.State) error {
			ref, inputs := sharing("a")
			return e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: a, Inputs: inputs.Set("size", property.New(2.0))}).Err
		},
	}
	for spec := range shareSpecs {
		for how, showA := range shown {
			t.Run(spec+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newShared(t, spec, true, false)
				a := s.made("a")
				if a.Err != nil {
					t.Fatal(a.Err)
				}
				refA, inputs := sharing("a")
				refB, _ := sharing("b")
				imports := func(e *engine.Engine) engine.Result {
					return e.Read(t.Context(), engine.ReadRequest{Ref: refB, State: engine.State{ID: a.State.ID}, Reason: engine.Import})
				}
				first, _ := s.w.engine(t, "resources: Thing: {"+s.text+"}")
				if err := showA(t, first, *a.State); err != nil {
					t.Fatal(err)
				}
				if b := imports(first); b.Err == nil || b.State != nil {
					t.Errorf("imported after a: %+v", b)
				}
				second, _ := s.w.engine(t, "resources: Thing: {"+s.text+"}")
				b := imports(second)
				if b.Err != nil {
					t.Fatal(b.Err)
				}
				if _, err := second.Diff(t.Context(), engine.DiffRequest{Ref: refA, State: *a.State, New: inputs}); err == nil {
					t.Error("a has b's object, too, and nothing says so")
				}
				for _, size := range []float64{1, 2} {
					later, _ := s.w.engine(t, "resources: Thing: {"+s.text+"}")
					if err := showA(t, later, *a.State); err != nil {
						t.Fatal(err)
					}
					for _, now := range []property.Map{inputs.Set("size", property.New(size)), inputs.Set("label", property.New("y"))} {
						if _, err := later.Diff(t.Context(), engine.DiffRequest{Ref: refB, State: *b.State, New: now}); err == nil {
							t.Errorf("b with %v does not say that a has its object", now)
						}
					}
				}
				s.w.log()
				replaced, _ := s.w.engine(t, "resources: Thing: {"+s.text+"}")
				if _, err := replaced.Diff(t.Context(), engine.DiffRequest{Ref: refB, State: *b.State, New: inputs.Set("label", property.New("y"))}); err != nil {
					t.Fatal(err)
				}
				if _, err := replaced.Diff(t.Context(), engine.DiffRequest{Ref: refA, State: *a.State, New: inputs}); err == nil {
					t.Error("b is replaced, and nothing says that a has its object")
				}
				if err := replaced.Delete(t.Context(), engine.DeleteRequest{Ref: refB, State: *b.State}); err != nil {
					t.Fatal(err)
				}
				moved, _ := s.w.engine(t, "resources: Thing: {"+s.text+"}")
				if b := imports(moved); b.Err != nil {
					t.Fatal(b.Err)
				}
				if err := moved.Delete(t.Context(), engine.DeleteRequest{Ref: refA, State: *a.State}); err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(s.w.log(), func(call string) bool { return strings.HasPrefix(call, "remove") }) {
					t.Error("the object was deleted with its former resource")
				}
			})
		}
	}
}

func differs(t *testing.T, e *engine.Engine, s engine.State, inputs property.Map) {
	t.Helper()
	ref, _ := sharing("a")
	if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref, State: s, New: inputs}); err != nil {
		t.Fatal(err)
	}
}

// TestUpdateThatNamesAnotherObject updates a resource, and the response names the object of another one:
// its id stays what it was.
func TestUpdateThatNamesAnotherObject(t *testing.T) {
	t.Parallel()
	w := newWorld().on("make", yields("id", "7"), yields("id", "8")).on("change", yields("id", "7"))
	s := newScene(t, w, `inputs: size: int
	id: "${result.id}"
	create: world: post: what: "make"
	update: world: do: {what: "change", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
	other := engine.Ref{Type: "Thing", Name: "other", Key: "urn:other"}
	first := s.e.Create(t.Context(), engine.CreateRequest{Ref: other, Inputs: object("size", 1)})
	made := s.create("size", 1)
	if first.Err != nil || made.Err != nil {
		t.Fatal(first.Err, made.Err)
	}
	out := s.update(made.State, "size", 2)
	if out.Err == nil || out.State == nil || out.State.ID != "8" || out.State.Private.ID != "" {
		t.Fatalf("%+v", out)
	}
	w.log()
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
		t.Fatal(err)
	}
	s.calls("remove 8")
}

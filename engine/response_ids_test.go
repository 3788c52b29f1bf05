package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestIDsOfResponsesToUpdates: the response to an update may name the id of anything. Whatever it names, what really
// happened, and what read tells, no later request changes or deletes an object of somebody else, nothing of it is recorded,
// and the resource keeps its own object unless nothing tells what became of it.
func TestIDsOfResponsesToUpdates(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"response", "inputs", "mixed"} {
		for _, says := range []string{"its id", "nobody's", "theirs", "none", "a job", "a list"} {
			for _, renames := range []bool{false, true} {
				for _, read := range []string{"shows it", "shows no id", "redirects", "fails", "is missing"} {
					for _, find := range []bool{false, true} {
						for _, lost := range []bool{false, true} {
							of := responseIDs{form, says, renames, read, find, lost}
							runCase(t, fmt.Sprintf("%+v", of), func(t *testing.T) {
								t.Parallel()
								of.run(t)
							})
						}
					}
				}
			}
		}
	}
}

// responseIDs is an update, and what its response says of the id.
type responseIDs struct {
	form, says string
	// renames is true if the object has another id since.
	renames bool
	// read says what read shows from the update to the next refresh.
	read string
	find bool
	lost bool
}

// mustKeep reports whether the resource has its object in the end. Only of an object with another id may it not be
// known which it has, unless the inputs that were sent give it, or the response and a read or find, or the server redirects.
func (c responseIDs) mustKeep() bool {
	switch {
	case !c.renames || c.read == "redirects":
		return true
	case c.form == "inputs":
		return !c.lost
	default:
		return !c.lost && c.says == "its id" && c.read != "fails" && (c.read != "is missing" || c.find)
	}
}

// responseIDServer has objects by their full ids. moved are the new ids by the former ones.
type responseIDServer struct {
	of      responseIDs
	objects map[string]map[string]any
	moved   map[string]string
	busy    bool // from the first update to the next refresh
	first   bool // the next update is the first
}

// id returns the full id of an object.
func (c responseIDs) id(name, zone, number any) string {
	switch c.form {
	case "inputs":
		return fmt.Sprint(name)
	case "mixed":
		return fmt.Sprintf("%v/%v", zone, number)
	default:
		return fmt.Sprint(number)
	}
}

// at returns the id that an id leads to.
func (a *responseIDServer) at(id string) string {
	if now, ok := a.moved[id]; ok && a.of.read == "redirects" {
		return now
	}
	return id
}

func (a *responseIDServer) make(_ context.Context, call *actions.Call) actions.Outcome {
	o := maps.Clone(call.Args["with"].(map[string]any))
	o["id"], o["owner"] = "7", "ours"
	a.objects[a.of.id(o["name"], o["zone"], o["id"])] = o
	return actions.Succeed(o)
}

func (a *responseIDServer) show(o map[string]any) actions.Outcome {
	if o == nil {
		return gone("it")
	}
	shown := maps.Clone(o)
	if a.of.read == "shows no id" {
		delete(shown, "id")
	}
	return actions.Succeed(shown)
}

func (a *responseIDServer) get(_ context.Context, call *actions.Call) actions.Outcome {
	if a.busy && a.of.read == "fails" {
		return refused("it is down")
	}
	return a.show(a.objects[a.at(call.Args["with"].(string))])
}

func (a *responseIDServer) look(_ context.Context, call *actions.Call) actions.Outcome {
	for _, o := range a.objects {
		if o["name"] == call.Args["with"] {
			return actions.Succeed(maps.Clone(o))
		}
	}
	return gone("it")
}

func (a *responseIDServer) change(t *testing.T, call *actions.Call) actions.Outcome {
	with := call.Args["with"].(map[string]any)
	was := a.at(with["was"].(string))
	o := a.objects[was]
	switch {
	case o == nil:
		return gone("it")
	case o["owner"] != "ours":
		t.Errorf("an object of somebody else is changed: %v", call.Args)
		return refused("it is theirs")
	}
	first := a.first
	a.first = false
	for _, name := range []string{"name", "zone", "note"} {
		o[name] = with[name]
	}
	if first && a.of.renames {
		o["id"] = "8"
	}
	now := a.of.id(o["name"], o["zone"], o["id"])
	delete(a.objects, was)
	a.objects[now] = o
	if now != was {
		a.moved[was] = now
	}
	if !first {
		return actions.Succeed(maps.Clone(o))
	}
	if a.busy = true; a.of.lost {
		return lost()
	}
	switch a.of.says {
	case "its id":
		return actions.Succeed(maps.Clone(o))
	case "nobody's":
		return yields("id", "99")
	case "theirs":
		return yields("id", "1", "owner", "theirs")
	case "a job":
		return yields("id", "1", "state", "queued")
	case "a list":
		return actions.Succeed([]any{map[string]any{"id": "1"}})
	default:
		return yields()
	}
}

func (a *responseIDServer) remove(t *testing.T, call *actions.Call) actions.Outcome {
	id := a.at(call.Args["with"].(string))
	o := a.objects[id]
	if o == nil {
		return gone("it")
	}
	if o["owner"] != "ours" {
		t.Errorf("an object of somebody else is deleted: %v", call.Args)
	}
	delete(a.objects, id)
	return yields()
}

func (c responseIDs) run(t *testing.T) {
	t.Helper()
	theirs := map[string]any{"id": "1", "owner": "theirs", "name": "precious", "zone": "y", "note": "b"}
	a := &responseIDServer{of: c, moved: map[string]string{}, first: true, objects: map[string]map[string]any{"1": theirs, "z/1": theirs, "y/1": theirs, "precious": theirs}}
	w := newWorld()
	w.hooks["make"], w.hooks["get"], w.hooks["find"] = a.make, a.get, a.look
	w.hooks["change"] = func(_ context.Context, call *actions.Call) actions.Outcome { return a.change(t, call) }
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome { return a.remove(t, call) }
	more := ""
	if c.read != "is missing" {
		more += `
	read: world: look: {what: "get", with: "${id}"}`
	}
	if c.find {
		more += `
	find: world: look: {what: "find", with: "${inputs.name}"}`
	}
	id := map[string]string{"response": "${result.id}", "inputs": "${inputs.name}", "mixed": "${inputs.zone}/${result.id}"}[c.form]
	s := newScene(t, w, `inputs: {name: string, zone: string, note: string}
	outputs: owner?: string
	id: "`+id+`"
	consistency: "1ms"
	create: world: post: {what: "make", with: "${inputs}"}
	update: world: post: {what: "change", with: {was: "${id}", name: "${inputs.name}", zone: "${inputs.zone}", note: "${inputs.note}"}}
	delete: world: do: {what: "remove", with: "${id}"}`+more)
	made := s.create("name", "a", "zone", "z", "note", "a")
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	state, name, zone := *made.State, "a", "z"
	if c.renames {
		name, zone = "b", "y"
	}
	owns := func(out engine.Result) {
		t.Helper()
		if out.State == nil {
			return
		}
		if state = *out.State; c.form != "inputs" && state.Outputs.Get("owner").IsString() && state.Outputs.Get("owner").AsString() != "ours" {
			t.Errorf("what is somebody else's is recorded: %+v", state.Outputs)
		}
	}
	owns(s.update(&state, "name", name, "zone", zone, "note", "b"))
	a.busy = false
	read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
	if owns(read); read.Gone && c.mustKeep() {
		t.Fatal("the refresh takes it for gone")
	}
	if read.Gone {
		return
	}
	second := s.update(&state, "name", name, "zone", zone, "note", "c")
	owns(second)
	if c.mustKeep() && (second.Err != nil || a.ours()["note"] != "c") {
		t.Errorf("the second update: %v, and the objects are %v", second.Err, a.objects)
	}
	err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state})
	if c.mustKeep() && (err != nil || a.ours() != nil) {
		t.Errorf("the delete: %v, and the objects are %v", err, a.objects)
	}
}

// ours returns the object of the resource.
func (a *responseIDServer) ours() map[string]any {
	for _, o := range a.objects {
		if o["owner"] == "ours" {
			return o
		}
	}
	return nil
}

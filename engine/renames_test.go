package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestLostRenamesAmongOthers loses the response to an update that renames an object, and then somebody
// else has an object under the old or the new name. Whatever the next program does, the object of somebody
// else stays as it is. What a stable output shows is taken for granted; if nothing shows whose objects
// they are, nothing is changed, and the rename stays in the journal.
func TestLostRenamesAmongOthers(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{true, false} {
		for _, killed := range []bool{true, false} {
			for _, theirs := range []string{"none", "the same", "another size"} {
				for _, stable := range []bool{true, false} {
					for _, next := range []string{"delete", "revert", "again", "a third", "refresh"} {
						of := renameCase{done, killed, theirs, stable, next}
						runCase(t, fmt.Sprintf("%+v", of), func(t *testing.T) {
							t.Parallel()
							losesRename(t, of)
						})
					}
				}
			}
		}
	}
}

// renameCase is what becomes of a rename from x to y.
type renameCase struct {
	done bool
	// killed is true if the process dies, which could look otherwise before anybody else does anything.
	killed bool
	// theirs is the object of somebody else: under x if the rename was done, else under y.
	theirs string
	stable bool
	next   string
}

// mayTell reports whether anything shows which of the objects is whose.
func (c renameCase) mayTell() bool {
	return c.theirs != "the same" || c.stable || c.done && !c.killed
}

func losesRename(t *testing.T, of renameCase) {
	t.Helper()
	objects := map[string]map[string]any{}
	loses := false
	w := newWorld()
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with := call.Args["with"].(map[string]any)
		objects[with["name"].(string)] = map[string]any{"size": with["size"], "uid": "ours"}
		return yields()
	}
	look := func(_ context.Context, call *actions.Call) actions.Outcome {
		name := call.Args["with"].(string)
		o := objects[name]
		if o == nil {
			return actions.Missing(errLost)
		}
		shown := maps.Clone(o)
		if shown["name"] = name; !of.stable {
			delete(shown, "uid")
		}
		return actions.Succeed(shown)
	}
	w.hooks["get"], w.hooks["find"] = look, look
	w.hooks["change"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with := call.Args["with"].(map[string]any)
		was, now := with["was"].(string), with["name"].(string)
		if !loses || of.done {
			o := objects[was]
			if o == nil || was != now && objects[now] != nil {
				return actions.Refuse(errLost)
			}
			delete(objects, was)
			o["size"] = with["size"]
			objects[now] = o
		}
		switch {
		case loses && of.killed:
			panic("it dies")
		case loses:
			return lost()
		}
		return yields()
	}
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		delete(objects, call.Args["with"].(string))
		return yields()
	}
	outputs := ""
	if of.stable {
		outputs = "outputs: uid: string @stable()\n"
	}
	s := newScene(t, w, `inputs: {name: string, size: int}
	`+outputs+`id: "${inputs.name}"
	create: world: post: {what: "make", with: "${inputs}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "get", with: "${id}"}
	update: {world: post: {what: "change", with: {was: "${id}", name: "${inputs.name}", size: "${inputs.size}"}}, retry: attempts: 1}
	delete: world: do: {what: "remove", with: "${id}"}`)
	state := *s.create("name", "x", "size", 1).State
	loses = true
	func() {
		defer func() { _ = recover() }()
		if out := s.update(&state, "name", "y", "size", 1); out.State != nil {
			state = *out.State
		}
	}()
	loses = false
	ours, free := "x", "y"
	if of.done {
		ours, free = "y", "x"
	}
	if of.theirs != "none" {
		size := int64(1)
		if of.theirs != "the same" {
			size = 5
		}
		objects[free] = map[string]any{"size": size, "uid": "theirs"}
	}
	before := maps.Clone(objects[free])
	err := s.goesOn(t, &state, of.next)
	if diff := cmp.Diff(before, objects[free]); of.theirs != "none" && diff != "" {
		t.Errorf("the object of somebody else (-want +got):\n%s", diff)
	}
	if of.theirs != "none" && !of.mayTell() {
		if err == nil || len(s.statuses()) == 0 || objects[ours] == nil {
			t.Errorf("nothing shows whose the objects are: %v, journal %v, objects %v", err, s.statuses(), objects)
		}
		return
	}
	want := map[string]string{"delete": "", "revert": "x", "again": "y", "a third": "z", "refresh": ours}[of.next]
	taken := of.theirs != "none" && want == free
	if (err != nil) != taken {
		t.Fatal(err)
	}
	if taken {
		want = ours
	}
	for _, name := range []string{"x", "y", "z"} {
		if o := objects[name]; (o != nil && o["uid"] == "ours") != (name == want) {
			t.Errorf("the object has not the name %q: %v", want, objects)
		}
	}
}

// goesOn runs what follows a lost rename.
func (s *scene) goesOn(t *testing.T, state *engine.State, next string) error {
	t.Helper()
	switch next {
	case "delete":
		return s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state})
	case "refresh":
		return s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *state, Reason: engine.Refresh}).Err
	}
	program := map[string]property.Map{
		"revert": object("name", "x", "size", 1), "again": object("name", "y", "size", 1), "a third": object("name", "z", "size", 1),
	}[next]
	return s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: program}).Err
}

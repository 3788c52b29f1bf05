package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestUpdatesOfGoneObjects interrupts an update, and a refresh then finds that the object is gone. The update is
// no longer open, unless it may have given the object a name under which nothing has looked for it. If the host
// does not record what the refresh has found, and the object is there again, the update still counts as interrupted.
func TestUpdatesOfGoneObjects(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"lost", "killed"} {
		for _, changes := range []string{"size", "name"} {
			for id, also := range map[string]string{
				"${inputs.name}": "",
				"${result.id}":   "find: {world: look: what: \"find\", return: \"${result}\"}\n",
			} {
				for _, withheld := range []bool{false, true} {
					if withheld && also == "" {
						continue // an id is not secret
					}
					t.Run(fmt.Sprintf("%s, changes %s, id %s, secret %v", fault, changes, id, withheld), func(t *testing.T) {
						t.Parallel()
						g := newGoneUpdate(t, fault, id, also, withheld)
						looked := changes == "size" || also != "" && !withheld
						g.interrupts(t, changes, withheld, looked)
					})
				}
			}
		}
	}
}

type goneUpdate struct {
	*scene
	objects map[string]map[string]any // by name
}

func newGoneUpdate(t *testing.T, fault, id, also string, secret bool) *goneUpdate {
	t.Helper()
	w := newWorld()
	g := &goneUpdate{objects: map[string]map[string]any{}}
	look := func(_ context.Context, call *actions.Call) actions.Outcome {
		name, _ := call.Args["with"].(string)
		for _, o := range g.objects {
			if o["name"] == name || o["id"] == name {
				return actions.Succeed(maps.Clone(o))
			}
		}
		return actions.Missing(errLost)
	}
	w.hooks["get"], w.hooks["find"] = look, look
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with, _ := call.Args["with"].(map[string]any)
		made := maps.Clone(with)
		made["id"] = "7"
		g.objects["it"] = made
		return actions.Succeed(maps.Clone(made))
	}
	w.hooks["patch"] = func(context.Context, *actions.Call) actions.Outcome {
		if fault == "killed" {
			panic("it dies")
		}
		return lost()
	}
	mark := ""
	if secret {
		mark = " @secret()"
	}
	if also != "" {
		also = `find: {world: look: {what: "find", with: "${inputs.name}"}}
	`
	}
	g.scene = newScene(t, w, `inputs: {name: string`+mark+`, size: int}
	id: "`+id+`"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: {what: "get", with: "${id}"}
	update: world: post: {what: "patch", with: {id: "${id}", to: "${inputs}"}}
	delete: world: do: what: "remove"
	`+also)
	return g
}

func (g *goneUpdate) interrupts(t *testing.T, changes string, secret, looked bool) {
	t.Helper()
	inputs := func(name string, size float64) property.Map {
		return object("size", size).Set("name", property.New(name).WithSecret(secret))
	}
	made := g.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs("it", 1)})
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	state, next := *made.State, inputs("it", 2)
	if changes == "name" {
		next = inputs("other", 1)
	}
	func() {
		defer func() { _ = recover() }()
		if out := g.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: next}); out.State != nil {
			state = *out.State
		}
	}()
	there := g.objects["it"]
	delete(g.objects, "it")
	out := g.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
	if !out.Gone {
		t.Fatalf("the refresh: %+v", out)
	}
	open := slices.ContainsFunc(g.statuses(), func(s journal.Status) bool { return s == journal.Begun || s == journal.Unknown })
	if open == looked {
		t.Errorf("the journal has %v, open %v", g.statuses(), open)
	}
	g.objects["it"] = there
	diff, err := g.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: made.State.Inputs})
	if err != nil || len(diff.Changes) == 0 && !diff.Force {
		t.Errorf("the host would send no update: %+v, %v", diff, err)
	}
}

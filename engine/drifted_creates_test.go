package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// driftedCreate is a create that stops halfway. A refresh then shows what somebody else has changed, and the next runs complete it.
type driftedCreate struct {
	// stops is where the create stops: at a later step with an effect, which sends tags, at a wait, or at the read at its end.
	stops string
	// drifts are the members that somebody changes before the refresh.
	drifts string
	// wants are the members that the program changes before the next run, too.
	wants string
	// between is what comes between the refresh and the run that completes the create: nothing, another refresh, a run that stops again, or
	// one of which only the last read fails.
	between string
	// update is what the update sends: all inputs, the changes, or nothing, because the spec has none.
	update string
}

func (d driftedCreate) String() string {
	return fmt.Sprintf("stops at %s, drifts %q, wants %q, %s, update %s", d.stops, d.drifts, d.wants, d.between, d.update)
}

func driftedCreates() (all []driftedCreate) {
	for _, stops := range []string{"part", "wait", "read"} {
		for _, drifts := range []string{"", "size", "tags", "size tags", "kind", "size kind"} {
			for _, wants := range []string{"", "size", "tags"} {
				for _, between := range []string{"nothing", "refresh", "stops", "read fails"} {
					for _, update := range []string{"all", "changes", "none"} {
						all = append(all, driftedCreate{stops, drifts, wants, between, update})
					}
				}
			}
		}
	}
	return all
}

// driftingObject is the object of a service. Its requests fail while the service says so.
type driftingObject struct {
	values map[string]any
	fails  map[string]bool
	sent   []string
}

func (o *driftingObject) world() *world {
	w := newWorld()
	set := func(with any) {
		for name, v := range with.(map[string]any) {
			o.values[name] = v
		}
	}
	request := func(what string, do func(with any)) {
		w.hooks[what] = func(_ context.Context, call *actions.Call) actions.Outcome {
			if o.fails[what] {
				return refused(what)
			}
			if what != "get" && what != "wait" {
				o.sent = append(o.sent, what)
			}
			do(call.Args["with"])
			return yields("id", "7", "uid", "u1", "name", "a", "size", o.values["size"], "tags", o.values["tags"], "kind", o.values["kind"])
		}
	}
	request("make", set)
	request("part", set)
	request("wait", func(any) {})
	request("get", func(any) {})
	request("change", set)
	return w
}

func (d driftedCreate) spec() string {
	update := map[string]string{
		"all":     `update: world: do: {what: "change", with: "${{size: inputs.size, tags: inputs.tags}}"}`,
		"changes": `update: world: do: {what: "change", with: "${changes}"}`,
		"none":    "",
	}[d.update]
	return `inputs: {name: string @replace(), size: string, tags: string, kind: string @replace()}
	outputs: uid: string
	id: "${steps.it.id}"
	create: {steps: [
		{as: "it", world: post: {what: "make", with: "${{size: inputs.size, kind: inputs.kind}}"}},
		{world: post: {safe: true, what: "part", with: "${{tags: inputs.tags}}"}},
		{world: look: {what: "wait"}},
	], return: "${null}"}
	read: world: look: {what: "get"}
	` + update + `
	delete: world: do: {what: "remove", with: "${id}"}`
}

func (d driftedCreate) inputs(mark map[string]string) property.Map {
	m := object("name", "a", "size", "s1", "tags", "t1", "kind", "k1")
	for name, v := range mark {
		m = m.Set(name, property.New(v))
	}
	return m
}

func (d driftedCreate) play(t *testing.T) {
	o := &driftingObject{values: map[string]any{"size": "", "tags": "", "kind": ""}, fails: map[string]bool{}}
	s := newScene(t, o.world(), d.spec())
	stop := map[string]string{"part": "part", "wait": "wait", "read": "get"}[d.stops]
	o.fails[stop] = true
	wanted := d.inputs(nil)
	out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: wanted})
	if out.State == nil || out.Err == nil {
		t.Fatalf("the create does not stop: %+v", out)
	}
	state := *out.State
	o.fails[stop] = false
	for _, name := range strings.Fields(d.drifts) {
		o.values[name] = "theirs"
	}
	refresh := func() {
		t.Helper()
		read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if read.State == nil || read.Err != nil {
			t.Fatalf("refresh: %+v", read)
		}
		state = *read.State
	}
	refresh()
	change := map[string]string{}
	for _, name := range strings.Fields(d.wants) {
		change[name] = "new"
	}
	wanted = d.inputs(change)
	// up updates as a host does, which keeps the recorded inputs if that fails. It returns false if the host would replace the object.
	up := func(failed bool) (updated bool, err error) {
		t.Helper()
		diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: wanted})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace }) {
			return false, nil
		}
		if len(diff.Changes) == 0 && !diff.Force && !failed {
			return true, nil
		}
		out := s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: wanted})
		if out.State == nil {
			t.Fatalf("the update leaves no state: %v", out.Err)
		}
		before := state.Inputs
		state = *out.State
		if state.Inputs = wanted; out.Err != nil {
			state.Inputs = before
		}
		return true, out.Err
	}
	switch d.between {
	case "refresh":
		refresh()
	case "stops", "read fails":
		what := stop
		if d.between == "read fails" {
			what = "get"
		}
		o.fails[what] = true
		if updated, _ := up(true); !updated {
			return
		}
		o.fails[what] = false
	}
	o.sent = nil
	updated, err := up(true)
	for range 2 {
		if err != nil {
			updated, err = up(true)
		}
	}
	d.judge(t, o, wanted, updated, err)
	if o.sent = nil; err == nil && updated {
		if _, err := up(false); err != nil || len(o.sent) > 0 {
			t.Errorf("the second run sends %v, %v", o.sent, err)
		}
	}
}

// judge compares the object with what the program wants, and what was sent with what had to be.
func (d driftedCreate) judge(t *testing.T, o *driftingObject, wanted property.Map, updated bool, err error) {
	t.Helper()
	replaces := strings.Contains(d.drifts, "kind") || d.update == "none" && d.drifts+d.wants != ""
	switch {
	case !updated:
		if !replaces {
			t.Error("it would be replaced")
		}
	case err != nil:
		t.Errorf("it is not completed: %v", err)
	default:
		for _, name := range []string{"size", "tags", "kind"} {
			if got, want := o.values[name], wanted.Get(name).AsString(); got != want {
				t.Errorf("the state has %s %q, the object %q", name, want, got)
			}
		}
		if changes := strings.Count(strings.Join(o.sent, " "), "change"); changes > 1 || d.drifts+d.wants == "" && changes > 0 && d.between != "read fails" {
			t.Errorf("sent %v", o.sent)
		}
	}
}

// TestDriftedCreates: what somebody has changed in an object whose create stopped halfway, and a refresh has shown, is brought back by the
// run that completes the create, or the object is replaced. The state never has what the object has not.
func TestDriftedCreates(t *testing.T) {
	t.Parallel()
	for _, d := range driftedCreates() {
		runCase(t, d.String(), func(t *testing.T) {
			t.Parallel()
			d.play(t)
		})
	}
}

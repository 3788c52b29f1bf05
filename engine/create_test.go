package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// twoSteps makes a thing, then does something more to it.
const twoSteps = `resources: Thing: {
	inputs: {name: string, size: *1 | int}
	outputs: {url: string}
	id: "${steps.made.id}"
	create: steps: [
		{as: "made", world: do: {what: "make", with: "${inputs.name}"}},
		{as: "more", world: do: {what: "finish", with: "${steps.made.id}"}},
	]
	read: world: look: what: "read"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: {what: "remove", with: "${id}"}
	return: {url: "${result.url}", name: "${inputs.name}", size: "${inputs.size}"}
}`

func TestCreateFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		answers  map[string][]actions.Outcome
		calls    []string
		kept     bool
		step     int // of the failure that is kept
		mentions string
	}{
		"a refusal of the first effect leaves nothing": {
			answers: map[string][]actions.Outcome{"make": {refused("no such plan")}},
			calls:   []string{"make a"}, mentions: "no such plan",
		},
		"a failure of the second keeps the first": {
			answers: map[string][]actions.Outcome{"make": {yields("id", "7")}, "finish": {refused("disk is full")}},
			calls:   []string{"make a", "finish 7"}, kept: true, step: 1, mentions: "step 2",
		},
		"an effect of which the id is not known cannot be kept": {
			answers: map[string][]actions.Outcome{"make": {failed("broken pipe")}},
			calls:   []string{"make a"}, mentions: "something may have been made",
		},
		"not found in a create is an error": {
			answers: map[string][]actions.Outcome{"make": {gone("the parent")}},
			calls:   []string{"make a"}, mentions: "the parent is not there",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.answers = tc.answers
			e, _ := w.engine(t, twoSteps)
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a"))})
			if diff := cmp.Diff(tc.calls, w.log()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if out.Err == nil || !strings.Contains(out.Err.Error(), tc.mentions) {
				t.Errorf("error %v does not mention %q", out.Err, tc.mentions)
			}
			if (out.State != nil) != tc.kept {
				t.Fatalf("kept: %v", out.State)
			}
			if tc.kept && (out.State.ID != "7" || out.State.Private.Failed == nil || out.State.Private.Failed.Step != tc.step) {
				t.Errorf("kept as %+v", out.State)
			}
		})
	}
}

// The next run goes on at the failed step if the inputs are the same, and
// updates with everything as changed if they are not.
func TestCreateGoesOn(t *testing.T) {
	w := newWorld().on("make", yields("id", "7")).on("finish", failed("flaky"), yields("url", "u"))
	e, _ := w.engine(t, twoSteps)
	inputs := check(t, e, "Thing", object("name", "a"))
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	w.log()

	same, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *half.State, New: inputs})
	if err != nil || !same.Force || len(same.Changes) != 0 {
		t.Fatalf("an unfinished create is due without a change: %+v, %v", same, err)
	}
	log := &recorder{}
	whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs, Log: log})
	if len(log.messages) != 1 || !strings.Contains(log.messages[0], `"more"`) {
		t.Errorf("it says by name at which step it goes on: %q", log.messages)
	}
	if whole.Err != nil || whole.State.Private.Failed != nil || whole.State.Outputs.Get("url").AsString() != "u" {
		t.Fatalf("gone on: %+v", whole)
	}
	if diff := cmp.Diff([]string{"finish 7"}, w.log()); diff != "" {
		t.Errorf("only the failed step runs again (-want +got):\n%s", diff)
	}

	w.on("finish", yields("url", "u")).on("change", refused("no such size"))
	odd := check(t, e, "Thing", object("name", "a", "size", 3))
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: odd})
	if out.Err == nil || out.State == nil || out.State.Private.Failed != nil || !out.State.Inputs.Equals(inputs) {
		t.Fatalf("an update that changed nothing leaves what the create has finished: %+v", out)
	}
	w.log()

	w.on("finish", yields("url", "u")).on("change", yields("url", "v"))
	other := check(t, e, "Thing", object("name", "a", "size", 2))
	changed := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: other})
	if changed.Err != nil || changed.State.Private.Failed != nil {
		t.Fatalf("changed: %+v", changed)
	}
	if diff := cmp.Diff([]string{"finish 7", "change map[name:a size:2]"}, w.log()); diff != "" {
		t.Errorf("what is half made is made whole, then changed, and all inputs count as changed (-want +got):\n%s", diff)
	}

	w.on("finish", failed("flaky"), yields("url", "u")).on("change", yields("url", "w"))
	instead := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: other})
	if instead.Err != nil || instead.State.Private.Failed != nil {
		t.Fatalf("changed instead: %+v", instead)
	}
	if diff := cmp.Diff([]string{"finish 7", "finish 7", "change map[name:a size:2]"}, w.log()); diff != "" {
		t.Errorf("what fails once more is made with the inputs of now, and all inputs count as changed (-want +got):\n%s", diff)
	}
}

const undoing = `resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: steps: [
		{as: "a", world: do: {what: "make", with: 1}, onFailure: [{world: do: {what: "unmake", with: "${steps.a.key}"}}]},
		{world: do: {what: "make", with: 2}, onFailure: [{world: do: {what: "unmake", with: 2}}]},
		{world: do: what: "finish"},
	]
	delete: world: do: what: "remove"
}`

func TestUndo(t *testing.T) {
	w := newWorld().on("make", yields("key", "k")).on("finish", refused("no"))
	e, _ := w.engine(t, undoing)
	inputs := check(t, e, "Thing", object("name", "x"))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if out.Err == nil || out.State != nil {
		t.Fatalf("all was undone, so nothing is left: %+v", out)
	}
	if diff := cmp.Diff([]string{"make 1", "make 2", "finish", "unmake 2", "unmake k"}, w.log()); diff != "" {
		t.Errorf("undo runs backwards (-want +got):\n%s", diff)
	}
	w.on("unmake", failed("stuck"))
	out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if out.State == nil || !strings.Contains(out.Err.Error(), "stuck") || !strings.Contains(out.Err.Error(), "no") {
		t.Fatalf("what could not be undone is kept, with both errors: %+v", out)
	}
}

// Undo also happens when the time is up, or the user cancels.
func TestUndoAfterTimeout(t *testing.T) {
	w := newWorld().on("make", yields("key", "k"))
	w.hooks["finish"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
		<-ctx.Done()
		return actions.Refuse(ctx.Err())
	}
	e, _ := w.engine(t, undoing)
	out := e.Create(t.Context(), engine.CreateRequest{
		Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "x")), Timeout: 20 * time.Millisecond,
	})
	if out.State != nil || !errors.Is(out.Err, context.DeadlineExceeded) {
		t.Fatalf("out of time: %+v", out)
	}
	if log := w.log(); log[len(log)-1] != "unmake k" {
		t.Errorf("not undone: %v", log)
	}
}

// A create that yields no required output is read; not found is then waited out.
func TestReadAfterCreate(t *testing.T) {
	spec := strings.Replace(twoSteps, "return: {url", `consistency: "5s"
	return: {url`, 1)
	w := newWorld().on("make", yields("id", "7")).on("read", gone("it"), yields("url", "late"))
	w.on("finish", yields())
	e, _ := w.engine(t, spec)
	state := created(t, e, "Thing", object("name", "a"))
	if got := state.Outputs.Get("url").AsString(); got != "late" {
		t.Errorf("url is %q", got)
	}
	if diff := cmp.Diff([]string{"make a", "finish 7", "read", "read"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPreviewRunsNothing(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, `resources: Thing: {
		inputs: {name: string, tag?: string}
		outputs: {url: string, label: string}
		id: "${result.id}"
		create: steps: [
			{as: "valid", preview: true, world: look: {what: "validate", with: "${inputs.name}"}},
			{world: do: what: "make"},
		]
		return: {url: "${result.url}", label: "thing-${inputs.name}"}
	}`)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "tag", unknown), Preview: true})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	want := object("name", "a", "tag", unknown, "url", unknown, "label", unknown)
	if diff := cmp.Diff(want, out.State.Outputs, values); diff != "" || out.State.ID != "" {
		t.Errorf("id %q, outputs (-want +got):\n%s", out.State.ID, diff)
	}
	if diff := cmp.Diff([]string{"validate a"}, w.log()); diff != "" {
		t.Errorf("only the step that says preview runs (-want +got):\n%s", diff)
	}
	e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", unknown), Preview: true})
	if calls := w.log(); len(calls) != 0 {
		t.Errorf("with an unknown argument it does not: %v", calls)
	}
}

// A step that made something and was then judged wrong tells its undo, and the
// id, what it made.
func TestJudgedWrong(t *testing.T) {
	const text = `resources: Thing: {
		inputs: name: string
		id: "${result.id}"
		create: {as: "start", world: do: {what: "make"}, fail: "${result.error}"%s}
		delete: world: do: what: "remove"
	}`
	cases := []struct {
		name, undo string
		kept       bool
		calls      []string
	}{
		{"kept under the id that it answered", "", true, []string{"make"}},
		{"undone by what it answered", `, onFailure: [{world: do: {what: "unmake", with: "${result.id} ${steps.start.id}"}}]`, false, []string{"make", "unmake 7 7"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7", "error", "no quota"))
			e, _ := w.engine(t, fmt.Sprintf(text, tc.undo))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
			if out.Err == nil || !strings.Contains(out.Err.Error(), "no quota") {
				t.Errorf("error: %v", out.Err)
			}
			if kept := out.State != nil && out.State.ID == "7" && out.State.Private.Failed != nil; kept != tc.kept {
				t.Errorf("kept: %+v", out.State)
			}
			if diff := cmp.Diff(tc.calls, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What has no undo stays, though a later step could be undone: the resource is
// kept, and the next run goes on with the step that was undone.
func TestUndoOfAPart(t *testing.T) {
	w := newWorld().on("base", yields("id", "7")).on("part", yields("id", "8")).on("finish", failed("no"), yields())
	e, _ := w.engine(t, `resources: Thing: {
		inputs: name: string
		id: "${steps.base.id}"
		create: steps: [
			{as: "base", world: do: what: "base"},
			{as: "part", world: do: what: "part", onFailure: [{world: do: {what: "unmake", with: "${steps.part.id}"}}]},
			{world: do: what: "finish"},
		]
		delete: world: do: what: "remove"
	}`)
	inputs := object("name", "a")
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if half.Err == nil || half.State == nil || half.State.ID != "7" || half.State.Private.Failed.Step != 2 || !slices.Equal(half.State.Private.Failed.Undone, []int{1}) {
		t.Fatalf("%+v", half)
	}
	whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs})
	if whole.Err != nil || whole.State.Private.Failed != nil {
		t.Fatalf("%+v", whole)
	}
	if diff := cmp.Diff([]string{"base", "part", "finish", "unmake 8", "part", "finish"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A create that worked, and of which no id can be told, is undone.
func TestNoID(t *testing.T) {
	w := newWorld().on("make", yields("key", "k"))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: name: string
		id: "${result.id}"
		create: {world: do: what: "make", onFailure: [{world: do: {what: "unmake", with: "${result.key}"}}]}
		delete: world: do: what: "remove"
	}`)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "no id") {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff([]string{"make", "unmake k"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A preview does not fail on what it cannot know yet, wherever in a step.
func TestPreviewOfUnknownConditions(t *testing.T) {
	for _, key := range []string{`if: "${inputs.on}"`, `lock: "${inputs.name}"`, `timeout: "${inputs.name}"`, `until: "${inputs.on}"`, `forEach: "${inputs.list}"`} {
		w := newWorld()
		e, _ := w.engine(t, `resources: Thing: {
			inputs: {name: string, on: bool, list: [...string]}
			id: "${result.id}"
			create: steps: [
				{as: "valid", preview: true, `+key+`, world: look: what: "validate"},
				{world: do: what: "make"},
			]
		}`)
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", unknown, "on", unknown, "list", unknown), Preview: true})
		if out.Err != nil {
			t.Errorf("%s: %v", key, out.Err)
		}
	}
}

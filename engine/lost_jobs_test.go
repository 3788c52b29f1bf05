package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// lostJob is a create of which a step waits for a job that its response names, and whose response is lost.
type lostJob struct {
	wait  string // how the wait refers to the response
	loses string // how the response is lost
	finds bool   // whether find returns what the wait refers to, too
}

func (k lostJob) String() string {
	return fmt.Sprintf("%s, %s, find tells it %t", k.wait, k.loses, k.finds)
}

// asks reports whether the wait asks for the job: if anything tells it.
func (k lostJob) asks() bool {
	return k.loses == "no id" || k.finds && k.wait != "status"
}

// lostWaits are the steps of the waits, by how they refer to the response. The first request of each is for "poll".
var lostWaits = map[string]string{
	"argument":    `{world: look: {what: "poll", with: "${steps.request.body.job}"}, until: "${result.done}", every: "1ms"}`,
	"condition":   `{if: "${steps.request.body.job != null}", world: look: {what: "poll", with: "${steps.request.body.id}"}, until: "${result.done}", every: "1ms"}`,
	"status":      `{if: "${steps.request.status == 202}", world: look: {what: "poll", with: "${steps.request.body.id}"}, until: "${result.done}", every: "1ms"}`,
	"elements":    `{forEach: "${steps.request.body.jobs}", world: look: {what: "poll", with: "${each.value}"}, until: "${result.done}", every: "1ms"}`,
	"two steps":   `{as: "operation", world: look: {what: "poll", with: "${steps.request.body.job}"}}, {world: look: {what: "again", with: "${steps.operation.job}"}, until: "${result.done}", every: "1ms"}`,
	"with effect": `{world: post: {safe: true, what: "poll", with: "${steps.request.body.job}"}, until: "${result.done}", every: "1ms"}`,
}

func (k lostJob) spec() string {
	return `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${steps.request.body.id}"
	consistency: "0s"
	create: {steps: [{as: "request", world: answer: {what: "make", with: "${inputs}"}, retry: {on: ["connection"], backoff: "1ms"}}, ` + lostWaits[k.wait] + `], return: {}}
	find: world: ask: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "get", with: "${id}"}
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`
}

// play lets the response be lost, and runs the create until it fails or succeeds.
func (k lostJob) play(t *testing.T) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	kill, made := &killer{T: t, w: w}, 0
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		made++
		switch told := map[string]any{"job": "job 0", "jobs": []any{"job 0"}}; k.loses {
		case "no id":
			return actions.Succeed(map[string]any{"status": 202, "body": told})
		case "retried":
			return actions.Outcome{Status: actions.Unknown, Err: errLost, Class: "connection"}
		}
		kill.die()
		return actions.Outcome{}
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if made == 0 {
			return gone("it")
		}
		body := map[string]any{"id": "7"}
		if k.finds {
			body["job"], body["jobs"] = "job 0", []any{"job 0"}
		}
		return actions.Succeed(map[string]any{"status": 200, "body": body})
	}
	w.on("get", yields("id", "7", "name", "a", "size", 1)).on("poll", yields("done", true, "job", "job 0")).on("again", yields("done", true))
	e, _ := w.engine(t, k.spec())
	create := func(size int) engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", size)})
	}
	var out engine.Result
	switch k.loses {
	case "killed":
		kill.run(func() { create(1) })
		e, _ = w.engine(t, k.spec())
		out = create(1)
	case "killed, other inputs":
		kill.run(func() { create(1) })
		e, _ = w.engine(t, k.spec())
		if out = create(2); out.State == nil {
			t.Fatal(out.Err)
		}
		out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: object("name", "a", "size", 2)})
	default:
		out = create(1)
	}
	calls := w.log()
	asked := slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, "poll ") })
	if asked != k.asks() || slices.Contains(calls, "poll") || !k.asks() && slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, "again") }) {
		t.Errorf("calls: %q", calls)
	}
	if done := out.Err == nil; done != k.asks() {
		t.Errorf("it is done: %t, %v", done, out.Err)
	}
	if out.State == nil || out.State.ID != "7" || (out.State.Private.Failed == nil) != k.asks() || made != 1 {
		t.Errorf("%d were made, and this is kept: %+v", made, out.State)
	}
}

// TestLostJobs: if find stands for a response that was lost, a step that waits for what only the response told is not sent, nor
// counts as done. What a response without the id tells is not lost.
func TestLostJobs(t *testing.T) {
	t.Parallel()
	for wait := range lostWaits {
		for _, loses := range []string{"killed", "killed, other inputs", "retried", "no id"} {
			for _, finds := range []bool{true, false} {
				k := lostJob{wait, loses, finds}
				runCase(t, k.String(), func(t *testing.T) {
					t.Parallel()
					k.play(t)
				})
			}
		}
	}
}

// absentJob is a create that has stopped while it asked for its job, and goes on once the server does not know the job any more.
type absentJob struct {
	verb  string // create, update
	step  string // poll (until), check (fail), ask (neither), relied (a later step needs its result), returned (the outputs are from its result)
	looks string // read, find, nothing
	is    string // there, other (its size is another one: of an update, the one of before), absent
}

func (k absentJob) String() string {
	return fmt.Sprintf("%s, %s, %s, %s", k.verb, k.step, k.looks, k.is)
}

// ends reports whether the create ends with success: if the object shows that it was done.
func (k absentJob) ends() bool {
	switch {
	case k.step == "relied" || k.is == "absent":
		return false
	case k.looks == "read":
		return k.is == "there"
	default:
		return k.looks == "find" && k.verb == "create" // find does not show the size
	}
}

func (k absentJob) spec() string {
	step := map[string]string{
		"poll":   `{world: look: {what: "job", with: "${steps.request.job}"}, until: "${result.done}", every: "1ms"}`,
		"check":  `{world: look: {what: "job", with: "${steps.request.job}"}, fail: "${result.error}"}`,
		"ask":    `{world: look: {what: "job", with: "${steps.request.job}"}}`,
		"relied": `{as: "job", world: look: {what: "job", with: "${steps.request.job}"}, until: "${result.done}", every: "1ms"}, {world: do: {what: "tag", with: "${steps.job.tag}"}}`,
	}[k.step]
	step, returns := cmp.Or(step, `{as: "job", world: look: {what: "job", with: "${steps.request.job}"}, until: "${result.done}", every: "1ms"}`), `{}`
	if k.step == "returned" {
		returns = `{color: "${steps.job.color}"}`
	}
	looks := map[string]string{"read": `read: world: look: {what: "get", with: "${id}"}`, "find": `find: world: look: {what: "find", with: "${inputs.name}"}`}[k.looks]
	make, change := `world: post: {key: true, what: "make", with: "${inputs}"}`, `world: post: {safe: true, what: "change", with: "${changes}"}`
	if k.verb == "create" {
		make = `{steps: [{as: "request", ` + make + `}, ` + step + `], return: ` + returns + `}`
	} else {
		make, change = `{`+make+`, return: {}}`, `{steps: [{as: "request", `+change+`}, `+step+`], return: `+returns+`}`
	}
	return `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	outputs: color?: string
	id: "${` + map[string]string{"create": "steps.request.id", "update": "result.id"}[k.verb] + `}"
	consistency: "0s"
	create: ` + make + `
	` + looks + `
	update: ` + change + `
	delete: world: do: what: "remove"
}`
}

// TestAbsentJobs: a create that goes on, and whose operation the server does not know any more, is done if the object shows what was
// sent. Else it fails, and is kept. The run that has sent the request does not conclude anything: the server may not show the operation yet.
func TestAbsentJobs(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"create", "update"} {
		for _, step := range []string{"poll", "check", "ask", "relied", "returned"} {
			for _, looks := range []string{"read", "find", "nothing"} {
				for _, is := range []string{"there", "other", "absent"} {
					k := absentJob{verb, step, looks, is}
					runCase(t, k.String(), func(t *testing.T) {
						t.Parallel()
						k.play(t)
					})
				}
			}
		}
	}
}

func (k absentJob) play(t *testing.T) {
	t.Helper()
	w := newWorld().on("make", yields("id", "7", "job", "job 0")).on("change", yields("job", "job 0")).on("job", gone("the job"))
	w.journal = t.TempDir()
	shown := map[string]actions.Outcome{"there": yields("id", "7", "name", "a", "size", 1, "color", "red"), "other": yields("id", "7", "name", "a", "size", 3, "color", "red"), "absent": gone("it")}[k.is]
	w.on("get", shown).on("find", gone("it"))
	e, _ := w.engine(t, k.spec())
	inputs := object("name", "a", "size", 1)
	first := inputs
	if k.verb == "update" {
		first = object("name", "a", "size", 3)
	}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: first})
	up := func() {
		out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: inputs})
	}
	if k.verb == "update" {
		w.on("find", shown)
		up()
	}
	if out.Err == nil || out.State == nil || out.State.Private.Failed == nil {
		t.Fatalf("the first run concludes something: %+v", out)
	}
	w.on("find", shown).log()
	for range 2 {
		up()
		if (out.Err == nil) != k.ends() || out.State == nil || (out.State.Private.Failed == nil) != k.ends() || out.State.ID != "7" {
			t.Fatalf("it is to end with success: %t, and this is kept: %+v, %v", k.ends(), out.State, out.Err)
		}
	}
	if color := out.State.Outputs.Get("color"); k.ends() && k.looks == "read" && k.step == "returned" && (!color.IsString() || color.AsString() != "red") {
		t.Errorf("its color is %v", color)
	}
	asked := 0
	for _, call := range w.log() {
		switch {
		case call == "job job 0":
			asked++
		case !strings.HasPrefix(call, "get ") && !strings.HasPrefix(call, "find "):
			t.Errorf("%s was sent", call)
		}
	}
	if k.ends() && asked != 1 {
		t.Errorf("the job was asked for %d times", asked)
	}
	if !k.ends() && k.looks == "read" && k.is != "there" && !(k.verb == "create" && k.is == "other") {
		k.remedy(t, w, e, *out.State)
	}
}

// remedy does what the error says, a refresh and an up, and requires that this ends it.
func (k absentJob) remedy(t *testing.T, w *world, e *engine.Engine, state engine.State) {
	t.Helper()
	inputs := object("name", "a", "size", 1)
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
	if seen.Err != nil || seen.Gone != (k.is == "absent") {
		t.Fatalf("%+v", seen)
	}
	w.on("get", yields("id", "7", "name", "a", "size", 1)).on("job", yields("done", true, "tag", "red", "color", "red")).log()
	var out engine.Result
	if seen.Gone {
		out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	} else {
		out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *seen.State, Inputs: inputs})
	}
	sends := "make "
	if !seen.Gone {
		sends = "change "
	}
	if sent := w.log(); out.Err != nil || !slices.ContainsFunc(sent, func(call string) bool { return strings.HasPrefix(call, sends) }) {
		t.Errorf("%q, %v", sent, out.Err)
	}
}

package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
)

// likeHTTP is the engine of a spec whose actions are the world's under the name
// of http: their results have a body, which templates may call by that alone.
func likeHTTP(t *testing.T, w *world, resources string) *engine.Engine {
	t.Helper()
	family := w.family()
	family.Name, family.Shorthands = "http", true
	for _, k := range family.Kinds() {
		analyze := k.Analyze
		k.Analyze = func(s actions.Static) actions.Facts {
			f := analyze(s)
			f.Result = &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "body", Type: &spec.Type{}, Required: true}}}
			return f
		}
	}
	text := "package test\nname: \"test\"\nversion: \"1.0.0\"\n" + resources
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	prog, diags := engine.Compile(doc.Provider, []*actions.Family{family})
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := prog.Configure(t.Context(), object(), engine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func body(kv ...any) actions.Outcome {
	return actions.Succeed(map[string]any{"body": yields(kv...).Result})
}

// Each attempt of a step sees what stood before the step, and only its own
// conditions see its answer.
func TestAnswersInScope(t *testing.T) {
	w := newWorld().on("start", body("job", "j")).on("poll", body("done", false), body("done", true, "id", "7"))
	e := likeHTTP(t, w, `resources: Thing: {
		inputs: {name: string, more: *false | bool}
		outputs: last: string
		id: "${steps.polled.body.id}"
		create: steps: [
			{http: look: what: "start"},
			{as: "polled", http: do: {what: "poll", with: "${body.job}"}, until: "${body.done}", every: "1ms"},
			{if: "${inputs.more}", http: do: what: "never"},
		]
		return: last: "${body?.id ?? \"none\"}"
	}`)
	state := created(t, e, "Thing", object("name", "a"))
	if diff := cmp.Diff([]string{"start", "poll j", "poll j"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := state.Outputs.Get("last").AsString(); got != "none" {
		t.Errorf("a step that did not run has no body, and shows %q", got)
	}
	preview := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a")), Preview: true})
	if preview.Err != nil || !preview.State.Outputs.Get("last").IsComputed() {
		t.Errorf("what a body will be is not guessed: %+v", preview)
	}
}

// `retry.if` sees the answer and the error of the attempt that it judges, and
// leaves an undo's own error alone.
func TestRetryConditionInScope(t *testing.T) {
	flaky := failed("busy")
	flaky.Result = map[string]any{"body": map[string]any{"code": int64(7)}}
	w := newWorld().on("start", body("code", int64(1))).on("make", flaky, body("id", "7")).on("finish", refused("no")).on("unmake", flaky, body())
	e := likeHTTP(t, w, `resources: Thing: {
		inputs: name: string
		id: "${steps.made.body.id}"
		create: steps: [
			{http: look: what: "start"},
			{
				as: "made", http: do: what: "make", retry: {if: "${body.code == 7 && error == \"busy\"}", backoff: "1ms"}
				onFailure: [
					{http: do: {what: "unmake", with: "${error contains \"no\"}"}, retry: {if: "${error == \"busy\"}", backoff: "1ms"}},
					{http: do: {what: "tell", with: "${error contains \"no\"}"}},
				]
			},
			{http: do: what: "finish"},
		]
	}`)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if out.State != nil {
		t.Errorf("%+v", out)
	}
	want := []string{"start", "make", "make", "finish", "unmake true", "unmake true", "tell true"}
	if diff := cmp.Diff(want, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

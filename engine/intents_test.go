package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/diag"
)

const keyed = `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: world: post: {what: "make", key: true}
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`

const findable = `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	delete: world: do: what: "remove"
}`

func intents(t *testing.T, dir string) []journal.Intent {
	t.Helper()
	list, err := journal.Open(dir).List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A create under a key is sent under the same key until it is answered, however often
// the process dies in between.
func TestKeyedCreate(t *testing.T) {
	w := newWorld()
	w.journal = t.TempDir()
	var keys []string
	lose := true
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		keys = append(keys, call.Key)
		if list := intents(t, w.journal); len(list) != 1 || list[0].Key != call.Key {
			t.Errorf("the intent is not on disk before the effect: %+v", list)
		}
		if lose {
			return actions.Outcome{Status: actions.Unknown, Err: errLost}
		}
		return yields("id", "7")
	}
	e, _ := w.engine(t, keyed)
	inputs := check(t, e, "Thing", object("name", "a"))
	make := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	}
	if out := make(); out.Err == nil || out.State != nil {
		t.Fatalf("%+v", out)
	}
	if list := intents(t, w.journal); len(list) != 1 || !list[0].Open() {
		t.Fatalf("what came of it is not known, and stays to be settled: %+v", list)
	}
	lose = false
	out := make()
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if keys[0] == "" || keys[1] != keys[0] {
		t.Errorf("one key for one create, and %v", keys)
	}
	if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: inputs}); err != nil {
		t.Fatal(err)
	}
	if list := intents(t, w.journal); len(list) != 0 {
		t.Fatalf("an id that the host shows is settled: %+v", list)
	}
	make()
	if keys[2] == keys[0] {
		t.Error("a second resource of the same inputs is another create")
	}
}

func TestRefusedCreateLeavesNoIntent(t *testing.T) {
	w := newWorld().on("make", refused("no such plan"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, keyed)
	e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if list := intents(t, w.journal); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// Without a key, what was made is looked for before anything is sent again.
func TestFind(t *testing.T) {
	w := newWorld().on("make", actions.Outcome{Status: actions.Unknown, Err: errLost}).on("find", gone("it"), gone("it"), yields("id", "7"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, findable)
	create := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	}
	if out := create(); out.Err == nil || !errors.Is(out.Err, errLost) || !strings.Contains(out.Err.Error(), "looks again") {
		t.Fatalf("%+v", out)
	}
	if out := create(); out.Err != nil || out.State.ID != "7" {
		t.Fatalf("what was found is taken over: %+v", out)
	}
	if diff := cmp.Diff([]string{"find a", "make a", "find a", "find a"}, w.log()); diff != "" {
		t.Errorf("nothing is sent twice (-want +got):\n%s", diff)
	}
}

// everyCode are the codes of what was found, warnings too.
func everyCode(diags diag.List) []string {
	var codes []string
	for _, d := range diags {
		codes = append(codes, d.Code)
	}
	return codes
}

func TestAtLeastOnce(t *testing.T) {
	_, diags := newWorld().compile(t, strings.Replace(findable, "find: world", "checks: []\n// world", 1))
	if diff := cmp.Diff([]string{"at-least-once"}, everyCode(diags)); diff != "" {
		t.Errorf("a create that may be made twice is labelled (-want +got):\n%s", diff)
	}
}

// What would have settled it may be what is misspelt: that is said alone.
func TestAtLeastOnceOfABrokenCall(t *testing.T) {
	_, diags := newWorld().compile(t, `permissions: run: ["touch"]
resources: It: {
	inputs: name: string
	id: "it"
	create: exec: {command: ["touch", "--", "${inputs.name}"], idempotant: true}
	delete: world: do: what: "remove"
}`)
	if diff := cmp.Diff([]string{"unknown-argument"}, everyCode(diags)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An answer that does not say what was made leaves the question open.
func TestAnswerWithoutID(t *testing.T) {
	w := newWorld().on("make", yields("id", nil), yields("id", "7"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, keyed)
	create := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	}
	if out := create(); out.Err == nil || out.State != nil {
		t.Fatalf("%+v", out)
	}
	if list := intents(t, w.journal); len(list) != 1 || !list[0].Open() {
		t.Errorf("nobody knows the id, so it is open: %+v", list)
	}
	if out := create(); out.Err != nil || out.State.ID != "7" {
		t.Errorf("%+v", out)
	}
	if list := intents(t, w.journal); len(list) != 1 || list[0].Open() {
		t.Errorf("it is answered now: %+v", list)
	}
}

// What may have been made, and has no id, is listed, also where nothing could settle
// it; what was undone of it is not.
func TestAnswerWithoutIDIsListed(t *testing.T) {
	const undo = `, onFailure: [{world: do: what: "remove"}]`
	for name, tc := range map[string]struct {
		steps string
		want  []int
	}{
		"without key or find":    {`{world: post: what: "make"}`, []int{0}},
		"with a key":             {`{world: post: {what: "make", key: true}}`, []int{0}},
		"a local action":         {`{world: do: what: "make"}`, []int{0}},
		"one of two was undone":  {`{world: post: what: "first"` + undo + `}, {world: post: what: "make"}`, []int{1}},
		"one was, both had keys": {`{world: post: {what: "first", key: true}` + undo + `}, {world: post: {what: "make", key: true}}`, []int{1}},
		"all of it was undone":   {`{world: post: what: "make"` + undo + `}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", nil))
			w.journal = t.TempDir()
			e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: steps: [`+tc.steps+`]
	delete: world: do: what: "remove"
}`)
			if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")}); out.Err == nil || out.State != nil {
				t.Fatalf("%+v", out)
			}
			var open []int
			for _, i := range intents(t, w.journal) {
				if !i.Open() {
					t.Errorf("it is not open: %+v", i)
				}
				open = append(open, i.Step)
			}
			if diff := cmp.Diff(tc.want, open); diff != "" {
				t.Errorf("steps that are listed (-want +got):\n%s", diff)
			}
		})
	}
}

// What was undone is over: the next create is sent under another key, or a
// server would answer with what is there no more.
func TestUndoneCreateLeavesNoIntent(t *testing.T) {
	w := newWorld().on("make", yields("id", "7")).on("tag", refused("no such tag"), yields())
	w.journal = t.TempDir()
	var keys []string
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		keys = append(keys, call.Key)
		return yields("id", "7")
	}
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${steps.made.id}"
	create: steps: [
		{as: "made", world: post: {what: "make", key: true}, onFailure: [{world: do: what: "remove"}]},
		{world: do: what: "tag"},
	]
	delete: world: do: what: "remove"
}`)
	create := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	}
	if out := create(); out.Err == nil || out.State != nil || !strings.Contains(out.Err.Error(), "undone") {
		t.Fatalf("%+v", out)
	}
	if list := intents(t, w.journal); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if out := create(); out.Err != nil {
		t.Fatal(out.Err)
	}
	if keys[0] == keys[1] {
		t.Error("a create after an undone one has its key")
	}
}

// Hosts give the same name to resources of different servers: what one of them
// was asked to make is not looked for at the other. A new token is no other
// server.
func TestIntentsOfDifferentSettings(t *testing.T) {
	text := `config: {endpoint: string, token: string @secret()}
` + strings.Replace(findable, `with: "${inputs.name}"}`, `with: "${inputs.name}", place: "${config.endpoint}/things"}`, 1)
	w := newWorld().on("make", actions.Outcome{Status: actions.Unknown, Err: errLost}, yields("id", "8")).on("find", actions.Missing(errors.New("none")))
	w.journal = t.TempDir()
	configured := func(endpoint, token string) *engine.Engine {
		e, _ := w.engineWith(t, text, object("endpoint", endpoint, "token", token))
		return e
	}
	first := configured("one", "secret-1")
	inputs := check(t, first, "Thing", object("name", "a"))
	if out := first.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs}); out.Err == nil {
		t.Fatal("a create without an answer has no error")
	}
	w.log()
	if out := configured("two", "secret-1").Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs}); out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff([]string{"find a", "make a"}, w.log()); diff != "" {
		t.Errorf("at another server nothing is to be found (-want +got):\n%s", diff)
	}
	w.on("find", yields("id", "7"))
	out := configured("one", "secret-2").Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if diff := cmp.Diff([]string{"find a"}, w.log()); diff != "" || out.Err != nil || out.State.ID != "7" {
		t.Errorf("with a new token it is found: %+v\n%s", out, diff)
	}
}

// Each step's intent is judged by its own attempts: what was refused after an
// attempt of which nobody knows stays to be settled, whatever came of others.
func TestIntentsOfSteps(t *testing.T) {
	again := func(o actions.Outcome) actions.Outcome { o.Again = true; return o }
	lost := again(actions.Outcome{Status: actions.Unknown, Err: errLost})
	cases := []struct {
		name          string
		first, second []actions.Outcome
		open          int
	}{
		{"a refusal after another step's lost answer", []actions.Outcome{lost, yields("id", "7")}, []actions.Outcome{refused("no")}, 0},
		{"a refusal after a lost answer", []actions.Outcome{yields("id", "7")}, []actions.Outcome{lost, refused("exists")}, 1},
		{"a refusal after a failure", []actions.Outcome{yields("id", "7")}, []actions.Outcome{again(failed("partly")), refused("exists")}, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld().on("first", tc.first...).on("second", tc.second...)
			w.journal = t.TempDir()
			var undoKey *string
			w.hooks["undo"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				undoKey = &call.Key
				return refused("stuck")
			}
			e, _ := w.engine(t, `resources: Thing: {
				inputs: name: string
				id: "${steps.a.id}"
				create: steps: [
					{as: "a", retry: backoff: "1ms", world: post: {what: "first", key: true}, onFailure: [{world: post: {what: "undo", key: true}}]},
					{retry: backoff: "1ms", world: post: {what: "second", key: true}},
				]
			}`)
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
			if out.State == nil || out.State.ID != "7" {
				t.Fatalf("%+v", out)
			}
			open := 0
			for _, i := range intents(t, w.journal) {
				if i.Open() {
					open++
				}
			}
			if open != tc.open {
				t.Errorf("%d intents are open: %+v", open, intents(t, w.journal))
			}
			if undoKey == nil || *undoKey != "" {
				t.Errorf("an undo has the key of no create: %v", undoKey)
			}
		})
	}
}

// TestAtLeastOnceIsAccepted shows that `idempotent: false` says that the author knows.
func TestAtLeastOnceIsAccepted(t *testing.T) {
	for call, want := range map[string]diag.Severity{`["touch", "x"]`: diag.Warning, `["touch", "x"], idempotent: false`: diag.Note} {
		_, diags := newWorld().compile(t, "resources: Thing: {id: \"x\", create: exec: {command: "+call+"}, delete: exec: {command: [\"rm\", \"x\"]}}")
		if len(diags) != 1 || diags[0].Code != "at-least-once" || diags[0].Severity != want {
			t.Errorf("%s: %+v", call, diags)
		}
	}
	// A restart repeats the step, too.
	for argument, want := range map[string]diag.Severity{"": diag.Warning, ", idempotent: false": diag.Note} {
		_, diags := newWorld().compile(t, `resources: Thing: {
	id: "x"
	create: world: do: what: "make"
	update: steps: [{as: "a", http: {method: "POST", path: "/x"`+argument+`}}, {restart: "a", world: look: what: "b"}]
	delete: world: do: what: "remove"
}
http: baseURL: "https://x.example.com"`)
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Path != "resources.Thing.restart" })
		if len(diags) != 1 || diags[0].Code != "at-least-once" || diags[0].Severity != want {
			t.Errorf("restart at a step with %q: %+v", argument, diags)
		}
	}
}

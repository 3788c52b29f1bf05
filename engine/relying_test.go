package engine_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestWhatReliesOnWhatWasUndoneIsDoneAgain: what a step has done for an object that
// was undone is done again for the next one, and the journal lists what it did.
func TestWhatReliesOnWhatWasUndoneIsDoneAgain(t *testing.T) {
	w := newWorld().on("make", yields("id", "1"), yields("id", "2")).on("label", yields("id", "label")).on("last", refused("no"), yields())
	s := newScene(t, w, `inputs: name: string
	id: "${steps.it.id}"
	create: steps: [
		{as: "it", world: post: what: "make", onFailure: [{world: do: {what: "undo", with: "${steps.it.id}"}}]},
		{as: "label", world: post: {what: "label", with: "${steps.it.id}", safe: true}},
		{as: "other", world: post: {what: "other", with: "${inputs.name}", safe: true}},
		{as: "tag", world: post: {what: "tag", with: "${steps.label.id}", safe: true}},
		{world: post: what: "last"},
	]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
	half := s.create("name", "a")
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	s.calls("make", "label 1", "other a", "tag label", "last", "undo 1")
	bereft := 0
	for _, status := range s.statuses() {
		if status == journal.Failed {
			bereft++
		}
	}
	if bereft != 2 {
		t.Errorf("in the journal: %d failures, and label and tag of the one that was undone are two", bereft)
	}
	whole := s.update(half.State, "name", "a")
	if whole.Err != nil {
		t.Fatal(whole.Err)
	}
	s.calls("make", "label 2", "tag label", "last")
}

// TestOwnResponsesAreNoReliance: what a step says of its own response, under a name that
// means the response of the step before elsewhere, makes it no follower of that step.
func TestOwnResponsesAreNoReliance(t *testing.T) {
	for name, again := range map[string][]string{
		"${body.error}":             {"POST /make", "PUT /last"},
		"${steps.it.body.id}":       {"POST /make", "PUT /label", "PUT /last"},
		"${[body.error, body.why]}": {"POST /make", "PUT /last"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls = append(calls, r.Method+" "+r.URL.Path)
				if r.URL.Path == "/last" && !slices.Contains(calls, "DELETE /make") {
					w.WriteHeader(http.StatusBadRequest)
				}
				_, _ = w.Write([]byte(`{"id": "1"}`))
			}))
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [
		{as: "it", http: {method: "POST", path: "/make"}, onFailure: [{http: {method: "DELETE", path: "/make"}}]},
		{http: {method: "PUT", path: "/label", json: "${inputs}", error: "`+name+`"}},
		{http: {method: "PUT", path: "/last"}},
	]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}
}`)
			s := &scene{T: t, w: w, e: e}
			half := s.create("name", "a")
			if half.Err == nil || half.State == nil {
				t.Fatalf("%+v", half)
			}
			calls = calls[:0:0]
			calls = append(calls, "DELETE /make")
			if whole := s.update(half.State, "name", "a"); whole.Err != nil {
				t.Fatal(whole.Err)
			}
			if got := calls[1:]; !slices.Equal(got, again) {
				t.Errorf("the run that goes on sends %q, want %q", got, again)
			}
		})
	}
}

// TestWhatCannotGoOnIsMadeAnew: where an expression has no value for what an earlier
// step was answered, the next run would have the same: it replaces. What has another
// reason goes on.
func TestWhatCannotGoOnIsMadeAnew(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  actions.Outcome
		second  string
		replace bool
	}{
		"no id in the response":          {yields("page", "Welcome"), `"x ${steps.it.id}"`, true},
		"an input that has no value":     {yields("id", "1"), `"x ${jsondecode(inputs.name)}"`, false},
		"the second request was refused": {yields("id", "1"), `"y ${steps.it.id}"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", tc.answer).on("part", refused("no"))
			s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	create: steps: [{as: "it", world: post: {what: "make", key: true}}, {world: post: {what: "part", with: `+tc.second+`, key: true}}]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
			half := s.create("name", "a")
			if half.Err == nil || half.State == nil {
				t.Fatalf("%+v", half)
			}
			diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *half.State, New: object("name", "a")})
			if err != nil {
				t.Fatal(err)
			}
			replaces := slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace })
			if replaces != tc.replace || tc.replace && !diff.DeleteBeforeReplace {
				t.Errorf("%+v: it is replaced: %v, and should be: %v (%v)", diff, replaces, tc.replace, half.Err)
			}
		})
	}
	// A cancel is no reason, whatever it interrupts.
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld()
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		cancel()
		return yields("id", "1")
	}
	s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	create: steps: [{as: "it", world: post: {what: "make", key: true}}, {world: post: {what: "part", with: "x ${steps.it.id}", key: true}}]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
	half := s.e.Create(ctx, engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if half.State == nil || half.State.Private.Failed == nil || half.State.Private.Failed.Stuck {
		t.Errorf("%+v", half)
	}
}

// TestWhatMayBelongToWhatWasUndoneIsListed: a step that relies on what was undone, and
// of which nobody knows whether it was done, stays on the list whatever comes next;
// it is sent again under another key.
func TestWhatMayBelongToWhatWasUndoneIsListed(t *testing.T) {
	w := newWorld().on("make", yields("id", "1"), yields("id", "2"))
	w.journal = t.TempDir()
	var keys []string
	w.hooks["label"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if keys = append(keys, call.Key); len(keys) <= 4 { // the attempts of the first run
			return lost()
		}
		return yields()
	}
	s := newScene(t, w, `inputs: name: string
	id: "${steps.it.id}"
	create: steps: [
		{as: "it", world: post: what: "make", onFailure: [{world: do: {what: "undo", with: "${steps.it.id}"}}]},
		{world: post: {what: "label", with: "${steps.it.id}", key: true}, retry: attempts: 4, retry: backoff: "1ms"},
	]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
	half := s.create("name", "a")
	if half.Err == nil {
		t.Fatalf("%+v", half)
	}
	if half.State != nil {
		half = s.update(half.State, "name", "a")
	} else {
		half = s.create("name", "a")
	}
	if half.Err != nil {
		t.Fatal(half.Err)
	}
	if got := s.statuses(); !slices.Contains(got, journal.Failed) {
		t.Errorf("in the journal: %q", got)
	}
	if last := keys[len(keys)-1]; last == "" || last == keys[0] {
		t.Errorf("what belongs to another object is sent under the key of the one that was undone: %q", keys)
	}
}

// TestHalfMadeWithOtherInputs: what a create did not come to is made before its inputs
// change, since no update makes it; and nothing is done twice where that fails.
func TestHalfMadeWithOtherInputs(t *testing.T) {
	const spec = `inputs: {name: string, size: int}
	id: "${steps.it.id}"
	create: steps: [
		{as: "it", world: post: {what: "make", with: "${inputs.size}"}},
		{world: post: {what: "part", with: "${inputs.size}"}},
		{world: post: {what: "label", with: "${inputs.size}"}},
	]
	update: world: do: {what: "change", with: "${inputs.size}"}
	delete: world: do: {what: "remove", with: "${id}"}`
	for name, tc := range map[string]struct {
		part   []actions.Outcome // after the create's
		change []actions.Outcome
		errors int
		want   []string
	}{
		"at once": {
			want: []string{"part 1", "label 1", "change 2"},
		},
		"the part is refused once more": {
			part: []actions.Outcome{refused("no room")},
			want: []string{"part 1", "part 2", "label 2", "change 2"}, // the inputs of then may be why
		},
		"the part is refused with those of now, too": {
			part: []actions.Outcome{refused("no room"), refused("no room")}, errors: 1,
			want: []string{"part 1", "part 2", "part 1", "label 1", "change 2"},
		},
		"the part fails": {
			part: []actions.Outcome{failed("half of it")},
			want: []string{"part 1", "part 2", "label 2", "change 2"},
		},
		"the part fails with those of now, too": {
			part: []actions.Outcome{failed("half of it"), failed("half of it")}, errors: 1,
			want: []string{"part 1", "part 2", "part 1", "label 1", "change 2"},
		},
		"the part is lost": {
			part: []actions.Outcome{lost()}, errors: 1,
			want: []string{"part 1", "part 1", "label 1", "change 2"},
		},
		"the change is refused": {
			change: []actions.Outcome{refused("no room")}, errors: 1,
			want: []string{"part 1", "label 1", "change 2", "change 2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7"))
			w.on("part", append(append([]actions.Outcome{refused("full")}, tc.part...), yields())...)
			w.on("change", append(tc.change, yields())...)
			s := newScene(t, w, spec)
			half := s.create("name", "a", "size", 1)
			if half.Err == nil || half.State == nil {
				t.Fatalf("%+v", half)
			}
			w.log()
			out := s.update(half.State, "name", "a", "size", 2)
			for range tc.errors {
				if out.Err == nil || out.State == nil {
					t.Fatalf("an error, and what there is by now: %+v", out)
				}
				out = s.update(out.State, "name", "a", "size", 2)
			}
			if out.Err != nil || out.State.Private.Failed != nil || out.State.Inputs.Get("size").AsNumber() != 2 {
				t.Fatalf("%+v", out)
			}
			if diff := cmp.Diff(tc.want, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEachElementOfWhatWasUndoneIsListed: what a loop has made for what was undone is
// listed, each element of it, whichever of them was heard of and in whichever run.
func TestEachElementOfWhatWasUndoneIsListed(t *testing.T) {
	const spec = `inputs: name: string
	id: "${steps.it.id}"
	create: steps: [
		{as: "it", world: post: what: "make", onFailure: [{world: do: {what: "undo", with: "${steps.it.id}"}}]},
		{forEach: LOOP, world: post: {what: "part", with: "${steps.it.id} ${each.value}"}},
		{world: post: {what: "label", with: "${steps.it.id}"}},
	]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`
	for name, tc := range map[string]struct {
		loop        string
		part, label []actions.Outcome
		want        []string
	}{
		"the second was lost":      {`["x", "y", "z"]`, []actions.Outcome{yields(), lost()}, nil, []string{"0", "1"}},
		"the second was refused":   {`["x", "y", "z"]`, []actions.Outcome{yields(), refused("no")}, nil, []string{"0"}},
		"what follows was refused": {`["x", "y"]`, nil, []actions.Outcome{refused("no")}, []string{"0", "1"}},
		"a map":                    {`{a: "x", b: "y"}`, []actions.Outcome{yields(), lost()}, nil, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on("part", append(tc.part, yields())...).on("label", append(tc.label, yields())...)
			s := newScene(t, w, strings.Replace(spec, "LOOP", tc.loop, 1))
			if half := s.create("name", "a"); half.Err == nil {
				t.Fatalf("%+v", half)
			}
			var got []string
			for _, i := range intents(t, w.journal) {
				if i.Step == 1 && i.Status == journal.Failed {
					got = append(got, i.Element)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) {
				t.Errorf("elements %q are listed, and %q should be", got, tc.want)
			}
		})
	}
}

package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
)

// TestWhatFailedStaysListed: what a failed create may have left is forgotten once the
// same create is done, where doing it twice is as good as doing it once, or where find has found nothing of it; once any
// create is done, where it is labelled at least once; and by a person, elsewhere. A
// create with other inputs makes another object.
func TestWhatFailedStaysListed(t *testing.T) {
	for _, tc := range []struct {
		name, arguments, find string
		same, other           bool // whether the failure is listed after a create with these inputs
	}{
		{"safe", "safe: true", "", false, true},
		{"safe, with find", "safe: true", find, false, true},
		{"uncertain", "", "", false, false},
		{"uncertain, with find", "", find, false, true},
		{"keyed", "key: true", "", true, true},
	} {
		for inputs, listed := range map[string]bool{"a": tc.same, "b": tc.other} {
			t.Run(tc.name+"/then "+inputs, func(t *testing.T) {
				w := newWorld().on("make", failed("half of it"), yields("id", "7")).on("find", gone("it"))
				s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	consistency: "0s"
	`+tc.find+`
	create: world: post: {what: "make", with: "${inputs.name}", `+tc.arguments+`}
	delete: world: do: what: "remove"`)
				if out := s.create("name", "a"); out.Err == nil || out.State != nil {
					t.Fatalf("%+v", out)
				}
				if out := s.create("name", inputs); out.Err != nil {
					t.Fatal(out.Err)
				}
				if got := slices.Contains(s.statuses(), journal.Failed); got != listed {
					t.Errorf("the failure is listed: %v, and should be: %v", got, listed)
				}
			})
		}
	}
}

// TestRefusalNamesWhatWasNotRecorded: a create that was answered, and that the host
// has forgotten, may be why the next one is refused, whatever its inputs are.
func TestRefusalNamesWhatWasNotRecorded(t *testing.T) {
	for _, arguments := range []string{"once: true", "key: true", "safe: true"} {
		w := newWorld().on("make", yields("id", "7"), refused("it is there"))
		s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${inputs.name}"
	consistency: "0s"
	create: world: post: {what: "make", `+arguments+`}
	delete: world: do: what: "remove"`)
		if out := s.create("name", "a", "size", 1); out.Err != nil {
			t.Fatal(out.Err)
		}
		out := s.create("name", "a", "size", 2)
		if out.Err == nil || !strings.Contains(out.Err.Error(), "declprov journal") {
			t.Errorf("%s: %v", arguments, out.Err)
		}
	}
}

// TestSlowLooks: what a look says is true of the time at which it began. One that
// began within the consistency and was answered after it is followed by another.
func TestSlowLooks(t *testing.T) {
	slow := func(w *world, answer actions.Outcome) {
		n := 0
		w.hooks["look"] = func(context.Context, *actions.Call) actions.Outcome {
			if n++; n > 1 {
				return answer
			}
			time.Sleep(1100 * time.Millisecond)
			return gone("it")
		}
	}
	t.Run("find", func(t *testing.T) {
		t.Parallel()
		w := newWorld().on("make", lost())
		s := newScene(t, w, `inputs: name: string
	id: "${result.id}"
	consistency: "1s"
	create: world: post: what: "make"
	find: {first: false, world: look: what: "look"}
	delete: world: do: what: "remove"`)
		s.create("name", "a")
		s.w.log()
		slow(w, yields("id", "7"))
		if out := s.create("name", "a"); out.Err == nil {
			t.Error("it may be somebody else's")
		}
		s.calls("look", "look")
	})
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		w := newWorld().on("make", yields())
		slow(w, yields("name", "a", "size", 1))
		s := newScene(t, w, `inputs: name: string
	outputs: size: int
	id: "7"
	consistency: "1s"
	create: world: do: what: "make"
	read: world: look: what: "look"
	delete: world: do: what: "remove"`)
		if out := s.create("name", "a"); out.Err != nil {
			t.Error(out.Err)
		}
		s.calls("make", "look", "look")
	})
}

// TestUndoOfAReplacementOfOneID: a replacement may turn out to be the object that it
// replaces, changed. Undoing would take it away from the state that has it.
func TestUndoOfAReplacementOfOneID(t *testing.T) {
	for _, id := range []string{"${steps.main.id}", "${inputs.name}"} {
		for _, tc := range []struct {
			name   string
			before bool // whether the host has shown the original
			main   actions.Outcome
			tag    actions.Outcome
			want   []string
		}{
			{"the second step fails", true, yields("id", "a"), refused("no"), []string{"make", "tag"}},
			{"the second step does half", true, yields("id", "a"), failed("half"), []string{"make", "tag"}},
			{"without an original", false, yields("id", "a"), refused("no"), []string{"make", "tag", "remove"}},
		} {
			t.Run(id+"/"+tc.name, func(t *testing.T) {
				w := newWorld().on("make", yields("id", "a"), tc.main).on("tag", yields(), tc.tag)
				if !tc.before {
					w.on("make", tc.main).on("tag", tc.tag)
				}
				s := newScene(t, w, `inputs: {name: string, text: string @replace()}
	id: "`+id+`"
	create: steps: [
		{as: "main", world: post: {what: "make", safe: true}, onFailure: [{world: do: what: "remove"}]},
		{world: post: {what: "tag", safe: true}},
	]
	delete: world: do: what: "remove"`)
				if tc.before {
					if out := s.create("name", "a", "text", "old"); out.Err != nil {
						t.Fatal(out.Err)
					}
					w.log()
				}
				out := s.create("name", "a", "text", "new")
				if out.Err == nil || (out.State != nil) != tc.before {
					t.Errorf("%+v", out)
				}
				s.calls(tc.want...)
			})
		}
	}
}

const find = `find: world: look: what: "find"`

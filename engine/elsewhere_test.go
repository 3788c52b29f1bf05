package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestCreatesAtAnotherAddress loses the response of a create, or kills the provider, and then runs it with
// a spec that sends it to another server. There, the object is somebody else's: it is not adopted, the key
// is not sent, and the entry of the first create stays for a person. With the same address, the entry is
// settled as ever.
func TestCreatesAtAnotherAddress(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{"find": "", "key": "key: true, ", "key and find": "key: true, ", "once": "once: true, "}
	for name, kind := range kinds {
		for _, killed := range []bool{false, true} {
			for _, inputs := range []string{"the same", "others"} {
				for _, moved := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, killed %v, %s inputs, moved %v", name, killed, inputs, moved), func(t *testing.T) {
						t.Parallel()
						moves(t, kind, strings.Contains(name, "find"), killed, inputs == "the same", moved)
					})
				}
			}
		}
	}
}

func moves(t *testing.T, kind string, find, killed, same, moved bool) {
	t.Helper()
	w := newWorld().on("find", gone("it"))
	w.journal = t.TempDir()
	resource := func(place string) string {
		text := `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${result.id}"
	consistency: "0s"
	create: {world: post: {` + kind + `what: "make", with: "${inputs.size}", place: "` + place + `"}, retry: attempts: 1}
	update: world: do: what: "change"
	delete: world: do: what: "remove"
`
		if find {
			text += "find: world: look: what: \"find\"\n"
		}
		return text + "}"
	}
	var keys []string
	first := true
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		switch {
		case first && killed:
			panic("it dies")
		case first:
			return lost()
		}
		keys = append(keys, call.Key)
		return yields("id", "7")
	}
	create := func(e *engine.Engine, size int) (out engine.Result) {
		defer func() { _ = recover() }()
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", size)})
	}
	before, _ := w.engine(t, resource("https://one.example/things"))
	create(before, 1)
	open := intents(t, w.journal)
	if len(open) != 1 {
		t.Fatalf("in the journal: %+v", open)
	}
	first = false
	place, size := "https://one.example/things", 1
	if moved {
		place = "https://two.example/things"
	}
	if !same {
		size = 2
	}
	w.on("find", yields("id", "8", "name", "a", "size", size))
	after, _ := w.engine(t, resource(place))
	out := create(after, size)
	stays := slices.ContainsFunc(intents(t, w.journal), func(i journal.Intent) bool { return i.Key == open[0].Key && i.Open() })
	if !moved {
		return // other tests say what becomes of it
	}
	if out.State != nil && out.State.ID == "8" {
		t.Errorf("the object of somebody else is adopted: %+v", out)
	}
	if !stays {
		t.Errorf("the entry of the first create is gone: %+v", intents(t, w.journal))
	}
	if slices.Contains(keys, open[0].Key) {
		t.Error("the key was sent to another server")
	}
}

// TestSpecThatLosesItsFind loses the response of a create, and runs it again with a spec without `find`:
// nothing is sent, because nothing could tell what the first one made.
func TestSpecThatLosesItsFind(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2} {
		w := newWorld().on("find", gone("it")).on("make", lost(), yields("id", "8"))
		w.journal = t.TempDir()
		spec := `resources: Thing: {
	inputs: size: int
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.size}"}
	delete: world: do: what: "remove"
	FIND
}`
		for _, find := range []string{`find: world: look: what: "find"`, ""} {
			e, _ := w.engine(t, strings.Replace(spec, "FIND", find, 1))
			given := size
			if find != "" {
				given = 1
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("size", given)})
			if out.Err == nil || out.State != nil {
				t.Errorf("size %d, with %q: %+v", given, find, out)
			}
		}
		if list := intents(t, w.journal); len(list) != 1 || !list[0].Open() {
			t.Errorf("in the journal: %+v", list)
		}
	}
}

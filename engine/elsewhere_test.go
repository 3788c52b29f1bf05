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

// TestSpecThatLosesItsProof loses the response of a create, and runs it again with a spec that finds out in
// another way what that made, or not at all. Nothing is sent if nothing can tell; there is one object at most.
func TestSpecThatLosesItsProof(t *testing.T) {
	t.Parallel()
	type way struct {
		find bool
		key  string // how it is sent
	}
	for _, was := range []way{{find: true}, {key: "a"}, {find: true, key: "a"}} {
		for _, is := range []way{{}, {find: true}, {key: "a"}, {key: "b"}, {find: true, key: "a"}, {find: true, key: "b"}} {
			for _, reached := range []bool{true, false} {
				for _, size := range []int{1, 2} {
					t.Run(fmt.Sprintf("%+v, then %+v, reached %v, size %d", was, is, reached, size), func(t *testing.T) {
						t.Parallel()
						made, loses := map[string]bool{}, true
						w := newWorld()
						w.journal = t.TempDir()
						w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
							if len(made) == 0 {
								return gone("it")
							}
							return yields("id", "7")
						}
						w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
							key := fmt.Sprint(call.Args["by"], " ", call.Key)
							if call.Key == "" {
								key = fmt.Sprint("unkeyed ", len(made))
							}
							if loses && !reached {
								return lost()
							}
							made[key] = true
							if loses {
								return lost()
							}
							return yields("id", "7")
						}
						run := func(in way, size int) engine.Result {
							create, find := `world: post: {what: "make", with: "${inputs.size}"}`, ""
							if in.key != "" {
								create = `{retry: attempts: 1, world: post: {what: "make", with: "${inputs.size}", key: true, by: "` + in.key + `"}}`
							}
							if in.find {
								find = `find: world: look: what: "find"`
							}
							e, _ := w.engine(t, `resources: Thing: {
	inputs: size: int
	id: "${result.id}"
	consistency: "0s"
	create: `+create+`
	delete: world: do: what: "remove"
	`+find+`
}`)
							return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("size", size)})
						}
						found := reached && was.find && was.key == "" // find sees at once what was made
						if out := run(was, 1); (out.Err == nil) != found {
							t.Fatalf("%+v", out)
						}
						if found {
							return
						}
						loses = false
						out := run(is, size)
						if len(made) > 1 {
							t.Errorf("there are %d objects: %+v", len(made), out)
						}
						if tells := is.find && was.find || is.key != "" && is.key == was.key; !tells && !is.find {
							if list := intents(t, w.journal); out.Err == nil || out.State != nil || len(list) != 1 || !list[0].Open() {
								t.Errorf("%+v, and in the journal: %+v", out, list)
							}
						}
					})
				}
			}
		}
	}
}

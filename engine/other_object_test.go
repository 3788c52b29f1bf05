package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestRefreshesOfAnotherObject: an object under the same id whose inputs with @replace(), or whose outputs with @stable(),
// differ is warned of, because the next update or delete is about it. Values that mean the same, may change, or are not shown do not cause a warning.
func TestRefreshesOfAnotherObject(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {
		name: string @replace() @equal(fold)
		zone?: string @replace() @normalised()
		key?: string @replace() @noRead()
		tags?: [...string] @replace()
		size?: int
	}
	outputs: {uid?: string @stable(), token?: string @stable() @noRead(), count?: int}
	id: "${result.id}"
	create: world: post: what: "make"
	read: world: look: {what: "read", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
	for _, tc := range []struct {
		what  string
		shown []any
		warns bool
	}{
		{"the same", []any{"name", "a", "zone", "z", "size", 1}, false},
		{"another name", []any{"name", "b", "zone", "z", "size", 1}, true},
		{"all of it", []any{"name", "b", "zone", "y", "tags", []any{"x"}, "size", 2}, true},
		{"the same name in capitals", []any{"name", "A", "zone", "z", "size", 1}, false},
		{"what may be changed", []any{"name", "a", "zone", "z", "size", 2}, false},
		{"what the server rewrites", []any{"name", "a", "zone", "Z", "size", 1}, false},
		{"an empty list for none", []any{"name", "a", "zone", "z", "tags", []any{}, "size", 1}, false},
		{"what the program has not set", []any{"name", "a", "zone", "z", "tags", []any{"x"}, "size", 1}, false},
		{"another uid", []any{"name", "a", "zone", "z", "size", 1, "uid", "u2"}, true},
		{"another uid and size", []any{"name", "a", "zone", "z", "size", 3, "uid", "u2"}, true},
		{"the same uid", []any{"name", "a", "zone", "z", "size", 3, "uid", "u1"}, false},
		{"the same uid and another name", []any{"name", "b", "zone", "z", "size", 3, "uid", "u1"}, true},
		{"another count", []any{"name", "a", "zone", "z", "size", 1, "uid", "u1", "count", 5}, false},
		{"another token", []any{"name", "a", "zone", "z", "size", 1, "uid", "u1", "token", "t2"}, false},
	} {
		t.Run(tc.what, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7", "uid", "u1", "token", "t1", "count", 4)).
				on("read", yields("name", "a", "zone", "z", "size", 1, "uid", "u1", "count", 4), yields(tc.shown...))
			e, _ := w.engine(t, spec)
			state := created(t, e, "Thing", object("name", "a", "zone", "z", "key", "k", "size", 1))
			log := &recorder{}
			w.on("read", yields(tc.shown...))
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh, Log: log})
			if out.Err != nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			if warned := len(log.messages) > 0; warned != tc.warns {
				t.Errorf("warned: %t, expected %t: %q", warned, tc.warns, log.messages)
			}
		})
	}
}

// TestUpdatesOfAnotherObject: an update whose response, or the read after it, has other values of what never changes is warned of.
func TestUpdatesOfAnotherObject(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	outputs: {uid?: string @stable(), token?: string @stable() @noRead(), count?: int}
	id: "${inputs.name}"
	create: world: post: what: "make"
	read: world: look: {what: "read", with: "${id}"}
	update: world: post: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}
}`
	for _, tc := range []struct {
		what  string
		shown []any
		warns bool
	}{
		{"the same", []any{"uid", "u1", "count", 4}, false},
		{"another count", []any{"uid", "u1", "count", 5}, false},
		{"another token", []any{"uid", "u1", "token", "t2"}, false},
		{"another uid", []any{"uid", "u2", "count", 4}, true},
		{"none", []any{"count", 4}, false},
	} {
		t.Run(tc.what, func(t *testing.T) {
			w := newWorld().on("make", yields("uid", "u1", "token", "t1", "count", 4)).on("change", yields(tc.shown...)).
				on("read", yields(append([]any{"name", "a", "size", 2}, tc.shown...)...))
			e, _ := w.engine(t, spec)
			state := created(t, e, "Thing", object("name", "a", "size", 1))
			log := &recorder{}
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "a", "size", 2), Log: log})
			if out.Err != nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			if warned := len(log.messages) > 0; warned != tc.warns {
				t.Errorf("warned: %t, expected %t: %q", warned, tc.warns, log.messages)
			}
		})
	}
}

// TestUpdatesToTheNameOfAnother: an update of an input that find looks by is refused if find finds another object
// by the new value. It costs one request before the update (find also tells the new id after it), and none if no such input changes.
func TestUpdatesToTheNameOfAnother(t *testing.T) {
	for _, tc := range []struct {
		what, certainty, first string
		name                   string
		finds                  string // the id that find finds
		lost                   bool   // an earlier attempt at the update was lost
		calls                  []string
		refused                bool
	}{
		{what: "a free name", name: "b", calls: []string{"find b", "put b", "find b"}},
		{what: "a name of another", name: "b", finds: "8", calls: []string{"find b"}, refused: true},
		{what: "a name of another, by a safe update", certainty: "safe: true", name: "b", finds: "8", calls: []string{"find b"}, refused: true},
		{what: "its own name in another form", certainty: "safe: true", name: "A", finds: "7", calls: []string{"find A", "put A", "find A"}},
		{what: "no name", certainty: "safe: true", name: "a", finds: "8", calls: []string{"put a"}},
		{what: "a find that does not come first", first: ", first: false", name: "b", finds: "8", calls: []string{"find b", "put b"}},
		{what: "after a lost response", name: "b", finds: "8", lost: true, refused: false},
	} {
		t.Run(tc.what, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on("read", gone("it"))
			found := ""
			w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
				if found == "" {
					return gone("it")
				}
				return yields("id", found)
			}
			w.journal = t.TempDir()
			e, _ := w.engine(t, fmt.Sprintf(`resources: Thing: {
	inputs: {name: string, size: int}
	id: "${result.id}"
	consistency: "1ms"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: {world: look: {what: "find", with: "${inputs.name}"}%s}
	read: world: look: {what: "read", with: "${id}"}
	update: world: post: {what: "put", with: "${inputs.name}", %s}
	delete: world: do: {what: "remove", with: "${id}"}
}`, tc.first, tc.certainty))
			request := engine.UpdateRequest{Ref: ref("Thing"), State: created(t, e, "Thing", object("name", "a", "size", 1)), Inputs: object("name", tc.name, "size", 2)}
			if tc.lost {
				w.on("put", lost())
				if out := e.Update(t.Context(), request); out.State != nil {
					request.State = *out.State
				}
				w.on("put", yields())
			}
			found = tc.finds
			w.log()
			out := e.Update(t.Context(), request)
			calls := slices.DeleteFunc(w.log(), func(call string) bool { return call == "read 7" || call == "read 8" })
			if refused := out.Err != nil; refused != tc.refused || refused && out.State != nil {
				t.Errorf("refused: %t, expected %t: %+v", refused, tc.refused, out)
			}
			if diff := cmp.Diff(tc.calls, calls); tc.calls != nil && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdatesToTheSameName: where the id consists of inputs, find gives another id for another form of the same name.
func TestUpdatesToTheSameName(t *testing.T) {
	for name, refused := range map[string]bool{"a": false, "A": false, " a": true, "b": true} {
		w := newWorld().on("find", gone("it")).on("read", yields("name", "a", "size", 1))
		w.journal = t.TempDir()
		e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string @equal(fold), size: int}
	id: "${inputs.name}"
	consistency: "1ms"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	update: world: post: {what: "put", with: "${inputs.name}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`)
		state := created(t, e, "Thing", object("name", "a", "size", 1))
		w.on("find", yields("name", "a", "size", 1))
		w.log()
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", name, "size", 2)})
		if calls := w.log(); slices.Contains(calls, "put "+name) == refused || (out.Err != nil) != refused {
			t.Errorf("%q: refused %v, calls %q: %v", name, refused, calls, out.Err)
		}
	}
}

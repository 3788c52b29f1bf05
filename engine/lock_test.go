package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// sharedDocument are resources that are members of one JSON document. Two types share it, and the lock
// of its operations.
const sharedDocument = `
file: root: "."
#Member: {
	inputs: {name: string @replace(), value: int}
	outputs: value: int
	id: "${inputs.name}"
	#now: {as: "now", file: read: path: "doc.json"}
	create: {
		lock: "doc"
		steps: [#now, {lock: "doc", file: write: {path: "doc.json", overwrite: true, content: "${toJSON(merge(fromJSON(steps.now.content), fromPairs([[inputs.name, inputs.value]])))}"}}]
		return: value: "${inputs.value}"
	}
	read: {
		lock: "doc"
		steps: [#now]
		return: "${fromJSON(steps.now.content)[id] == null ? null : {name: id, value: fromJSON(steps.now.content)[id]}}"
	}
	update: {
		lock: "doc"
		steps: [#now, {file: write: {path: "doc.json", overwrite: true, content: "${toJSON(merge(fromJSON(steps.now.content), fromPairs([[id, inputs.value]])))}"}}]
	}
	delete: {
		lock: "doc"
		steps: [#now, {file: write: {path: "doc.json", overwrite: true, content: "${toJSON(omit(fromJSON(steps.now.content), id))}"}}]
	}
}
resources: {A: #Member, B: #Member}
`

// TestLockKeepsUpdates: resources that are members of one document, of two types, are created,
// updated and deleted concurrently, and no operation loses what another has written.
func TestLockKeepsUpdates(t *testing.T) {
	t.Parallel()
	e, dir := newWorld().engine(t, sharedDocument)
	file := filepath.Join(dir, "doc.json")
	if err := os.WriteFile(file, []byte(`{"other":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const count = 8
	states := make([]*engine.State, count)
	name := func(i int) (string, engine.Ref) {
		typ := []string{"A", "B"}[i%2]
		return fmt.Sprintf("m%d", i), engine.Ref{Type: typ, Name: fmt.Sprint(i), Key: fmt.Sprint("urn:", i)}
	}
	for _, phase := range []struct {
		what string
		run  func(i int) error
		want func(i int) (value float64, there bool)
	}{
		{"create", func(i int) error {
			id, ref := name(i)
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref, Inputs: check(t, e, ref.Type, object("name", id, "value", i))})
			states[i] = out.State
			return out.Err
		}, func(i int) (float64, bool) { return float64(i), true }},
		{"update", func(i int) error {
			id, ref := name(i)
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: *states[i], Inputs: check(t, e, ref.Type, object("name", id, "value", 10*i+1))})
			states[i] = out.State
			return out.Err
		}, func(i int) (float64, bool) { return float64(10*i + 1), true }},
		{"delete", func(i int) error {
			_, ref := name(i)
			if i < 2 {
				return nil
			}
			return e.Delete(t.Context(), engine.DeleteRequest{Ref: ref, State: *states[i]})
		}, func(i int) (float64, bool) { return float64(10*i + 1), i < 2 }},
	} {
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() {
				if err := phase.run(i); err != nil {
					t.Errorf("%s of %d: %v", phase.what, i, err)
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		want := map[string]float64{"other": 1}
		for i := range count {
			if v, there := phase.want(i); there {
				id, _ := name(i)
				want[id] = v
			}
		}
		text, err := os.ReadFile(file)
		var got map[string]float64
		if err = errors.Join(err, json.Unmarshal(text, &got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", phase.what, diff)
		}
	}
}

// TestLockHolds: the lock of an operation is held from its first step, with its find, to its last
// undo step, and released however the operation ends.
func TestLockHolds(t *testing.T) {
	t.Parallel()
	const text = `
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	consistency: "1ms"
	#call: {with: "${inputs.name}", ...}
	find: {lock: "one", world: ask: #call & {what: "find"}, return: "${result.body}"}
	create: {
		lock: "one"
		retry: {on: [409], attempts: 2, backoff: "1ms"}
		steps: [
			{world: post: #call & {what: "first", safe: true}, onFailure: [{lock: "one", world: do: #call & {what: "undo"}}]},
			{lock: "two", retry: attempts: 1, world: post: #call & {what: "second", safe: true}},
		]
	}
	delete: world: do: what: "remove"
}
`
	conflict := classed(refused("changed meanwhile"), "409")
	for name, tc := range map[string]struct {
		second actions.Outcome
		last   string // the last call of each create
	}{
		"done":        {yields(), "second"},
		"retried":     {conflict, "undo"},
		"failed":      {failed("half done"), "undo"},
		"not settled": {lost(), "undo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("find", yields("status", 200, "body", nil)).on("second", tc.second)
			w.hooks["first"] = func(context.Context, *actions.Call) actions.Outcome {
				time.Sleep(time.Millisecond) // the others come meanwhile
				return yields()
			}
			e, _ := w.engine(t, text)
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() { create(t.Context(), t, e, fmt.Sprint(i)) })
			}
			all.Wait()
			var order []string // of the creates, as their calls came
			last := map[string]string{}
			for _, line := range w.log() {
				call, name, _ := strings.Cut(line, " ")
				if last[name] = call; len(order) == 0 || order[len(order)-1] != name {
					order = append(order, name)
				}
			}
			if want := map[string]string{"0": tc.last, "1": tc.last, "2": tc.last, "3": tc.last}; len(order) != 4 || !maps.Equal(last, want) {
				t.Errorf("the calls came in the order %v, and ended with %v", order, last)
			}
		})
	}
}

// create creates a Thing.
func create(ctx context.Context, t *testing.T, e *engine.Engine, name string) engine.Result {
	of := engine.Ref{Type: "Thing", Name: name, Key: "urn:" + name}
	return e.Create(ctx, engine.CreateRequest{Ref: of, Inputs: check(t, e, "Thing", object("name", name))})
}

// TestLockWaits: the wait for the lock of an operation ends when the operation is cancelled or its
// time is up: nothing was called then, and the lock goes to the next one.
func TestLockWaits(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: {lock: "one", steps: [{world: do: {what: "make", with: "${inputs.name}"}}, {world: do: what: "more"}]}
	delete: world: do: what: "remove"
}`)
	began, finish := make(chan struct{}), make(chan struct{})
	w.hooks["more"] = func(context.Context, *actions.Call) actions.Outcome {
		close(began)
		<-finish
		w.hooks["more"] = nil
		return yields()
	}
	holder := make(chan engine.Result, 1)
	go func() { holder <- create(t.Context(), t, e, "holder") }()
	<-began
	cancelled := cancellable(t, time.Minute)
	time.AfterFunc(20*time.Millisecond, func() { cancelled.stop(actions.ErrStopped) })
	if out := create(cancelled.ctx, t, e, "cancelled"); !errors.Is(out.Err, actions.ErrStopped) || out.State != nil {
		t.Errorf("cancelled: %+v", out)
	}
	limited := engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "limited")), Timeout: 20 * time.Millisecond}
	if out := e.Create(t.Context(), limited); !errors.Is(out.Err, context.DeadlineExceeded) || out.State != nil {
		t.Errorf("limited: %+v", out)
	}
	close(finish)
	if out := <-holder; out.Err != nil {
		t.Error(out.Err)
	}
	if out := create(t.Context(), t, e, "next"); out.Err != nil {
		t.Error(out.Err)
	}
	if diff := cmp.Diff([]string{"make holder", "more", "make next", "more"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLocksInACircle: two operations that wait for each other's locks do not wait forever. The
// second one fails before its step is sent, and the first one goes on.
func TestLocksInACircle(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	#other: "${inputs.name == 'a' ? 'b' : 'a'}"
	id: "${inputs.name}"
	create: {lock: "${inputs.name}", steps: [{world: do: what: "first"}, {lock: #other, world: do: what: "second"}]}
	delete: world: do: what: "remove"
}`)
	var both sync.WaitGroup
	both.Add(2)
	w.hooks["first"] = func(context.Context, *actions.Call) actions.Outcome {
		both.Done()
		both.Wait()
		return yields()
	}
	results := make(chan engine.Result, 2)
	for _, name := range []string{"a", "b"} {
		go func() { results <- create(t.Context(), t, e, name) }()
	}
	one, other := <-results, <-results
	if (one.Err == nil) == (other.Err == nil) {
		t.Errorf("one of them should fail: %v, %v", one.Err, other.Err)
	}
	if diff := cmp.Diff([]string{"first", "first", "second"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

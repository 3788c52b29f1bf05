package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestCreatesOfOneName runs creates at the same time whose finds would find the same object. One makes it, and
// the others find it and are refused, whether its response arrives or not. Creates of other names do not wait.
func TestCreatesOfOneName(t *testing.T) {
	t.Parallel()
	for rule, names := range map[string][]string{
		"": {"it", "it", "it"}, "@equal(fold)": {"it", "IT", "It"}, "@equal(trim)": {"it", " it", "it "},
		`@equal("${lower(old) == lower(new)}")`: {"it", "IT", "It"},
	} {
		for _, loses := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, loses %v", rule, loses), func(t *testing.T) {
				t.Parallel()
				sameNames(t, rule, names, loses)
			})
		}
	}
}

func sameNames(t *testing.T, rule string, names []string, loses bool) {
	t.Helper()
	var mu sync.Mutex
	var made []string
	looked := make(chan struct{}, 100) // more than there are finds
	w := newWorld()
	w.hooks["find"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		name, _ := call.Args["with"].(string)
		mu.Lock()
		defer mu.Unlock()
		defer func() { looked <- struct{}{} }()
		for i, other := range made {
			if strings.EqualFold(strings.TrimSpace(other), strings.TrimSpace(name)) {
				return yields("id", fmt.Sprint(i), "name", other)
			}
		}
		return actions.Missing(errLost)
	}
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		// The others look now, unless they wait.
		for range names[1:] {
			select {
			case <-looked:
			case <-time.After(20 * time.Millisecond):
			}
		}
		name, _ := call.Args["with"].(string)
		mu.Lock()
		defer mu.Unlock()
		made = append(made, name)
		if loses {
			return lost()
		}
		return yields("id", fmt.Sprint(len(made)-1), "name", name)
	}
	s := newScene(t, w, `inputs: name: string `+rule+` @replace()
	consistency: "0s"
	id: "${result.id}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "find", with: "${inputs.name}"}
	delete: world: do: what: "remove"`)
	var wait sync.WaitGroup
	results := make([]engine.Result, len(names))
	for i, name := range names {
		wait.Go(func() {
			results[i] = s.e.Create(t.Context(), engine.CreateRequest{
				Ref: engine.Ref{Type: "Thing", Name: fmt.Sprint(i), Key: fmt.Sprint("urn:", i)}, Inputs: object("name", name),
			})
		})
	}
	wait.Wait()
	succeeded := 0
	for _, r := range results {
		if r.Err == nil {
			succeeded++
		}
	}
	if succeeded != 1 || len(made) != 1 {
		t.Errorf("%d creates succeeded, and made %q: %v", succeeded, made, results)
	}
}

package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestOnlyWhatWasMadeIsDeleted: creates of three steps that end in every way at every
// step, with undo on any of them: their delete goes to the places that the create has, or
// may have, brought into the world, and to no other, whoever is there.
func TestOnlyWhatWasMadeIsDeleted(t *testing.T) {
	ends := map[string]actions.Outcome{
		"refused": refused("it is there"),
		"failed":  failed("half of it"),
		"unknown": {Status: actions.Unknown, Err: errLost},
	}
	for end, outcome := range ends {
		for at := range 3 {
			for undo := range 8 { // a bit for each step
				for _, also := range []string{"", "again"} {
					t.Run(fmt.Sprintf("%s at %d, undo %03b %s", end, at, undo, also), func(t *testing.T) {
						t.Parallel()
						w := newWorld()
						var steps, removes []string
						for i := range 3 {
							name, with := fmt.Sprintf("make%d", i), fmt.Sprintf("/p%d/${inputs.name}", i)
							step := fmt.Sprintf(`{world: post: {what: %q, with: %q, once: true}`, name, with)
							if undo&(1<<i) != 0 {
								step += fmt.Sprintf(`, onFailure: [{world: do: {what: "undo%d", with: %q}}]`, i, with)
							}
							steps = append(steps, step+"}")
							removes = append(removes, fmt.Sprintf(`{world: do: {what: "remove%d", with: "/p%d/${id}"}}`, i, i))
						}
						slices.Reverse(removes)
						w.on(fmt.Sprintf("make%d", at), outcome)
						s := newScene(t, w, `inputs: name: string @replace()
	id: "${ inputs.name }"
	create: steps: [`+strings.Join(steps, ", ")+`]
	delete: steps: [`+strings.Join(removes, ", ")+`]`)
						out := s.create("name", "a")
						if out.Err == nil {
							t.Fatalf("%+v", out)
						}
						if out.State == nil {
							return // then nothing is deleted
						}
						undone := undoneIn(s.w.log())
						if also != "" { // the same once more, by the next run
							if out = s.update(out.State, "name", "a"); out.Err == nil {
								t.Fatalf("%+v", out)
							}
							undone = append(undone, undoneIn(s.w.log())...)
						}
						if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
							t.Fatal(err)
						}
						var want []string
						for i := 2; i >= 0; i-- {
							made := i < at || i == at && end != "refused"
							if made && !slices.Contains(undone, i) {
								want = append(want, fmt.Sprintf("remove%d /p%d/a", i, i))
							}
						}
						if diff := gocmp.Diff(want, s.w.log()); diff != "" {
							t.Errorf("the delete (-want +got):\n%s", diff)
						}
					})
				}
			}
		}
	}
}

// undoneIn are the steps whose undo is among calls.
func undoneIn(calls []string) []int {
	var out []int
	for _, call := range calls {
		var i int
		if n, _ := fmt.Sscanf(call, "undo%d", &i); n == 1 {
			out = append(out, i)
		}
	}
	return out
}

// TestPlacesAreTold: where requests and file actions go is told from what is written, in
// whatever way that is.
func TestPlacesAreTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		id               string // "${inputs.name}" where it is ""
		first, second    string // the second is refused
		deletes, removed []string
	}{
		{
			name: "by the same path", first: `method: "PUT", path: "/policies/${inputs.name}"`, second: `method: "PUT", path: "/things/${inputs.name}"`,
			deletes: []string{"/things/${id}", "/policies/${id}"}, removed: []string{"/policies/a"},
		},
		{
			name: "in a collection", first: `method: "POST", path: "/policies"`, second: `method: "POST", path: "things"`,
			deletes: []string{"/things/${ inputs.name }", "/policies/${inputs.name}"}, removed: []string{"/policies/a"},
		},
		{
			name: "with a query", first: `method: "PUT", path: "/policies/${inputs.name}?dry=0"`, second: `method: "PUT", path: "/things/${inputs.name}?x=${inputs.name}"`,
			deletes: []string{"/things/${id}?force=true", "/policies/${id}"}, removed: []string{"/policies/a"},
		},
		{
			name: "a part of what was made", first: `method: "PUT", path: "/things/${inputs.name}"`, second: `method: "PUT", path: "/things/${id}/parts/one"`,
			deletes: []string{"/things/${id}/parts/one", "/things/${id}"}, removed: []string{"/things/a"},
		},
		{
			name: "a change of what was made", first: `method: "POST", path: "/things"`, second: `method: "PATCH", path: "/things/${id}"`,
			deletes: []string{"/things/${id}"}, removed: []string{"/things/a"},
		},
		{
			name: "an action on what was made", first: `method: "PUT", path: "/things/${inputs.name}"`, second: `method: "POST", path: "/things/${inputs.name}"`,
			deletes: []string{"/things/${id}"}, removed: []string{"/things/a"},
		},
		{
			name: "where nobody can tell", first: `method: "POST", path: "/make"`, second: `method: "POST", path: "/more"`,
			deletes: []string{"/things/${id}"}, removed: []string{"/things/a"},
		},
		{
			name: "an id of two parts", id: "${inputs.name}/main",
			first: `method: "PUT", path: "/policies/${inputs.name}"`, second: `method: "PUT", path: "/things/${inputs.name}/main"`,
			deletes: []string{"/things/${inputs.name}/main", "/policies/${inputs.name}"}, removed: []string{"/policies/a"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var removed []string
			writes := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if r.Method == http.MethodDelete {
					removed = append(removed, r.URL.Path)
				} else if writes++; writes > 1 {
					w.WriteHeader(http.StatusConflict)
				}
				fmt.Fprint(w, "{}")
			}))
			t.Cleanup(server.Close)
			var deletes []string
			for _, path := range tc.deletes {
				deletes = append(deletes, fmt.Sprintf(`{http: {method: "DELETE", path: %q}}`, path))
			}
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engine(t, fmt.Sprintf(`http: baseURL: %q
resources: Thing: {
	inputs: name: string @replace()
	id: %q
	create: steps: [{http: {%s}}, {http: {%s}}]
	delete: steps: [%s]
}`, server.URL, cmp.Or(tc.id, "${inputs.name}"), tc.first, tc.second, strings.Join(deletes, ", ")))
			s := &scene{T: t, w: w, e: e}
			out := s.create("name", "a")
			if out.Err == nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(tc.removed, removed); diff != "" {
				t.Errorf("the delete (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFilesOfOthersAreKept: a create that is refused because a file is there never
// deletes that, whichever action would have made it.
func TestFilesOfOthersAreKept(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"write":       `file: write: {path: "theirs/${inputs.name}", content: "x"}`,
		"mkdir":       `file: mkdir: path: "theirs/${inputs.name}/"`,
		"copy":        `file: copy: {from: "ours", path: "theirs/${inputs.name}"}`,
		"symlink":     `file: symlink: {path: "theirs/${inputs.name}", target: "ours"}`,
		"with a root": `file: write: {root: "theirs", path: "${inputs.name}", content: "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.journal = t.TempDir()
			e, dir := w.engine(t, `permissions: {read: ["**"], write: ["**"]}
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [{file: write: {path: "ours", content: "1"}}, {`+second+`}]
	delete: steps: [{file: delete: {path: "theirs/${id}", recursive: true}}, {file: delete: path: "ours"}]
}`)
			theirs := filepath.Join(dir, "theirs", "a", "file")
			if err := os.MkdirAll(filepath.Dir(theirs), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(theirs, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := &scene{T: t, w: w, e: e}
			out := s.create("name", "a")
			if out.Err == nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(theirs); err != nil {
				t.Errorf("what others had: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "ours")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("our own file: %v", err)
			}
		})
	}
}

// TestAnObjectThatWasNeverMade: a create that stops before it makes the object itself
// reads, changes and deletes nothing that is there under its id.
func TestAnObjectThatWasNeverMade(t *testing.T) {
	t.Parallel()
	w := newWorld().on("make", refused("it is there"))
	w.on("read", yields("name", "a", "size", 9))
	s := newScene(t, w, `inputs: {name: string @replace(), size: *1 | int}
	id: "${inputs.name}"
	create: steps: [{world: post: {what: "policy", with: "/policies/${inputs.name}", safe: true}}, {world: post: {what: "make", with: "/things/${inputs.name}", once: true}}]
	read: world: look: {what: "read", with: "/things/${id}"}
	update: world: do: {what: "change", with: "/things/${id}"}
	delete: steps: [{world: do: {what: "remove", with: "/things/${id}"}}, {world: do: {what: "removePolicy", with: "/policies/${id}"}}]`)
	out := s.create("name", "a", "size", 1)
	if out.Err == nil || out.State == nil {
		t.Fatalf("%+v", out)
	}
	s.calls("policy /policies/a", "make /things/a")
	read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
	if read.Err != nil || read.State == nil || read.State.Inputs.Get("size").AsNumber() != 1 {
		t.Errorf("a refresh: %+v", read)
	}
	for size, replaced := range map[int]bool{1: false, 2: true} {
		diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *read.State, New: object("name", "a", "size", size)})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace }); got != replaced || got && !diff.DeleteBeforeReplace {
			t.Errorf("with size %d: %+v", size, diff)
		}
	}
	s.calls()
	if out = s.update(read.State, "name", "a", "size", 1); out.Err == nil {
		t.Errorf("%+v", out)
	}
	s.calls("make /things/a")
	if out = s.update(out.State, "name", "a", "size", 2); out.Err == nil {
		t.Errorf("%+v", out)
	}
	s.calls("make /things/a")
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *read.State}); err != nil {
		t.Fatal(err)
	}
	s.calls("removePolicy /policies/a")
}

// TestAPartThatWasNeverMade: an update of what a create has not finished changes what
// there is of it, and nothing else, and so does what deletes it then.
func TestAPartThatWasNeverMade(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		part, change string
		done         bool
		removed      []string
	}{
		"changed":          {"safe: true", "do", false, []string{"remove /things/a"}},
		"made":             {"safe: true", "post", true, []string{"removePart /parts/a", "remove /things/a"}},
		"made but guarded": {"once: true", "post", false, []string{"remove /things/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("part", refused("it is there"))
			s := newScene(t, w, `inputs: {name: string @replace(), size: *1 | int}
	id: "${inputs.name}"
	create: steps: [{world: post: {what: "make", with: "/things/${inputs.name}", safe: true}}, {world: post: {what: "part", with: "/parts/${inputs.name}", `+tc.part+`}}]
	update: steps: [{world: do: {what: "change", with: "/things/${id}"}}, {world: `+tc.change+`: {what: "changePart", with: "/parts/${id}"}}]
	delete: steps: [{world: do: {what: "removePart", with: "/parts/${id}"}}, {world: do: {what: "remove", with: "/things/${id}"}}]`)
			out := s.create("name", "a", "size", 1)
			if out.Err == nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			out = s.update(out.State, "name", "a", "size", 2)
			if (out.Err == nil) != tc.done || out.State == nil {
				t.Fatalf("%+v", out)
			}
			calls := s.w.log()
			if got := slices.Contains(calls, "changePart /parts/a"); got != tc.done || !slices.Contains(calls, "change /things/a") {
				t.Errorf("calls: %q", calls)
			}
			if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Fatal(err)
			}
			s.calls(tc.removed...)
		})
	}
}

// TestEarlierRunsCount: what nobody knows of one run stays known when the next is refused
// before it comes to that step.
func TestEarlierRunsCount(t *testing.T) {
	t.Parallel()
	w := newWorld().on("make", yields(), refused("no")).on("part", actions.Outcome{Status: actions.Unknown, Err: errLost})
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [
		{world: post: {what: "label", with: "/labels/${inputs.name}", safe: true}},
		{world: post: {what: "make", with: "/things/${inputs.name}", safe: true}, onFailure: [{world: do: {what: "undo", with: "/things/${inputs.name}"}}]},
		{world: post: {what: "part", with: "/parts/${inputs.name}", safe: true}},
	]
	delete: steps: [{world: do: {what: "removePart", with: "/parts/${id}"}}, {world: do: {what: "remove", with: "/things/${id}"}}, {world: do: {what: "removeLabel", with: "/labels/${id}"}}]`)
	out := s.create("name", "a")
	if out.State == nil {
		t.Fatalf("%+v", out)
	}
	if out = s.update(out.State, "name", "a"); out.Err == nil || out.State == nil {
		t.Fatalf("%+v", out)
	}
	s.w.log()
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"removePart /parts/a", "removeLabel /labels/a"}, s.w.log()); diff != "" {
		t.Errorf("the delete (-want +got):\n%s", diff)
	}
}

// TestARunThatDiedCounts: what a run made that went on with a create and died, so that no
// state says it, is deleted with the rest, whatever is known of a step that is not
// answered.
func TestARunThatDiedCounts(t *testing.T) {
	t.Parallel()
	for _, certainty := range []string{"", "safe: true", "once: true", "key: true", "do"} {
		t.Run(certainty, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("label", yields()).on("make", yields(), yields()).on("part", refused("no"))
			makes := fmt.Sprintf(`post: {what: "make", with: "/things/${inputs.name}", %s}`, certainty)
			if certainty == "do" { // which is always answered
				makes = `settled: {what: "make", with: "/things/${inputs.name}"}`
			}
			s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [
		{world: post: {what: "label", with: "/labels/${inputs.name}", safe: true}},
		{world: `+makes+`, onFailure: [{world: do: {what: "undo", with: "/things/${inputs.name}"}}]},
		{world: post: {what: "part", with: "/parts/${inputs.name}", safe: true}},
	]
	delete: steps: [{world: do: {what: "removePart", with: "/parts/${id}"}}, {world: do: {what: "remove", with: "/things/${id}"}}, {world: do: {what: "removeLabel", with: "/labels/${id}"}}]`)
			out := s.create("name", "a")
			if out.State == nil {
				t.Fatalf("%+v", out)
			}
			w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { panic("it dies") }
			func() {
				defer func() { _ = recover() }()
				s.update(out.State, "name", "a")
			}()
			s.w.log()
			if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff([]string{"remove /things/a", "removeLabel /labels/a"}, s.w.log()); diff != "" {
				t.Errorf("the delete (-want +got):\n%s", diff)
			}
		})
	}
}

package strings

import (
	"encoding/json"
	"io"
	"maps"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// documents generates objects whose names need escapes in a pointer. None is empty: the library takes the pointer "//a", the member a
// of the member "", for the member a of the whole. TestPointersOfTheRFC has the empty one.
func documents(depth int) *rapid.Generator[map[string]any] {
	names := rapid.SampledFrom([]string{"a", "b", " ", "a/b", "m~n", "~1", "~01", "é", "0", "-"})
	return rapid.Custom(func(t *rapid.T) map[string]any {
		return rapid.MapOfN(names, rapid.Custom(func(t *rapid.T) any {
			scalars := []any{"x", "", true, 1.0, 1.5}
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case kind == 0 && depth > 0:
				return documents(depth-1).Draw(t, "nested")
			case kind == 1:
				return rapid.SliceOfN(rapid.SampledFrom(append(scalars, nil, map[string]any{"a": 1.0})), 0, 3).Draw(t, "list")
			default:
				return rapid.SampledFrom(scalars).Draw(t, "scalar")
			}
		}), 0, 5).Draw(t, "document")
	})
}

// TestPatchesMakeTheNewDocument applies the JSON Patch from one document to another one, by another library: it makes the other one,
// also within a document.
func TestPatchesMakeTheNewDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, next := documents(2).Draw(t, "old"), documents(2).Draw(t, "new")
		changes := maps.Clone(next)
		for name := range old {
			if _, kept := next[name]; !kept {
				changes[name] = nil
			}
		}
		at, whole, want := "", any(old), any(next)
		if rapid.Bool().Draw(t, "within") {
			at, whole, want = "/the~1/spec", map[string]any{"the/": map[string]any{"spec": old, "k": 1.0}}, map[string]any{"the/": map[string]any{"spec": next, "k": 1.0}}
		}
		body, err := request.BodyOf(&actions.Call{}, "jsonPatch", map[string]any{"old": old, "new": changes, "at": at})
		if err != nil {
			t.Fatal(err)
		}
		r, err := body.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.DecodePatch(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		before, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		after, err := patch.Apply(before)
		if err != nil {
			t.Fatalf("%v: %s of %s", err, text, before)
		}
		var got any
		if err := json.Unmarshal(after, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the patch %s of %s (-want +got):\n%s", text, before, diff)
		}
	})
}

// TestPointersOfTheRFC compares the pointers of a patch with those of RFC 6901, section 5, to the members of its document.
func TestPointersOfTheRFC(t *testing.T) {
	pointers := map[string]string{
		"foo": "/foo", "": "/", "a/b": "/a~1b", "c%d": "/c%d", "e^f": "/e^f", "g|h": "/g|h", `i\j`: `/i\j`, `k"l`: `/k"l`, " ": "/ ", "m~n": "/m~0n",
	}
	for name, pointer := range pointers {
		for _, nested := range []bool{false, true} {
			old, next, want := map[string]any{name: 1.0}, map[string]any{name: 2.0}, pointer
			if nested {
				old, next, want = map[string]any{"": old}, map[string]any{"": next}, "/"+pointer
			}
			body, err := request.BodyOf(&actions.Call{}, "jsonPatch", map[string]any{"old": old, "new": next})
			if err != nil {
				t.Fatal(err)
			}
			r, err := body.Open()
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.NewDecoder(r).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{map[string]any{"op": "replace", "path": want, "value": 2.0}}, got); diff != "" {
				t.Errorf("%q, nested %t (-want +got):\n%s", name, nested, diff)
			}
		}
	}
}

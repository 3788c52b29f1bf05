package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// undoAPI makes jobs of which a second request fails, and remembers what undoes them.
func undoAPI(made string) (server *httptest.Server, log *[]string) {
	log = new([]string)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/jobs":
			respond(w, http.StatusCreated, map[string]any{"id": "job"})
		case r.URL.Path == "/bad":
			respond(w, http.StatusBadRequest, map[string]any{"error": "no"})
		case r.URL.Path == "/undo":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"id": "undo"` + made + `}`))
		case r.URL.Path == "/log":
			var sent map[string]any
			_ = json.Unmarshal(text, &sent)
			*log = append(*log, fmt.Sprint(sent["v"]))
			respond(w, http.StatusOK, map[string]any{"id": "log"})
		case strings.HasPrefix(r.URL.Path, "/made/"):
			*log = append(*log, r.Method+" "+r.URL.Path)
			respond(w, http.StatusOK, map[string]any{})
		default:
			respond(w, http.StatusNotFound, map[string]any{"error": "none"})
		}
	})), log
}

// undoneBy creates a job with these undo steps in a spec, which fails.
func undoneBy(t *testing.T, undo, made string) (out engine.Result, log []string) {
	t.Helper()
	server, all := undoAPI(made)
	defer server.Close()
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engine(t, undoSpec(undo, server.URL))
	out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Job"), Inputs: object("name", "a")})
	if out.Err == nil {
		t.Fatal("the create did not fail")
	}
	return out, *all
}

func undoSpec(undo, url string) string {
	return `http: baseURL: "` + url + `"
#Left: {id: string, made?: [...string]}
resources: Job: {
	inputs: name: string @replace()
	id: "${steps.start.body.id}"
	create: steps: [
		{as: "start", http: {method: "POST", path: "/jobs", json: "${inputs}", idempotent: false}, onFailure: [` + undo + `]},
		{as: "bad", http: {method: "PUT", path: "/bad", json: {}}},
	]
	read: http: path: "/jobs/${id}"
	delete: http: {method: "DELETE", path: "/jobs/${id}"}
}`
}

// TestNamesInUndoSteps: names in undo steps mean what they mean in all steps. `result` is that of the previous step, which is the
// step that is undone only for the first of them.
func TestNamesInUndoSteps(t *testing.T) {
	t.Parallel()
	before := map[string]string{
		"first":                     "",
		"after a step":              `{http: {method: "POST", path: "/undo", json: {}, idempotent: true}},`,
		"after a name":              `{as: "left", http: {method: "POST", path: "/undo", json: {}, idempotent: true}},`,
		"after a type":              `{as: "left", http: {method: "POST", path: "/undo", json: {}, idempotent: true, returns: #Left}},`,
		"after nothing found":       `{as: "left", http: {method: "DELETE", path: "/none"}},`,
		"after one that is skipped": `{as: "left", if: "${inputs.name == 'other'}", http: {method: "POST", path: "/undo", json: {}, idempotent: true}},`,
	}
	const skipped = "skipped"
	// What the next undo step logs; "" if vet refuses it.
	for expression, want := range map[string]map[string]string{
		"${result.body.id}":                        {"first": "job", "after a step": "undo", "after a name": "undo", "after a type": "undo", "after nothing found": skipped},
		"${body.id}":                               {"first": "job", "after a step": "undo", "after a name": "undo", "after a type": "undo", "after nothing found": skipped},
		"${body?.id ?? 'none'}":                    {"first": "job", "after a step": "undo", "after a name": "undo", "after a type": "undo", "after nothing found": skipped, "after one that is skipped": "none"},
		"${steps.left.body.id}":                    {"after a name": "undo", "after a type": "undo", "after nothing found": skipped},
		"${steps.start.body.id}":                   {"first": "job", "after a step": "job", "after a name": "job", "after a type": "job", "after nothing found": "job", "after one that is skipped": "job"},
		"${error == '' ? 'no error' : 'an error'}": {"first": "an error", "after a step": "an error", "after a name": "an error", "after a type": "an error", "after nothing found": "an error", "after one that is skipped": "an error"},
		"${steps.bad.body.id}":                     {},
	} {
		for name, steps := range before {
			undo := steps + `{http: {method: "POST", path: "/log", json: v: "` + expression + `", idempotent: true}}`
			if want[name] == "" {
				if _, diags := newWorld().compile(t, undoSpec(undo, "http://127.0.0.1:1")); !diags.HasErrors() && !strings.Contains(expression, "?") && name != "after one that is skipped" {
					t.Errorf("%s %s: vet accepts it", expression, name)
				}
				continue
			}
			out, log := undoneBy(t, undo, "")
			expected := []string{want[name]}
			if want[name] == skipped {
				expected = []string{}
			}
			if diff := cmp.Diff(expected, append([]string{}, log...)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s%v", expression, name, diff, out.Err)
			}
		}
	}
}

// TestUndoOfNull: an undo step that goes through null, of which no type says that it may be null, has not undone anything. Of
// an empty list, it has.
func TestUndoOfNull(t *testing.T) {
	t.Parallel()
	const start, typed = `{http: {method: "POST", path: "/undo", json: {}, idempotent: true}},`, `{http: {method: "POST", path: "/undo", json: {}, idempotent: true, returns: #Left}},`
	for name, tc := range map[string]struct {
		before, forEach string
		undone          map[string]bool // by what the response has
	}{
		"untyped":          {start, "${body.made}", map[string]bool{`, "made": ["x"]`: true, `, "made": []`: true, `, "made": null`: false, ``: false}},
		"with a default":   {start, "${body.made ?? []}", map[string]bool{`, "made": ["x"]`: true, `, "made": []`: true, `, "made": null`: true, ``: true}},
		"a declared type":  {typed, "${body.made}", map[string]bool{`, "made": ["x"]`: true, `, "made": []`: true, ``: true}},
		"of the step":      {"", "${body.made}", map[string]bool{``: false}},
		"only an own list": {"", "${['x']}", map[string]bool{``: true}},
	} {
		for made, undone := range tc.undone {
			out, log := undoneBy(t, tc.before+`{forEach: "`+tc.forEach+`", http: {method: "DELETE", path: "/made/${each.value}"}}`, made)
			if (out.State == nil) != undone {
				t.Errorf("%s, %q: undone: %v, want %v: %v", name, made, out.State == nil, undone, out.Err)
			}
			if removes := strings.Contains(made, "x") || name == "only an own list"; removes != slices.Contains(log, "DELETE /made/x") {
				t.Errorf("%s, %q: sent %v", name, made, log)
			}
		}
	}
}

// TestNamesOfUndoSteps: a name stands for one step.
func TestNamesOfUndoSteps(t *testing.T) {
	t.Parallel()
	const step = `http: {method: "POST", path: "/undo", json: {}, idempotent: true}`
	for undo, want := range map[string][]string{
		`{as: "left", ` + step + `}, {as: "right", ` + step + `}`: nil,
		`{as: "left", ` + step + `}, {as: "left", ` + step + `}`:  {"duplicate-name"},
		`{as: "start", ` + step + `}`:                             {"duplicate-name"},
		`{as: "bad", ` + step + `}`:                               {"duplicate-name"},
	} {
		_, diags := newWorld().compile(t, undoSpec(undo, "http://127.0.0.1:1"))
		var got []string
		for _, d := range diags {
			if d.Severity.String() == "error" {
				got = append(got, d.Code)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", undo, diff)
		}
	}
}

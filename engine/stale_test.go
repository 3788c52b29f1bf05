package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"testing"
)

// keyedThings is an API that answers a POST with a key that it knows as it did the first
// time. While it is unlucky, its responses get lost. What it makes can be seen once it was
// looked for hidden times.
type keyedThings struct {
	unlucky      bool
	made, hidden int
	there        map[string]bool
	responses    map[string]string
}

func (a *keyedThings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	id := path.Base(r.URL.Path)
	key := r.Header.Get("Idempotency-Key")
	switch {
	case r.Method == "POST" && a.responses[key] == "":
		a.made++
		id = fmt.Sprintf("t%d", a.made)
		a.there[id] = true
		a.responses[key] = `{"id": "` + id + `"}`
		fallthrough
	case r.Method == "POST" && a.unlucky:
		if a.unlucky {
			http.Error(w, "{}", http.StatusBadGateway)
			return
		}
		fallthrough
	case r.Method == "POST":
		_, _ = w.Write([]byte(a.responses[key]))
	case !a.there[id]:
		http.Error(w, "{}", http.StatusNotFound)
	case a.hidden > 0:
		a.hidden--
		http.Error(w, "{}", http.StatusNotFound)
	default:
		_, _ = w.Write([]byte(`{"id": "` + id + `", "name": "a"}`))
	}
}

// TestStaleResponses: a create that is sent again with its key may get the response of what
// is gone since. That is not taken for something that is there.
func TestStaleResponses(t *testing.T) {
	const read = `read: http: path: "/things/${id}"`
	for name, tc := range map[string]struct {
		read    string
		deleted bool
		hidden  int
		made    int // in the end
	}{
		"deleted":              {read, true, 0, 2},
		"there":                {read, false, 0, 1},
		"there, and late":      {read, false, 2, 1},
		"nobody reads it":      {"", false, 0, 1},
		"deleted, and no read": {"", true, 0, 1}, // nothing can tell
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &keyedThings{unlucky: true, there: map[string]bool{}, responses: map[string]string{}, hidden: tc.hidden}
			server := httptest.NewServer(api)
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: {name: string @replace()}
	id: "${result.body.id}"
	consistency: "1s"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	`+tc.read+`
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`)
			s := &scene{T: t, w: w, e: e}
			if out := s.create("name", "a"); out.Err == nil {
				t.Fatal("the first response was not lost")
			}
			if api.unlucky = false; tc.deleted {
				clear(api.there)
			}
			out := s.create("name", "a")
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if want := fmt.Sprintf("t%d", tc.made); out.State.ID != want || api.made != tc.made {
				t.Errorf("%d were made, and its id is %q, want %q", api.made, out.State.ID, want)
			}
			if got := s.statuses(); len(got) > 1 {
				t.Errorf("in the journal: %v", got)
			}
		})
	}
}

package engine_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// namedThings is an API whose objects have their names for addresses. Its next update is
// answered with 502, after it was done or instead, where it is to be unlucky.
type namedThings struct {
	objects         map[string]map[string]any
	unlucky, undone bool
	updates         int
}

func (a *namedThings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	name := path.Base(r.URL.Path)
	object, body := a.objects[name], map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	if r.Method != "GET" && name != "things" {
		a.updates++
	}
	switch {
	case r.Method == "POST" && name == "things":
		object = body
		a.objects[body["name"].(string)] = object
	case object == nil:
		http.Error(w, "{}", http.StatusNotFound)
		return
	case r.Method != "GET":
		unlucky := a.unlucky
		a.unlucky = false
		if !unlucky || !a.undone {
			delete(a.objects, name)
			maps.Copy(object, body)
			a.objects[object["name"].(string)] = object
		}
		if unlucky {
			http.Error(w, "{}", http.StatusBadGateway)
			return
		}
	}
	_ = json.NewEncoder(w).Encode(object)
}

// TestLostRenames: an update that gives a resource another name, and whose response is
// lost, is not sent again to the address that it left, however safe to repeat its
// request is said to be. What came of it, find tells; without one nobody does, and
// nothing is taken for gone.
func TestLostRenames(t *testing.T) {
	const find = `find: {http: path: "/things/${inputs.name}"}`
	for name, tc := range map[string]struct {
		update, find  string
		undone, other bool // not done; it changes no name
		settled       bool // by the first run, or by the next
	}{
		"PUT":                     {`{method: "PUT", json: "${inputs}"}`, find, false, false, true},
		"PUT, not done":           {`{method: "PUT", json: "${inputs}"}`, find, true, false, true},
		"PATCH, idempotent":       {`{method: "PATCH", json: "${changes}", idempotent: true}`, find, false, false, true},
		"POST, idempotent":        {`{method: "POST", json: "${inputs}", idempotent: true}`, find, false, false, true},
		"POST":                    {`{method: "POST", json: "${inputs}"}`, find, false, false, true},
		"PUT without find":        {`{method: "PUT", json: "${inputs}"}`, "", false, false, false},
		"PUT of the size":         {`{method: "PUT", json: "${inputs}"}`, find, false, true, true},
		"PUT without find, size":  {`{method: "PUT", json: "${inputs}"}`, "", false, true, true},
		"PUT of the size, undone": {`{method: "PUT", json: "${inputs}"}`, "", true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			api := &namedThings{objects: map[string]map[string]any{}, undone: tc.undone}
			server := httptest.NewServer(api)
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: {name: string, size: int}
	id: "${inputs.name}"
	consistency: "0s"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	`+tc.find+`
	read: http: path: "/things/${id}"
	update: http: {path: "/things/${id}"} & `+tc.update+`
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`)
			s := &scene{T: t, w: w, e: e}
			made := s.create("name", "a", "size", 1)
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			wanted := []any{"name", "b", "size", 1}
			if tc.other {
				wanted = []any{"name", "a", "size", 2}
			}
			api.unlucky = true
			out := s.update(made.State, wanted...)
			if api.updates > 1 && !tc.other && !tc.undone {
				t.Errorf("it was sent %d times", api.updates)
			}
			if out.State == nil {
				t.Fatalf("the state is lost: %v", out.Err)
			}
			if tc.find == "" && !tc.other {
				if gone := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh}); !gone.Gone {
					t.Errorf("%+v", gone)
				}
				if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
					t.Error(err)
				}
				if got := s.statuses(); !slices.Contains(got, journal.Unknown) {
					t.Errorf("in the journal: %v, and the API has %v", got, api.objects)
				}
			}
			if out.Err != nil {
				out = s.update(out.State, wanted...)
			}
			if settled := out.Err == nil; settled != tc.settled {
				t.Fatalf("it is settled: %t, want %t (%v)", settled, tc.settled, out.Err)
			}
			if !tc.settled {
				return
			}
			read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State})
			if read.Err != nil || read.State == nil || !read.State.Inputs.Get("name").Equals(object(wanted...).Get("name")) {
				t.Errorf("%+v, and the API has %v", read, api.objects)
			}
			if api.objects[wanted[1].(string)]["size"] != float64(wanted[3].(int)) || len(api.objects) != 1 {
				t.Errorf("the API has %v", api.objects)
			}
		})
	}
}

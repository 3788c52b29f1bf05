package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// lateDelete is a delete, or an undo, after whose request another one finds nothing.
type lateDelete struct {
	// asks is what the last request asks for: the operation that the response names (by its body or its headers), or the object.
	asks string
	// gone is true if the object is gone. by is what tells: "read", "find", "gone" (the spec says that a 404 of the operation is one of
	// the object), or nothing.
	gone bool
	by   string
	verb string // delete or undo
}

// lateDeletes returns all of them.
func lateDeletes() (all []lateDelete) {
	for _, asks := range []string{"body", "header", "object"} {
		for _, gone := range []bool{true, false} {
			for _, by := range []string{"read", "find", "gone", ""} {
				for _, verb := range []string{"delete", "undo"} {
					if asks == "object" && (!gone || by == "gone") || verb == "undo" && by != "read" && by != "" {
						continue
					}
					all = append(all, lateDelete{asks, gone, by, verb})
				}
			}
		}
	}
	return all
}

func (d lateDelete) spec(url string) string {
	asked := map[string]string{"body": "/operations/${steps.REQUEST.body.operation}", "header": "${steps.REQUEST.headers.location}", "object": "/things/${id}"}[d.asks]
	more, tells := "", ""
	switch d.by {
	case "read":
		tells = `read: http: path: "/things/${id}"`
	case "find":
		tells = `find: http: path: "/things/${inputs.name}"`
	case "gone":
		more = `gone: "${status == 404}", `
	}
	removes := `{as: "REQUEST", http: {method: "DELETE", path: "/things/${id}"}}, {` + more + `http: path: "` + asked + `", until: "${body.done}", every: "1ms"}`
	last := ""
	if d.verb == "undo" {
		last = `{http: {method: "PUT", path: "/refused", json: {}}}`
	}
	named := func(name string) string { return strings.ReplaceAll(removes, "REQUEST", name) }
	return `http: baseURL: "` + url + `"
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	` + tells + `
	create: steps: [{http: {method: "PUT", path: "/things/${inputs.name}", json: "${inputs}", ifNoneMatch: false}, onFailure: [` + named("undo") + `]}, ` + last + `]
	delete: steps: [` + named("remove") + `]
}`
}

// TestLateDeletes: that there is no operation says nothing about the object.
func TestLateDeletes(t *testing.T) {
	t.Parallel()
	for _, d := range lateDeletes() {
		t.Run(fmt.Sprintf("%s/%s/gone %v/by %s", d.verb, d.asks, d.gone, d.by), func(t *testing.T) {
			t.Parallel()
			there := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/refused":
					respond(w, http.StatusBadRequest, map[string]any{"message": "no"})
				case r.Method == http.MethodPut:
					there = true
					respond(w, http.StatusCreated, map[string]any{"name": "blue"})
				case r.Method == http.MethodDelete:
					there = !d.gone
					w.Header().Set("Location", "/operations/7")
					respond(w, http.StatusAccepted, map[string]any{"operation": "7"})
				case r.URL.Path == "/things/blue" && there:
					respond(w, http.StatusOK, map[string]any{"name": "blue"})
				default:
					respond(w, http.StatusNotFound, map[string]any{"message": "none"})
				}
			}))
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engine(t, d.spec(server.URL))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "blue")})
			done := d.asks == "object" || d.gone && d.by != "" || d.by == "gone"
			if d.verb == "undo" {
				if out.Err == nil || (out.State == nil) != done {
					t.Fatalf("undone: %v, want %v: %v", out.State == nil, done, out.Err)
				}
				return
			}
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State})
			if (err == nil) != done {
				t.Errorf("deleted: %v, want %v: %v", err == nil, done, err)
			}
		})
	}
}

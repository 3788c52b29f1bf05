package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// TestUpdatesTwice: vet warns of an update that takes effect twice if a response is lost, and the
// engine sends no other one twice.
func TestUpdatesTwice(t *testing.T) {
	t.Parallel()
	const (
		read  = `read: http: path: "/things/${id}"`
		blind = `read: {http: path: "/things/${id}", return: {}}`
	)
	for name, tc := range map[string]struct {
		inputs, read, update string
		severity             diag.Severity // of the warning, or 0
		sent                 int64         // of the request whose first response is lost
	}{
		"read shows it":         {"title: string", read, `http: {method: "POST", path: "/things/${id}", json: "${inputs}"}`, 0, 1},
		"no read":               {"title: string", "", `http: {method: "POST", path: "/things/${id}", json: "${inputs}"}`, diag.Warning, 2},
		"read returns no input": {"title: string @noRead()", blind, `http: {method: "POST", path: "/things/${id}", json: "${inputs}"}`, diag.Warning, 2},
		"PATCH":                 {"title: string", "", `http: {method: "PATCH", path: "/things/${id}", json: "${inputs}"}`, 0, 2},
		"declared":              {"title: string", "", `http: {method: "POST", path: "/things/${id}", json: "${inputs}", idempotent: true}`, 0, 2},
		"accepted":              {"title: string", "", `http: {method: "POST", path: "/things/${id}", json: "${inputs}", idempotent: false}`, diag.Note, 2},
		"first of two":          {"title: string", read, `steps: [{http: {method: "POST", path: "/things/${id}", json: "${inputs}"}}, {http: {method: "PUT", path: "/labels/${id}"}}]`, diag.Warning, 2},
		"first of two, the second may be left out": {"title: string", read, `steps: [{http: {method: "POST", path: "/things/${id}", json: "${inputs}"}}, {if: "${inputs.title == 'b'}", http: {method: "PUT", path: "/labels/${id}"}}]`, diag.Warning, 2},
		"last of two":              {"title: string", read, `steps: [{http: {method: "PUT", path: "/labels/${id}"}}, {http: {method: "POST", path: "/things/${id}", json: "${inputs}"}}]`, 0, 1},
		"a step that reads behind": {"title: string", read, `steps: [{http: {method: "POST", path: "/things/${id}", json: "${inputs}"}}, {http: path: "/things/${id}"}]`, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: fmt.Appendf(nil, `
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: %s
	id: "7"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	%s
	update: %s
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, tc.inputs, tc.read, tc.update)})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			program, diags := engine.Compile(doc.Provider, builtin.Families())
			if diff := cmp.Diff(tc.severity, severityOf(diags, "at-least-once")); diff != "" {
				t.Fatalf("%+v\n%s", diags, diff)
			}
			if sent := changesSent(t, program); sent != tc.sent {
				t.Errorf("%d requests", sent)
			}
		})
	}
}

// severityOf returns the severity of the finding with a code about the update of Thing, or 0.
func severityOf(diags diag.List, code string) diag.Severity {
	for _, d := range diags {
		if d.Code == code && d.Path == "resources.Thing.update" {
			return d.Severity
		}
	}
	return 0
}

// changesSent returns how often a change is sent whose first response is lost, by an update and the
// next run.
func changesSent(t *testing.T, program *engine.Program) int64 {
	t.Helper()
	title, sent := atomic.Value{}, atomic.Int64{}
	title.Store("a")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (r.Method == http.MethodPost || r.Method == http.MethodPatch) && r.URL.Path == "/things/7" {
			title.Store("b")
			if sent.Add(1) == 1 {
				panic(http.ErrAbortHandler) // the response is lost
			}
		}
		respond(w, http.StatusOK, map[string]any{"id": "7", "title": title.Load()})
	}))
	defer server.Close()
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("title", "a"))})
	for range 2 {
		if out.State == nil {
			t.Fatal(out.Err)
		}
		out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: check(t, e, "Thing", object("title", "b"))})
	}
	if out.Err != nil {
		t.Error(out.Err)
	}
	return sent.Load()
}

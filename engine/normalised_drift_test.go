package engine_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// fate is what happens to one entry of a map: what the program writes, what the server makes of it, and what it is after
// somebody else's change. "" is none.
type fate struct{ program, made, now string }

// drifted reports whether an update has to repair the entry. It is not drift that the server still shows what it made of
// the last write.
func (f fate) drifted() bool { return f.now != f.made && f.now != f.program }

// TestDriftBesideOtherValuesOfTheServer checks what an update sends after somebody else has changed a part of an input with
// @normalised(): the entries of the program, and null for those that somebody else has added or changed, but nothing about those
// that the server had added itself. Of three entries, each has each of its fates, in maps, structs, and maps within structs.
func TestDriftBesideOtherValuesOfTheServer(t *testing.T) {
	t.Parallel()
	var fates []fate
	for _, program := range []string{"", "p"} {
		for _, made := range []string{"", "p", "m"} {
			for _, now := range []string{"", "p", "m", "n"} {
				fates = append(fates, fate{program, made, now})
			}
		}
	}
	for name, form := range map[string]struct {
		inputs string
		wrap   func(map[string]any) any
	}{
		"a map":               {`labels: {[string]: string} @normalised()`, func(m map[string]any) any { return m }},
		"a struct":            {`labels: {a?: string, b?: string, c?: string} @normalised()`, func(m map[string]any) any { return m }},
		"a map in a struct":   {`labels: {in: {[string]: string}} @normalised()`, func(m map[string]any) any { return map[string]any{"in": m} }},
		"a struct in a map":   {`labels: {[string]: {a?: string, b?: string, c?: string}} @normalised()`, func(m map[string]any) any { return map[string]any{"in": m} }},
		"members of a secret": {`labels: {[string]: string} @normalised() @secret()`, func(m map[string]any) any { return m }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &relabelled{}
			server := httptest.NewServer(s)
			defer server.Close()
			e, _ := newWorld().engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {`+form.inputs+`}
	id: "7"
	create: http: {method: "PUT", path: "/things/7", json: "${inputs}", ifNoneMatch: false}
	read: http: path: "/things/7"
	update: http: {method: "PATCH", path: "/things/7", json: "${mergePatch(state, changes)}"}
	delete: http: {method: "DELETE", path: "/things/7"}
}`, object("endpoint", property.New(server.URL)))
			for i, a := range fates {
				b, c := fates[(i*7+3)%len(fates)], fates[(i*11+5)%len(fates)]
				of := func(part func(fate) string) any {
					m := map[string]any{}
					for key, f := range map[string]fate{"a": a, "b": b, "c": c} {
						if v := part(f); v != "" {
							m[key] = v
						}
					}
					return form.wrap(m)
				}
				var want map[string]any
				if a.drifted() || b.drifted() || c.drifted() {
					want = map[string]any{}
					for key, f := range map[string]fate{"a": a, "b": b, "c": c} {
						switch {
						case f.program != "":
							want[key] = f.program
						case f.drifted():
							want[key] = nil
						}
					}
				}
				s.labels = of(func(f fate) string { return f.made })
				inputs := object("labels", of(func(f fate) string { return f.program }))
				state := created(t, e, "Thing", inputs)
				s.labels = of(func(f fate) string { return f.now })
				out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
				if out.Err != nil || out.State == nil {
					t.Fatal(out.Err)
				}
				s.patch = nil
				diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: check(t, e, "Thing", inputs)})
				if err != nil {
					t.Fatal(err)
				}
				if len(diff.Changes) > 0 {
					e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: check(t, e, "Thing", inputs)})
				}
				got, _ := s.patch["labels"].(map[string]any)
				if inner, ok := got["in"].(map[string]any); ok {
					got = inner
				}
				if d := cmp.Diff(want, maps.Clone(got)); d != "" {
					t.Errorf("%v %v %v sends (-want +got):\n%s", a, b, c, d)
				}
			}
		})
	}
}

// relabelled is a server of one thing, which shows what a test gives it, and keeps the latest patch.
type relabelled struct {
	labels any
	patch  map[string]any
}

func (s *relabelled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPatch {
		_ = json.NewDecoder(r.Body).Decode(&s.patch)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"labels": s.labels})
}

package engine_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// TestPatchesOfUnions updates an input of a union from one variant to another: members are sent under their names on the wire, and what
// only the old variant has is removed.
func TestPatchesOfUnions(t *testing.T) {
	t.Parallel()
	one := [2]any{map[string]any{"someName": "s", "partOne": "p"}, map[string]any{"some_name": "s", "part_one": "p"}}
	less := [2]any{map[string]any{"someName": "s"}, map[string]any{"some_name": "s"}}
	text, list := [2]any{"text", "text"}, [2]any{[]any{"t"}, []any{"t"}}
	with := func(kind string, v [2]any, name, wire string) [2]any {
		return [2]any{map[string]any{"kind": kind, name: v[0]}, map[string]any{"kind": kind, wire: v[1]}}
	}
	for form, c := range map[string]struct {
		typ    string
		values map[string][2]any // as declared, and on the wire
	}{
		"text or a struct": {"string | #One", map[string][2]any{"text": text, "one": one, "less": less}},
		"list or a struct": {"[...string] | #One", map[string][2]any{"list": list, "one": one, "less": less}},
		"tagged": {"{kind: \"a\", partOne: #One} | {kind: \"b\", partTwo: #Two}", map[string][2]any{
			"one": with("a", one, "partOne", "part_one"), "less": with("a", less, "partOne", "part_one"),
			"two": with("b", [2]any{map[string]any{"otherName": 2.0}, map[string]any{"other_name": 2.0}}, "partTwo", "part_two"),
		}},
	} {
		for place, wrap := range map[string]func(v any) any{
			"":          func(v any) any { return v },
			"in a map":  func(v any) any { return map[string]any{"theKey": v} },
			"in a part": func(v any) any { return map[string]any{"part": v} },
		} {
			declared := map[string]string{"": c.typ, "in a map": "[string]: " + c.typ, "in a part": "{part: " + c.typ + "}"}[place]
			for _, patch := range []string{"object", "merge"} {
				short, expanded := restForms(t, `
name: "things"
version: "1.0.0"
wire: "snake_case"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#One: {someName: string, partOne?: string}
#Two: otherName: int
resources: Thing: {
	inputs: {v: `+declared+`}
	rest: {path: "/things", update: "PUT", patch: "`+patch+`", idempotencyKey: true, list: "none"}
}`)
				for before, was := range c.values {
					for after, is := range c.values {
						if before == after {
							continue
						}
						for way, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
							runCase(t, strings.Join([]string{form, place, patch, before, after, way}, "/"), func(t *testing.T) {
								t.Parallel()
								s := &wholeServer{objects: map[string]map[string]any{"/things/7": {"v": wrap(was[1]), "other": 1.0}}}
								server := httptest.NewServer(s)
								defer server.Close()
								e := wholeEngine(t, t, text, server.URL, t.TempDir())
								inputs := object("v", wrap(was[0]))
								out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: engine.State{ID: "7", Inputs: inputs, Outputs: inputs}, Inputs: object("v", wrap(is[0]))})
								got := withoutNullMembers(s.objects["/things/7"]["v"])
								if diff := cmp.Diff(wrap(is[1]), got); diff != "" || out.Err != nil {
									t.Errorf("(-want +got):\n%s\n%v\n%s", diff, out.Err, strings.Join(s.requests(), "\n"))
								}
							})
						}
					}
				}
			}
		}
	}
}

// withoutNullMembers returns a value as a server keeps it that removes what is null.
func withoutNullMembers(v any) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for name, v := range members {
		if v != nil {
			out[name] = withoutNullMembers(v)
		}
	}
	return out
}

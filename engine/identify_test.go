package engine_test

import (
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestResponsesWithoutTheID: a create whose response does not contain the id gets it from find, which
// has found nothing before.
func TestResponsesWithoutTheID(t *testing.T) {
	const spec = `inputs: {name: string, size?: int}
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	delete: world: do: what: "remove"`
	cases := []struct {
		name     string
		response actions.Outcome
		found    []actions.Outcome
		id       string
		calls    []string
	}{
		{"a response with an id", yields("id", "7"), []actions.Outcome{gone("it")}, "7", []string{"find a", "make a"}},
		{"a response without an id", yields("ok", true), []actions.Outcome{gone("it"), yields("id", "7")}, "7", []string{"find a", "make a", "find a", "read 7"}},
		{"an id of null", yields("id", nil), []actions.Outcome{gone("it"), yields("id", "7")}, "7", []string{"find a", "make a", "find a", "read 7"}},
		{"no response", yields(), []actions.Outcome{gone("it"), yields("id", "7")}, "7", []string{"find a", "make a", "find a", "read 7"}},
		{"nothing is found", yields("ok", true), []actions.Outcome{gone("it")}, "", []string{"find a", "make a", "find a"}},
		{"the find fails", yields("ok", true), []actions.Outcome{gone("it"), failed("busy")}, "", []string{"find a", "make a", "find a"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld().on("make", tc.response).on("find", tc.found...).on("read", yields("name", "a"))
			s := newScene(t, w, spec)
			out := s.create("name", "a")
			if tc.id == "" {
				if out.Err == nil {
					t.Errorf("%+v", out)
				}
			} else if out.Err != nil || out.State.ID != tc.id {
				t.Errorf("%+v", out)
			}
			s.calls(tc.calls...)
		})
	}
}

package rest_test

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// TestReturnsThatNoReadHas: a `return` of the resource is a finding where the read of rest takes the object from a list,
// however that is written, and nowhere else.
func TestReturnsThatNoReadHas(t *testing.T) {
	t.Parallel()
	rests := map[string]bool{ // whether read takes the object from the list
		`rest: "/pets"`:                                                               false,
		`rest: {path: "/pets", unwrap: "data"}`:                                       false,
		`rest: {path: "/pets", read: "GET /pet/${id}"}`:                               false,
		`rest: {path: "/pets", read: "list"}`:                                         true,
		`rest: {path: "/pets", read: "list", unique: "name"}`:                         true,
		`rest: {path: "/pets", read: "list", unwrap: "data", items: "pets?"}`:         true,
		`rest: {path: "/pets", read: "list", id: "${inputs.name}"}`:                   true,
		`rest: {path: "/pets", read: "list", returns: #Pet, list: "POST /pets/find"}`: true,
	}
	returns := map[string]bool{"": false, `return: "${body.data}"`: true, `return: {name: "${body.title}"}`: true}
	reads := map[string]bool{"": true, `read: {http: path: "/pets", return: "${find(body, .id == id)}"}`: false}
	for rest, lists := range rests {
		for written, given := range returns {
			for read, ofRest := range reads {
				t.Run(rest+" "+written+" "+read, func(t *testing.T) {
					t.Parallel()
					_, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(loadtest.Head + fmt.Sprintf(`#Pet: {id: string, name: string}
resources: Pet: {
	inputs: name: string @replace()
	%s
	%s
	%s
}
`, rest, written, read))})
					found := false
					for _, d := range diags {
						found = found || d.Code == source.CodeReturnNotRead
					}
					if want := lists && given && ofRest; found != want {
						t.Errorf("found: %t, want %t: %+v", found, want, diags)
					}
				})
			}
		}
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestAddressesThatReadDoesNotShow: the parent of an object is part of its address, and read does not return it. A
// refresh keeps it, so that the next delete is about this object and not about that of somebody else under the
// address without the parent.
func TestAddressesThatReadDoesNotShow(t *testing.T) {
	t.Parallel()
	for parent, none := range map[string]string{"parent?: string": "null", `parent: *"" | string`: "''"} {
		for _, byID := range []bool{true, false} {
			for _, id := range []string{`"${full}"`, `"${inputs.name}"`} {
				for _, read := range []string{`{name: "${body.name}", parent: "${body.prent}"}`, `"${body}"`} {
					if id != `"${full}"` && byID {
						continue // this id does not name the object
					}
					t.Run(fmt.Sprint(parent, " ", byID, " ", id, " ", read), func(t *testing.T) {
						t.Parallel()
						full := "inputs.parent == " + none + " ? inputs.name : inputs.parent + '/' + inputs.name"
						path := `"/files/${segments(id)}"`
						if !byID {
							path = `"/files/${segments(` + strings.NewReplacer("inputs.name", "(state.name ?? '-')", "inputs.parent", map[string]string{"null": "state.parent", "''": "(state.parent ?? '')"}[none]).Replace(full) + `)}"`
						}
						s, url := newPapers(t)
						s.set("/files/bolts", map[string]any{"name": "bolts"})
						u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace(), `+parent+` @replace()}
	let: full: "${`+full+`}"
	id: `+id+`
	create: http: {method: "PUT", path: "/files/${segments(full)}", json: {name: "${inputs.name}"}, ifNoneMatch: "*"}
	read: {http: path: `+path+`, return: `+read+`}
	delete: http: {method: "DELETE", path: `+path+`}
}`)
						if err := u.up(object("name", "bolts", "parent", "parts")); err != nil {
							t.Fatal(err)
						}
						for range 2 {
							out := u.e.Read(u.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *u.state, Reason: engine.Refresh})
							if out.Err != nil || out.State == nil {
								t.Fatal(out.Err, out.State)
							}
							u.state = out.State
						}
						if !u.state.Inputs.Get("parent").Equals(property.New("parts")) {
							t.Errorf("the recorded inputs are %v", u.state.Inputs)
						}
						u.destroy()
						if s.get("/files/bolts") == nil || s.get("/files/parts/bolts") != nil {
							t.Error("the delete was about another object")
						}
					})
				}
			}
		}
	}
}

package engine_test

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// TestRecursiveTypes: a definition may refer to itself in each form, wherever a spec has a type, and
// with everything that the type is searched for: secrets, other names on the wire.
func TestRecursiveTypes(t *testing.T) {
	t.Parallel()
	members := map[string]string{"plain": `label?: string`, "secret": `label?: string @secret()`, "renamed": `label?: string @wire(Label)`}
	for form, next := range map[string]string{
		"optional": `#Node`, "nullable": `#Node | null`, "a list": `[...#Node] | null`, "items": `[...(#Node | null)]`, "a map": `{[string]: #Node | null}`,
		"a struct": `{inner?: #Node | null}`, "each other": `#Other | null`, "a union": `string | #Node | null`,
	} {
		for member, declared := range members {
			t.Run(form+"/"+member, func(t *testing.T) {
				t.Parallel()
				text := fmt.Sprintf(`
					#Node: {%s, next?: %s}
					#Other: {%s, back?: #Node | null}
					#Tree: {id: string, name: string, node?: #Node | null, made?: #Node | null}
					http: baseURL: "http://127.0.0.1:1"
					resources: Tree: {
						inputs: {name: string, node?: #Node | null}
						outputs: made?: #Node | null
						id: "${result.body.id}"
						create: http: {method: "POST", path: "/trees", json: "${inputs}", idempotencyKey: true, returns: #Tree}
						read: http: {path: "/trees/${id}", returns: #Tree}
						update: http: {method: "PUT", path: "/trees/${id}", json: "${inputs}", returns: #Tree}
						delete: http: {method: "DELETE", path: "/trees/${id}"}
						methods: graft: {
							inputs: node: #Node | null
							outputs: node?: #Node | null
							http: {method: "POST", path: "/trees/${id}", json: "${inputs.node}", returns: #Tree}
							return: node: "${result.body.node}"
						}
					}
					functions: find: {
						inputs: node: #Node
						outputs: node: #Node
						http: {method: "POST", path: "/find", effect: "none", json: "${inputs.node.next}", returns: #Node}
						return: node: "${result.body}"
					}`,
					declared, next, declared)
				e, _ := newWorld().engine(t, text)
				inputs := object("name", "a", "node", value(object("label", "b")))
				if got := check(t, e, "Tree", inputs); got.Get("name").AsString() != "a" {
					t.Errorf("Check returns %v", property.New(got))
				}
			})
		}
	}
}

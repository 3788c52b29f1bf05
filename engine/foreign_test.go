package engine_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/diag"
)

// TestMayBeForeign: vet warns of each step of an update or delete that goes by name to what
// a create may be kept without, in whatever way the two are written, and of no other.
func TestMayBeForeign(t *testing.T) {
	t.Parallel()
	const (
		policy  = `http: {method: "PUT", path: "/policies/${inputs.name}", ifNoneMatch: true}`
		thing   = `http: {method: "PUT", path: "/things/${inputs.name}", ifNoneMatch: true}`
		removes = `http: {method: "DELETE", path: "/things/${id}"}`
	)
	for name, tc := range map[string]struct {
		id             string // "${inputs.name}" where it is ""
		create         []string
		update, delete string
		warns          int
	}{
		"by the same path":               {create: []string{policy, thing}, delete: removes, warns: 1},
		"with spaces":                    {id: "${ inputs.name }", create: []string{policy, thing}, delete: removes, warns: 1},
		"in a collection":                {create: []string{policy, `http: {method: "POST", path: "things"}`}, delete: removes, warns: 1},
		"with a query":                   {create: []string{policy, thing}, delete: `http: {method: "DELETE", path: "/things/${id}?force=true"}`, warns: 1},
		"of the inputs":                  {create: []string{policy, thing}, delete: `http: {method: "DELETE", path: "/things/${inputs.name}"}`, warns: 1},
		"a file":                         {create: []string{policy, `file: write: {path: "theirs/${inputs.name}", content: "x"}`}, delete: `file: delete: path: "theirs/${id}"`, warns: 1},
		"a file below a root":            {create: []string{policy, `file: write: {root: "theirs", path: "${inputs.name}", content: "x"}`}, delete: `file: delete: path: "theirs/${id}"`, warns: 1},
		"changed":                        {create: []string{policy, thing}, update: `http: {method: "PATCH", path: "/things/${id}"}`, delete: `http: {method: "DELETE", path: "/policies/${id}"}`, warns: 1},
		"changed by a PUT":               {create: []string{policy, thing}, update: `http: {method: "PUT", path: "/things/${id}"}`, delete: `http: {method: "DELETE", path: "/policies/${id}"}`, warns: 1},
		"changed by a PUT like create's": {create: []string{policy, `http: {method: "PUT", path: "/things/${inputs.name}"}`}, update: `http: {method: "PUT", path: "/things/${id}"}`, delete: `http: {method: "DELETE", path: "/policies/${id}"}`},
		"made first":                     {create: []string{thing, policy}, delete: removes},
		"made first, and undone":         {create: []string{thing + `, onFailure: [{` + removes + `}]`, policy}, delete: removes, warns: 1},
		"made alone, and undone":         {create: []string{thing + `, onFailure: [{` + removes + `}]`}, delete: removes},
		"made alone":                     {create: []string{thing}, delete: removes},
		"after what is undone":           {create: []string{policy + `, onFailure: [{http: {method: "DELETE", path: "/policies/${inputs.name}"}}]`, thing}, delete: removes, warns: 1},
		"after what only looks":          {create: []string{`http: path: "/areas/${inputs.name}"`, thing}, delete: removes},
		"a part of what was made":        {create: []string{thing, `http: {method: "PUT", path: "/things/${inputs.name}/parts/one"}`}, delete: `http: {method: "DELETE", path: "/things/${id}/parts/one"}`},
		"a part of what has an id":       {id: "${steps.make.body.id}", create: []string{`as: "make", http: {method: "POST", path: "/areas"}`, `http: {method: "PUT", path: "/things/${steps.make.body.id}"}`}, delete: removes},
		"by what was answered":           {create: []string{policy, `as: "make", http: {method: "POST", path: "/things"}`}, delete: `http: {method: "DELETE", path: "/things/${state.number ?? 0}"}`},
		"asked before":                   {create: []string{policy, `as: "thing", ` + thing}, delete: `if: "${made.thing}", ` + removes},
		"asked before, and more":         {create: []string{policy, `as: "thing", ` + thing}, delete: `if: "${made.thing && inputs.size != null}", ` + removes},
		"asked by a choice":              {create: []string{policy, `as: "thing", ` + thing}, delete: `if: "${inputs.size == null ? made.thing : false}", ` + removes},
		"asked of a later step":          {create: []string{policy, thing, `as: "part", http: {method: "POST", path: "/parts"}`}, delete: `if: "${made.part}", ` + removes},
		"asked of an earlier step":       {create: []string{`as: "policy", ` + policy, thing}, delete: `if: "${made.policy}", ` + removes, warns: 1},
		"asked for the opposite":         {create: []string{policy, `as: "thing", ` + thing}, delete: `if: "${!made.thing}", ` + removes, warns: 1},
		"asked with another way":         {create: []string{policy, `as: "thing", ` + thing}, delete: `if: "${made.thing || inputs.size != null}", ` + removes, warns: 1},
		"asked of the state":             {create: []string{policy, thing}, delete: `if: "${state.number != null}", ` + removes},
		"elsewhere":                      {create: []string{policy, thing}, delete: `http: {method: "DELETE", path: "/other/${id}"}`},
		"a command":                      {create: []string{policy, `exec: command: ["make", "${inputs.name}"]`}, delete: `exec: command: ["remove", "${id}"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			update := ""
			if tc.update != "" {
				update = "update: {" + tc.update + "}"
			}
			n, _ := warnings(t, fmt.Sprintf(`permissions: {read: ["**"], write: ["**"], hosts: ["https://things.example.com"], run: ["make", "remove"]}
resources: Thing: {
	inputs: {name: string @replace(), size?: int}
	outputs: number?: int @wire(n)
	id: %q
	create: steps: [{%s}]
	%s
	delete: {%s}
	return: number: "${null}"
}`, cmp.Or(tc.id, "${inputs.name}"), strings.Join(tc.create, "}, {"), update, tc.delete), "may-be-foreign")
			if n != tc.warns {
				t.Errorf("%d warnings, want %d", n, tc.warns)
			}
		})
	}
}

// TestMadeIsTyped: `made` has a member for each named step of create that has an effect, and
// is there where there is a state.
func TestMadeIsTyped(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ create, delete, code string }{
		"a step":                {`{as: "a", world: do: what: "x"}`, `${made.a}`, ""},
		"another name":          {`{as: "a", world: do: what: "x"}`, `${made.b}`, "unknown-member"},
		"a step without effect": {`{as: "a", world: look: what: "x"}, {as: "b", world: do: what: "x"}`, `${made.a}`, "unknown-member"},
		"no named step":         {`{world: do: what: "x"}`, `${made.a}`, "name-not-here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := newWorld().compile(t, fmt.Sprintf(`resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [%s]
	delete: {if: %q, world: do: what: "remove"}
}`, tc.create, tc.delete))
			var codes []string
			for _, d := range diags {
				if d.Severity == diag.Error {
					codes = append(codes, d.Code)
				}
			}
			if got := strings.Join(codes, " "); got != tc.code {
				t.Errorf("%q: %+v", got, diags)
			}
		})
	}
}

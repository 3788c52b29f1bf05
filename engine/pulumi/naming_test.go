package pulumi_test

import (
	"regexp"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

const named = `
package lab
name: "lab"
version: "1.0.0"
resources: Thing: {
	inputs: name: string @autoname(max=20)
	outputs: {}
	id: "${inputs.name}"
	create: lab: do: what: "create"
	read: lab: look: what: "read"
	delete: lab: do: what: "delete"
}
`

// TestAutonaming: the engine's mode and proposal reach the attribute, and the
// seed decides what is random.
func TestAutonaming(t *testing.T) {
	c := (&lab{}).provider(t, named)
	const (
		propose = pulumirpc.CheckRequest_AutonamingOptions_PROPOSE
		enforce = pulumirpc.CheckRequest_AutonamingOptions_ENFORCE
		disable = pulumirpc.CheckRequest_AutonamingOptions_DISABLE
	)
	cases := []struct {
		name    string
		options *pulumirpc.CheckRequest_AutonamingOptions
		want    string // a regular expression
		refused bool
	}{
		{name: "none", want: `^one-[0-9a-f]{7}$`},
		{name: "propose", options: &pulumirpc.CheckRequest_AutonamingOptions{Mode: propose, ProposedName: "one-dev"}, want: `^one-dev$`},
		{name: "enforce", options: &pulumirpc.CheckRequest_AutonamingOptions{Mode: enforce, ProposedName: "exactly"}, want: `^exactly$`},
		{name: "enforce too long", options: &pulumirpc.CheckRequest_AutonamingOptions{Mode: enforce, ProposedName: "longer-than-twenty-runes"}, refused: true},
		{name: "disable", options: &pulumirpc.CheckRequest_AutonamingOptions{Mode: disable}, refused: true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var names []string
			for range 2 {
				res, err := c.Raw().Check(t.Context(), &pulumirpc.CheckRequest{
					Urn: thing.URN(), Type: thing.Type, Name: thing.Name, RandomSeed: []byte("seed"), Autonaming: tc.options,
				})
				if err != nil {
					t.Fatal(err)
				}
				if tc.refused != (len(res.GetFailures()) > 0) {
					t.Fatalf("failures = %v", res.GetFailures())
				}
				inputs, err := wire.Decode(res.GetInputs())
				if err != nil {
					t.Fatal(err)
				}
				if v := inputs.Get("name"); v.IsString() {
					names = append(names, v.AsString())
				}
			}
			if tc.refused {
				return
			}
			if len(names) != 2 || names[0] != names[1] || !regexp.MustCompile(tc.want).MatchString(names[0]) {
				t.Errorf("names = %q, want one twice that matches %s", names, tc.want)
			}
		})
	}
}

// TestAutonameIsKept: an earlier name stands, until the resource is replaced.
func TestAutonameIsKept(t *testing.T) {
	c := (&lab{}).provider(t, named)
	first, err := c.Check(t.Context(), thing, property.Map{}, property.Map{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Check(t.Context(), thing, first.Inputs, property.Map{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "inputs of the second run", again.Inputs, first.Inputs)
}

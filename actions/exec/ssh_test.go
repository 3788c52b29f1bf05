package exec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

func TestMachinesThatAreNamed(t *testing.T) {
	str := func(s string) *spec.Node { return &spec.Node{Kind: spec.StringNode, Text: s} }
	num := func(s string) *spec.Node { return &spec.Node{Kind: spec.NumberNode, Text: s} }
	object := func(kv ...any) *spec.Node {
		n := &spec.Node{Kind: spec.MapNode}
		for i := 0; i < len(kv); i += 2 {
			n.Fields = append(n.Fields, spec.Field{Name: kv[i].(string), Value: kv[i+1].(*spec.Node)})
		}
		return n
	}
	for _, tt := range []struct {
		name string
		ssh  *spec.Node
		want []string
	}{
		{"host", object("host", str("a.example")), []string{"ssh://a.example"}},
		{"host and port", object("host", str("a.example"), "port", num("2222")), []string{"ssh://a.example:2222"}},
		{"address", object("host", str("::1"), "port", num("2222")), []string{"ssh://[::1]:2222"}},
		{"templates", object("host", str("${config.host}"), "port", str("${config.port}")), []string{"ssh://${config.host}:${config.port}"}},
		{"jump", object("host", str("a.example"), "jump", object("host", str("j.example"))), []string{"ssh://j.example", "ssh://a.example"}},
		{"a whole template", str("${inputs.machine}"), nil},
		{"no host", object("user", str("me")), nil},
	} {
		var got []string
		for _, g := range needs(actions.Static{Nodes: map[string]*spec.Node{"ssh": tt.ssh}}) {
			if g.Access != grant.Connect {
				t.Errorf("%s: access %d", tt.name, g.Access)
			}
			got = append(got, g.Pattern.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

package file

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

func node(text string) *spec.Node {
	at := diag.Point("s.cue", 3, 10)
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: at, Marks: []spec.Mark{{Offset: 0, Pos: at.Start}}}
}

func TestFamilyGrants(t *testing.T) {
	for _, tc := range []struct{ name, root, literal, want string }{
		{"a template", "${config.root}", "", "${config.root}/**"},
		{"literal", "out/", "out/", "out/**"},
		{"wildcards in a name", "[1]", "[1]", "[[]1]/**"},
		{"the file system", "/", "/", "/**"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			static := actions.Static{Nodes: map[string]*spec.Node{"root": node(tc.root)}, Literals: map[string]any{}}
			if tc.literal != "" {
				static.Literals["root"] = tc.literal
			}
			got := Family().Grants(static)
			if len(got) != 1 || got[0].Access != grant.Write {
				t.Fatalf("got %+v", got)
			}
			if p := got[0].Pattern; p.Text != tc.want || p.Range != node("").Range {
				t.Errorf("got %+v, want %q", p, tc.want)
			}
		})
	}
	if got := Family().Grants(actions.Static{}); got != nil {
		t.Errorf("a spec without root gets %+v", got)
	}
}

func TestKindGrants(t *testing.T) {
	for _, tc := range []struct {
		kind  string
		nodes map[string]string
		want  map[grant.Access]string
	}{
		{"write", map[string]string{"path": "${inputs.path}", "root": "${config.root}"}, map[grant.Access]string{grant.Write: "${config.root}/${inputs.path}"}},
		{"read", map[string]string{"path": "a"}, map[grant.Access]string{grant.Read: "a"}},
		{"read", map[string]string{"path": "/etc/motd", "root": "out"}, map[grant.Access]string{grant.Read: "/etc/motd"}},
		{"copy", map[string]string{"path": "a", "from": "b", "root": "out"}, map[grant.Access]string{grant.Read: "out/b", grant.Write: "out/a"}},
		{"delete", map[string]string{}, map[grant.Access]string{}},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			static := actions.Static{Nodes: map[string]*spec.Node{}, Literals: map[string]any{}}
			for name, text := range tc.nodes {
				static.Nodes[name] = node(text)
			}
			got := map[grant.Access]string{}
			for _, g := range Family().Kind(tc.kind).Analyze(static).Grants {
				got[g.Access] = g.Pattern.Text
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGrantPlaces checks that every character of a joined pattern has its position.
func TestGrantPlaces(t *testing.T) {
	root, path := node("r"), node("päth")
	path.Marks[0].Pos = diag.Position{Line: 7, Column: 4}
	pattern := joinPatterns(root, path)
	if got := pattern.At(4, 6).Start; got != (diag.Position{Line: 7, Column: 6}) {
		t.Errorf("%q: got positions %v", pattern.Text, got)
	}
}

package grants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// checkDefaults warns if the block of defaults of a family needs an origin that the permissions do
// not grant while the settings have their defaults: then nothing works before the user sets them.
func (g *granting) checkDefaults(families *arguments.Families) {
	if !slices.ContainsFunc(g.granted.Permissions, func(have plan.Permission) bool { return have.Access == grant.Connect }) {
		return // each step reports it
	}
	for _, f := range families.All {
		if f.Grants == nil {
			continue
		}
		for _, need := range f.Grants(families.Static(f)) {
			name, known := g.byDefault(need.Pattern)
			if need.Access != grant.Connect || !known || !strings.Contains(need.Pattern.Text, "${") || g.coversByDefault(need, name) {
				continue
			}
			g.Warn(finding.CodeDefaultNotPermitted, need.Pattern.Range, f.Name, fmt.Sprintf("%s is not permitted", name),
				fmt.Sprintf("It is the default of a setting. Add it under `permissions: %s`, or write the template there: %q.", plan.AccessName(need.Access), need.Pattern.Text))
		}
	}
}

// coversByDefault reports whether a grant covers a need with that name, or may do so.
func (g *granting) coversByDefault(need actions.Grant, name string) bool {
	need.Pattern = &spec.Node{Kind: spec.StringNode, Text: name, Range: need.Pattern.Range}
	return slices.ContainsFunc(g.granted.Permissions, func(have plan.Permission) bool {
		if !plan.Allows(have.Access, need.Access) {
			return false
		}
		pattern, known := g.byDefault(have.Node)
		return !known || mayMatch(need, pattern)
	})
}

// byDefault returns the text of a template if all settings in it have their defaults. known is
// false if one has no default, or if the template depends on anything else.
func (g *granting) byDefault(n *spec.Node) (text string, known bool) {
	v, diags := expr.Compile(n, g.names.ConfigScope(), nil)
	if diags.HasErrors() {
		return "", false
	}
	config := map[string]any{}
	for _, ref := range v.Refs() {
		if ref.Path[0] != "config" || len(ref.Path) < 2 {
			return "", false
		}
		p := g.names.Spec.Config.Field(ref.Path[1])
		if p == nil || p.Default == nil {
			return "", false
		}
		config[p.Name] = p.Default
	}
	out, err := v.Eval(&expr.Vars{Values: map[string]any{"config": config}})
	if err != nil {
		return "", false
	}
	text, known = out.(string)
	return text, known
}

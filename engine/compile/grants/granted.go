// Package grants compiles what a spec is granted, and reports steps that need more.
package grants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Granted are the grants of a spec: those of its permissions block or, without one, those that the
// spec implies.
type Granted struct {
	Permissions []plan.Permission
	// Declared reports whether the spec has a permissions block.
	Declared bool
	// broken are the accesses of grants with a mistake.
	broken []grant.Access
}

// Compile compiles the grants of a spec.
func Compile(c *finding.Collector, names *scopes.Names, families *arguments.Families) *Granted {
	p := names.Spec
	g := &granting{Collector: c, names: names, granted: &Granted{Declared: p.Permissions != nil}}
	if !g.granted.Declared {
		for _, f := range families.All {
			if f.Grants == nil {
				continue
			}
			for _, implied := range f.Grants(families.Static(f)) {
				g.add(implied.Access, implied.Pattern, true, "permissions")
			}
		}
		g.addVariables()
		g.addPackages()
		return g.granted
	}
	c.In("permissions", "permissions", func() {
		for _, block := range []struct {
			access grant.Access
			nodes  []*spec.Node
		}{
			{grant.Read, p.Permissions.Read},
			{grant.Write, p.Permissions.Write},
			{grant.Connect, p.Permissions.Hosts},
			{grant.Run, p.Permissions.Run},
			{grant.Environ, p.Permissions.Env},
			{grant.Package, p.Permissions.Packages},
		} {
			for i, n := range block.nodes {
				g.add(block.access, n, false, fmt.Sprintf("%s[%d]", plan.AccessName(block.access), i))
			}
		}
		if agent := p.Permissions.Agent; agent != nil {
			g.add(grant.Agent, agent, false, "agent")
		}
	})
	g.addVariables()
	g.checkDefaults(families)
	return g.granted
}

// granting compiles the grants of a spec one by one.
type granting struct {
	*finding.Collector
	names   *scopes.Names
	granted *Granted
}

// add compiles a grant.
func (g *granting) add(access grant.Access, n *spec.Node, implied bool, path string) {
	scope := g.names.Scope(g.names.ConfigName(), expr.Name{Name: "inputs"})
	v := g.Template(n, scope, scopes.NonEmptyString, path)
	if v == nil || access == grant.Connect && !g.isOrigin(v, n, path) {
		g.granted.broken = append(g.granted.broken, access)
		return
	}
	g.granted.Permissions = append(g.granted.Permissions, plan.Permission{Access: access, Node: n, Value: v, Implied: implied})
}

// isOrigin reports a literal host that is not an origin.
func (g *granting) isOrigin(v *expr.Value, n *spec.Node, path string) bool {
	pattern, known := v.Const()
	text, isText := pattern.(string)
	if !known || !isText {
		return true
	}
	if scheme, _, found := strings.Cut(text, "://"); found && !g.hasFamily(strings.ToLower(scheme), n, path) {
		return false
	}
	_, err := grant.CompileOrigin(text)
	if err == nil {
		return true
	}
	d := g.Fail(finding.CodeBadOrigin, n.Range, path, fmt.Sprintf("%q is not an origin", text), "Write a scheme, a host and, if it is not the standard one, a port: https://api.example.com, https://*.example.com, http://localhost:8080.")
	if _, err := grant.CompileOrigin("https://" + text); err == nil && !strings.Contains(text, "://") {
		d.Replace(text, "https://"+text)
	}
	return false
}

// hasFamily reports a scheme that no family connects by, so that the grant is never used.
func (g *granting) hasFamily(scheme string, n *spec.Node, path string) bool {
	schemes := []string{"https"} // the plugins of components
	for _, f := range g.names.Families {
		schemes = append(schemes, f.Schemes...)
	}
	if slices.Contains(schemes, scheme) {
		return true
	}
	slices.Sort(schemes)
	g.Fail(finding.CodeBadOrigin, n.Range, path, fmt.Sprintf("no action connects by the scheme %q", scheme), "").Meant(scheme, slices.Compact(schemes))
	return false
}

// addVariables adds the environment variables that settings come from, with a block or without:
// the spec sees them, and so must its reviewer. Commands do not inherit them.
func (g *granting) addVariables() {
	for _, p := range g.names.Spec.Config.Fields {
		for _, name := range p.Env {
			if !slices.ContainsFunc(g.granted.Permissions, func(have plan.Permission) bool { return have.Access == grant.Environ && have.Node.Text == name }) {
				g.add(grant.Environ, &spec.Node{Kind: spec.StringNode, Text: name, Range: p.Range}, true, "config."+p.Name)
			}
		}
	}
}

// addPackages adds what the children of components imply in a spec without a permissions block:
// their packages, and the hosts that plugins are downloaded from. The plugin of another package is
// a program that can do what the user can do, so a package requires a grant.
func (g *granting) addPackages() {
	seen := map[string]bool{}
	add := func(access grant.Access, text string, n *spec.Node) {
		if text != "" && !seen[text] {
			seen[text] = true
			g.add(access, &spec.Node{Kind: spec.StringNode, Text: text, Range: n.Range}, true, "permissions")
		}
	}
	for _, m := range g.names.Spec.Components {
		for _, ch := range m.Children {
			if ch.Type == nil || ch.Type.Kind != spec.StringNode || expr.HasTemplate(ch.Type) || plan.LocalType(g.names.Spec.Name, ch.Type) != "" {
				continue
			}
			add(grant.Package, plan.PackageOf(ch.Type.Text), ch.Type)
			if from := ch.Options.Get("pluginDownloadURL"); from != nil && from.Kind == spec.StringNode && !expr.HasTemplate(from) {
				add(grant.Connect, grant.PluginOrigin(from.Text), from)
			}
		}
	}
}

// MayCover reports whether a grant may cover a need. It compares patterns that have no templates;
// otherwise any grant of the access may cover the need.
func (g *Granted) MayCover(need actions.Grant) bool {
	if slices.ContainsFunc(g.broken, func(a grant.Access) bool { return plan.Allows(a, need.Access) }) {
		return true // what the mistake was to grant counts as granted
	}
	for _, have := range g.Permissions {
		if !plan.Allows(have.Access, need.Access) {
			continue
		}
		pattern, known := have.Value.Const()
		text := fmt.Sprint(pattern)
		switch {
		case !known:
			return true
		case isFile(need, text):
			if mayBeFile(need, text) {
				return true
			}
		case strings.Contains(need.Pattern.Text, "${") || mayMatch(need, text):
			return true
		}
	}
	return false
}

// above returns the grant of a folder that a need is below, or nil.
func (g *Granted) above(need actions.Grant) *spec.Node {
	for _, have := range g.Permissions {
		if pattern, known := have.Value.Const(); known && !have.Implied && plan.Allows(have.Access, need.Access) && isAbove(need, fmt.Sprint(pattern)) {
			return have.Node
		}
	}
	return nil
}

// isFile reports whether a pattern of paths has no special character, and both it and a need are relative:
// then it covers one file or folder, and nothing below that.
func isFile(need actions.Grant, pattern string) bool {
	isPath := need.Access == grant.Read || need.Access == grant.Write
	return isPath && pattern != "" && !strings.ContainsAny(pattern, `*?[\`) && !slices.ContainsFunc([]string{pattern, need.Pattern.Text}, func(path string) bool {
		return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "${") || strings.Contains(path, "..") || strings.Contains(path, "//") || strings.Contains(path, ":")
	})
}

// mayBeFile reports whether a need, which may have templates, may be for the file of a pattern.
func mayBeFile(need actions.Grant, pattern string) bool {
	known, _, template := strings.Cut(strings.TrimPrefix(need.Pattern.Text, "./"), "${")
	file := strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	return template && strings.HasPrefix(file, known) || !template && strings.TrimSuffix(known, "/") == file || file == "."
}

// isAbove reports whether a pattern of one folder is above a need.
func isAbove(need actions.Grant, pattern string) bool {
	known, _, _ := strings.Cut(strings.TrimPrefix(need.Pattern.Text, "./"), "${")
	folder := strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/") + "/"
	return isFile(need, pattern) && !mayBeFile(need, pattern) && strings.HasPrefix(known, folder)
}

// mayMatch reports whether a pattern may match a need; neither has templates. A glob is only
// compared up to its first special character: the actions compare it as a whole.
func mayMatch(need actions.Grant, pattern string) bool {
	switch need.Access {
	case grant.Connect:
		return grant.OriginCovers(pattern, need.Pattern.Text)
	case grant.Run:
		return grant.ProgramCovers(pattern, need.Pattern.Text)
	}
	literal := pattern
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		literal = pattern[:i]
	}
	literal, path := strings.TrimPrefix(literal, "./"), strings.TrimPrefix(need.Pattern.Text, "./")
	return strings.HasPrefix(path, literal) || strings.TrimSuffix(literal, "/") == path
}

// PackageVersions returns the granted versions of a package, or nil for any. If the package is not
// granted, ok is false.
func (g *Granted) PackageVersions(pkg string) (versions []string, ok bool) {
	for _, have := range g.Permissions {
		name, version := grant.SplitPackage(have.Node.Text)
		switch {
		case have.Access != grant.Package || name != pkg:
		case version == "":
			return nil, true
		default:
			versions = append(versions, version)
		}
	}
	if slices.Contains(g.broken, grant.Package) {
		return nil, true
	}
	return versions, versions != nil
}

// Describe returns a sentence that says what is granted of an access.
func (g *Granted) Describe(access grant.Access) string {
	var have []string
	for _, p := range g.Permissions {
		if p.Access == access {
			have = append(have, fmt.Sprintf("%q", p.Node.Text))
		}
	}
	switch {
	case have == nil && !g.Declared && access == grant.Run:
		return "Without a permissions block, a spec may run the programs that it names itself. A program that a value names requires the block: `permissions: run: [...]`."
	case have == nil && !g.Declared:
		return "Without a permissions block, a spec is granted what its defaults name, such as the tree under `file: root: \".\"`. Name it there, or write the block."
	case have == nil:
		return "Nothing of that kind is granted."
	}
	return "Granted: " + diag.And(have) + "."
}

package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// The children of a component may be of other packages, and the plugin of another
// package is a program that does what the user may do. So which packages there are is a
// grant, too: that of `permissions: packages`; without a block, what the types of the
// children name. Where a plugin is downloaded from is a grant of hosts.

// impliedPackages are the grants that the children of components have where there is no
// block: their packages, and where plugins are said to come from.
func (c *compiler) impliedPackages() {
	seen := map[string]bool{}
	imply := func(access grant.Access, text string, n *spec.Node) {
		if text != "" && !seen[text] {
			seen[text] = true
			c.grant(access, &spec.Node{Kind: spec.StringNode, Text: text, Range: n.Range}, true, "permissions")
		}
	}
	for _, m := range c.spec.Components {
		for _, ch := range m.Children {
			if ch.Type == nil || ch.Type.Kind != spec.StringNode || expr.HasTemplate(ch.Type) || plan.LocalType(c.spec.Name, ch.Type) != "" {
				continue
			}
			imply(grant.Package, plan.PackageOf(ch.Type.Text), ch.Type)
			if from := ch.Options.Get("pluginDownloadURL"); from != nil && from.Kind == spec.StringNode && !expr.HasTemplate(from) {
				imply(grant.Connect, grant.PluginOrigin(from.Text), from)
			}
		}
	}
}

// childPackage reports a child whose package is not granted. It returns the versions of
// the package that are, nil for any.
func (c *componentCompiler) childPackage(pl *planned) (versions []string) {
	m := pl.spec
	pkg := plan.PackageOf(pl.kind.name)
	for _, g := range c.grants {
		name, version := grant.SplitPackage(g.Node.Text)
		switch {
		case g.Access != grant.Package || name != pkg:
		case version == "":
			return nil
		default:
			versions = append(versions, version)
		}
	}
	if slices.Contains(c.unsure, grant.Package) {
		return nil
	}
	if versions == nil {
		c.fail(codeNotPermitted, m.Type.Range, "type", fmt.Sprintf("package %q is not permitted", pkg),
			fmt.Sprintf("Its plugin does what the user may do. It needs `permissions: packages: [%q]`, or one version of it. %s", pkg, c.granted(grant.Package)))
		return nil
	}
	said := m.Options.Get("version")
	switch {
	case said == nil && m.Options.Get("provider") == nil && len(versions) > 1:
		c.fail(codeNotPermitted, m.Type.Range, "type", fmt.Sprintf("which version of package %q is not said", pkg),
			fmt.Sprintf("Versions %s are permitted. Say one with `options: version`.", diag.And(versions)))
	case said != nil && said.Kind == spec.StringNode && !expr.HasTemplate(said) && !slices.Contains(versions, strings.TrimPrefix(said.Text, "v")):
		c.fail(codeNotPermitted, said.Range, "options.version", fmt.Sprintf("version %s of package %q is not permitted", said.Text, pkg), c.granted(grant.Package))
	}
	return versions
}

// childDownload reports a child whose plugin comes from where nothing may come from.
func (c *componentCompiler) childDownload(n *spec.Node) {
	if n == nil || n.Kind != spec.StringNode || expr.HasTemplate(n) {
		return // what a template yields is known when it runs
	}
	origin := grant.PluginOrigin(n.Text)
	if origin == "" {
		c.fail(codeBadOption, n.Range, "pluginDownloadURL", fmt.Sprintf("%q is not a place that Pulumi downloads plugins from", n.Text), "It begins with "+grant.PluginSchemes+".")
		return
	}
	if !c.mayHave(actions.Grant{Access: grant.Connect, Pattern: &spec.Node{Kind: spec.StringNode, Text: origin}}) {
		c.fail(codeNotPermitted, n.Range, "pluginDownloadURL", fmt.Sprintf("plugins may not be downloaded from %s", origin),
			fmt.Sprintf("It needs `permissions: hosts` to cover %q. %s", origin, c.granted(grant.Connect)))
	}
}

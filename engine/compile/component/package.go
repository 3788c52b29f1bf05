package component

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// checkPackage reports a package of the child that is not granted. It returns the granted versions
// of the package, or nil for any.
func (c *child) checkPackage() []string {
	m, pkg := c.spec, plan.PackageOf(c.kind.name)
	versions, ok := c.Granted.PackageVersions(pkg)
	version := m.Options.Get("version")
	switch {
	case !ok:
		c.Fail(finding.CodeNotPermitted, m.Type.Range, "type", fmt.Sprintf("package %q is not permitted", pkg),
			fmt.Sprintf("Its plugin can do what the user can do. It requires `permissions: packages: [%q]`, or one version of it. %s", pkg, c.Granted.Describe(grant.Package)))
	case versions == nil:
	case version == nil && m.Options.Get("provider") == nil && len(versions) > 1:
		c.Fail(finding.CodeNotPermitted, m.Type.Range, "type", fmt.Sprintf("package %q is permitted in several versions, and the child chooses none", pkg),
			fmt.Sprintf("Versions %s are permitted. Choose one with `options: version`.", diag.And(versions)))
	case version != nil && version.Kind == spec.StringNode && !expr.HasTemplate(version) && !slices.Contains(versions, strings.TrimPrefix(version.Text, "v")):
		c.Fail(finding.CodeNotPermitted, version.Range, "options.version", fmt.Sprintf("version %s of package %q is not permitted", version.Text, pkg), c.Granted.Describe(grant.Package))
	}
	return versions
}

// checkDownload reports a host that the plugin of the child may not be downloaded from.
func (c *child) checkDownload(n *spec.Node) {
	if n == nil || n.Kind != spec.StringNode || expr.HasTemplate(n) {
		return // what a template yields is checked at run time
	}
	if problem, remedy := spec.CheckDownloadURL(n.Text); problem != "" {
		c.Fail(finding.CodeBadOption, n.Range, "pluginDownloadURL", problem, remedy)
		return
	}
	origin := grant.PluginOrigin(n.Text)
	if origin == "" {
		c.Fail(finding.CodeBadOption, n.Range, "pluginDownloadURL", fmt.Sprintf("invalid host in %q", n.Text), "Write https://HOST/PATH.")
		return
	}
	if !c.Granted.MayCover(actions.Grant{Access: grant.Connect, Pattern: &spec.Node{Kind: spec.StringNode, Text: origin}}) {
		c.Fail(finding.CodeNotPermitted, n.Range, "pluginDownloadURL", fmt.Sprintf("plugins may not be downloaded from %s", origin),
			fmt.Sprintf("This requires a grant under `permissions: hosts` that covers %q. %s", origin, c.Granted.Describe(grant.Connect)))
	}
}

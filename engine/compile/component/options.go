package component

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// compileOptions compiles the options of the child.
func (c *child) compileOptions(s *expr.Scope) {
	n, o := c.spec.Options, &c.out.Options
	for _, item := range stringsIn(n.Get("dependsOn")) {
		if c.sibling(item, "dependsOn") != nil {
			o.DependsOn = append(o.DependsOn, item.Text)
		}
	}
	o.Parent = c.oneSibling("parent")
	o.DeletedWith = c.oneSibling("deletedWith")
	o.Provider = c.providerOption()
	o.Protect = c.Template(n.Get("protect"), s, scopes.BoolType, "protect")
	o.RetainOnDelete = c.Template(n.Get("retainOnDelete"), s, scopes.BoolType, "retainOnDelete")
	o.DeleteBeforeReplace = c.Template(n.Get("deleteBeforeReplace"), s, scopes.BoolType, "deleteBeforeReplace")
	o.IgnoreChanges = c.stringOptions("ignoreChanges", s)
	o.ReplaceOnChanges = c.stringOptions("replaceOnChanges", s)
	o.SecretOutputs = c.stringOptions("additionalSecretOutputs", s)
	o.Version = c.stringOption(n.Get("version"), s, "version")
	o.PluginDownloadURL = c.stringOption(n.Get("pluginDownloadURL"), s, "pluginDownloadURL")
	c.checkDownload(n.Get("pluginDownloadURL"))
	o.ImportID = c.stringOption(n.Get("import"), s, "import")
	timeouts := n.Get("customTimeouts")
	o.CreateTimeout = c.stringOption(timeouts.Get("create"), s, "customTimeouts.create")
	o.UpdateTimeout = c.stringOption(timeouts.Get("update"), s, "customTimeouts.update")
	o.DeleteTimeout = c.stringOption(timeouts.Get("delete"), s, "customTimeouts.delete")
	o.Aliases = c.aliases(n.Get("aliases"), s)
	c.checkOptions()
}

// sibling returns the child that an option names, or nil.
func (c *child) sibling(n *spec.Node, option string) *child {
	if finding.IsReported(n) {
		return nil
	}
	ch := c.child(n.Text)
	if ch == nil {
		c.Fail(finding.CodeUnknownChild, n.Range, option, fmt.Sprintf("unknown child %q in %s", n.Text, option),
			"Write the key of a child of this component.").Meant(n.Text, c.keys())
	}
	return ch
}

// oneSibling returns the key of the child that an option names, or "". It reports a child with a
// forEach.
func (c *child) oneSibling(option string) string {
	n := c.spec.Options.Get(option)
	if n == nil {
		return ""
	}
	ch := c.sibling(n, option)
	if ch == nil {
		return ""
	}
	if ch.spec.ForEach != nil {
		c.Fail(finding.CodeBadOption, n.Range, option, fmt.Sprintf("%s names child %q, which has a forEach", option, n.Text),
			"Name a child without forEach.")
		return ""
	}
	return n.Text
}

// providerOption returns the key of the child that is the provider of this one, or "".
func (c *child) providerOption() string {
	key := c.oneSibling("provider")
	if key == "" || c.kind.broken || c.child(key).kind.broken {
		return ""
	}
	n := c.spec.Options.Get("provider")
	pkg := c.kind.packageOf(c.Names.Spec.Name)
	if c.child(key).kind.provides() != pkg {
		c.Fail(finding.CodeBadOption, n.Range, "provider", fmt.Sprintf("child %q is not a provider of package %q", key, pkg),
			fmt.Sprintf("Name a child of the type %q.", plan.ProviderType+pkg))
		return ""
	}
	return key
}

// stringOption compiles an option that others can read.
func (c *child) stringOption(n *spec.Node, s *expr.Scope, path string) *expr.Value {
	v := c.Template(n, s, scopes.OptionalString, path)
	if v != nil && v.Secret() {
		name, _, _ := strings.Cut(path, "[")
		c.Fail(finding.CodeSecretExposed, n.Range, path, fmt.Sprintf("option %q contains a secret", name), "The state shows options. Remove the secret.")
	}
	return v
}

// stringOptions compiles an option that is a list of strings.
func (c *child) stringOptions(name string, s *expr.Scope) []*expr.Value {
	n := c.spec.Options.Get(name)
	if n == nil {
		return nil
	}
	var list []*expr.Value
	for i, item := range n.Items {
		if v := c.stringOption(item, s, fmt.Sprintf("%s[%d]", name, i)); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// aliases compiles the former names of the child.
func (c *child) aliases(n *spec.Node, s *expr.Scope) (list []plan.ChildAlias) {
	if n == nil {
		return nil
	}
	for i, item := range n.Items {
		path := fmt.Sprintf("aliases[%d]", i)
		if item.Kind != spec.MapNode || item.Get("literal") != nil {
			list = append(list, plan.ChildAlias{Text: c.stringOption(item, s, path)})
			continue
		}
		a := plan.ChildAlias{
			Name: c.stringOption(item.Get("name"), s, path), Type: c.stringOption(item.Get("type"), s, path),
			Parent: c.stringOption(item.Get("parent"), s, path),
			Stack:  c.stringOption(item.Get("stack"), s, path), Project: c.stringOption(item.Get("project"), s, path),
		}
		if flag := item.Get("noParent"); flag != nil {
			a.NoParent = flag.Text == "true"
		}
		list = append(list, a)
	}
	return list
}

// checkOptions reports options that have no meaning for the type of the child, and paths of
// properties in them that the type does not have.
func (c *child) checkOptions() {
	k, n := c.kind, c.spec.Options
	if k.broken || k.foreign {
		return
	}
	for _, name := range []string{"version", "pluginDownloadURL", "component"} {
		if option := n.Get(name); option != nil {
			c.Fail(finding.CodeBadOption, option.Range, name, fmt.Sprintf("option %q only applies to children of other packages", name),
				fmt.Sprintf("%s belongs to this spec, and is made by the same provider. Remove the option.", k.name))
		}
	}
	for _, name := range []string{"ignoreChanges", "replaceOnChanges"} {
		for _, item := range stringsIn(n.Get(name)) {
			if item.Text != "*" && !expr.HasTemplate(item) {
				c.CheckInputPath(k.name, k.inputs, c.Names.Spec.Types, item, name)
			}
		}
	}
	for _, item := range stringsIn(n.Get("additionalSecretOutputs")) {
		known := slices.DeleteFunc(k.seen.FieldNames(), func(name string) bool { return name == "id" || name == "urn" })
		if !expr.HasTemplate(item) && !slices.Contains(known, item.Text) {
			c.Fail(finding.CodeUnknownProperty, item.Range, "additionalSecretOutputs", fmt.Sprintf("no output %q", item.Text),
				fmt.Sprintf("%s has no output of that name.", k.name)).Meant(item.Text, known)
		}
	}
}

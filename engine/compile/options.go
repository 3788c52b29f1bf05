package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// siblingOptions are the options of a child that name other children, in a list
// or alone.
var siblingOptions = []string{"dependsOn", "parent", "provider", "deletedWith"}

// siblingsIn are the names of other children in the options of a child.
func siblingsIn(options *spec.Node) []*spec.Node {
	var list []*spec.Node
	for _, name := range siblingOptions {
		list = append(list, texts(options.Get(name))...)
	}
	return list
}

// childOptions compiles the options of a child.
func (c *componentCompiler) childOptions(out *plan.Child, pl *planned, s *expr.Scope) {
	if pl.spec.Options == nil {
		return
	}
	c.in("options", "options", func() {
		n, o := pl.spec.Options, &out.Options
		for _, item := range texts(n.Get("dependsOn")) {
			if c.sibling(item, "dependsOn") != nil {
				o.DependsOn = append(o.DependsOn, item.Text)
			}
		}
		o.Parent = c.oneSibling(n, "parent")
		o.DeletedWith = c.oneSibling(n, "deletedWith")
		o.Provider = c.childProvider(pl)
		o.Protect = c.template(n.Get("protect"), s, truthType, "protect")
		o.RetainOnDelete = c.template(n.Get("retainOnDelete"), s, truthType, "retainOnDelete")
		o.DeleteBeforeReplace = c.template(n.Get("deleteBeforeReplace"), s, truthType, "deleteBeforeReplace")
		o.IgnoreChanges = c.optionTexts(n, "ignoreChanges", s)
		o.ReplaceOnChanges = c.optionTexts(n, "replaceOnChanges", s)
		o.SecretOutputs = c.optionTexts(n, "additionalSecretOutputs", s)
		o.Version = c.optionText(n.Get("version"), s, "version")
		o.PluginDownloadURL = c.optionText(n.Get("pluginDownloadURL"), s, "pluginDownloadURL")
		c.childDownload(n.Get("pluginDownloadURL"))
		o.ImportID = c.optionText(n.Get("import"), s, "import")
		timeouts := n.Get("customTimeouts")
		o.CreateTimeout = c.duration(timeouts.Get("create"), s, "customTimeouts.create")
		o.UpdateTimeout = c.duration(timeouts.Get("update"), s, "customTimeouts.update")
		o.DeleteTimeout = c.duration(timeouts.Get("delete"), s, "customTimeouts.delete")
		c.childAliases(o, n.Get("aliases"), s)
		c.optionsFit(pl)
	})
}

// sibling is the child that an option names.
func (c *componentCompiler) sibling(n *spec.Node, option string) *planned {
	if refused(n) {
		return nil
	}
	ch := c.childOf(n.Text)
	if ch == nil {
		c.fail(codeUnknownChild, n.Range, option, fmt.Sprintf("%s names no child: %q", option, n.Text),
			"It takes the key of a child of this component. "+diag.Remedy(n.Text, c.keys()))
	}
	return ch
}

// oneSibling is the key of the one child that an option names, or "".
func (c *componentCompiler) oneSibling(options *spec.Node, option string) string {
	n := options.Get(option)
	if n == nil {
		return ""
	}
	ch := c.sibling(n, option)
	if ch == nil {
		return ""
	}
	if ch.spec.ForEach != nil {
		c.fail(codeBadOption, n.Range, option, fmt.Sprintf("%s names %q, of which there may be several", option, n.Text),
			"It takes a child without forEach.")
		return ""
	}
	return n.Text
}

// childProvider is the key of the child that is the provider of another.
func (c *componentCompiler) childProvider(pl *planned) string {
	key := c.oneSibling(pl.spec.Options, "provider")
	if key == "" || pl.kind.broken || c.childOf(key).kind.broken {
		return ""
	}
	n := pl.spec.Options.Get("provider")
	wanted := pl.kind.packageOf(c.spec.Name)
	if provides := c.childOf(key).kind.provides(); provides != wanted {
		c.fail(codeBadOption, n.Range, "provider", fmt.Sprintf("child %q is not a provider of package %q", key, wanted),
			fmt.Sprintf("A provider is a child of the type %q.", plan.ProviderType+wanted))
		return ""
	}
	return key
}

// optionText compiles an option that others can read.
func (c *componentCompiler) optionText(n *spec.Node, s *expr.Scope, path string) *expr.Value {
	v := c.template(n, s, optionalText, path)
	if v != nil && v.Secret() {
		name, _, _ := strings.Cut(path, "[")
		c.fail(codeSecretExposed, n.Range, path, fmt.Sprintf("a secret goes into option %q", name), "The state shows options. Leave the secret out.")
	}
	return v
}

func (c *componentCompiler) optionTexts(options *spec.Node, name string, s *expr.Scope) []*expr.Value {
	n := options.Get(name)
	if n == nil {
		return nil
	}
	var list []*expr.Value
	for i, item := range n.Items {
		if v := c.optionText(item, s, fmt.Sprintf("%s[%d]", name, i)); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// childAliases compiles what a child was called before.
func (c *componentCompiler) childAliases(o *plan.ChildOptions, n *spec.Node, s *expr.Scope) {
	if n == nil {
		return
	}
	for i, item := range n.Items {
		path := fmt.Sprintf("aliases[%d]", i)
		if item.Kind != spec.MapNode || item.Get("literal") != nil {
			o.Aliases = append(o.Aliases, plan.ChildAlias{Text: c.optionText(item, s, path)})
			continue
		}
		a := plan.ChildAlias{
			Name: c.optionText(item.Get("name"), s, path), Type: c.optionText(item.Get("type"), s, path),
			Parent: c.optionText(item.Get("parent"), s, path),
			Stack:  c.optionText(item.Get("stack"), s, path), Project: c.optionText(item.Get("project"), s, path),
		}
		if flag := item.Get("noParent"); flag != nil {
			a.NoParent = flag.Text == "true"
		}
		o.Aliases = append(o.Aliases, a)
	}
}

// optionsFit reports options that mean nothing for the child that has them, and
// paths in them that lead nowhere.
func (c *componentCompiler) optionsFit(pl *planned) {
	k, n := pl.kind, pl.spec.Options
	if k.broken || k.foreign {
		return
	}
	for _, name := range []string{"version", "pluginDownloadURL", "component"} {
		if option := n.Get(name); option != nil {
			c.fail(codeBadOption, option.Range, name, fmt.Sprintf("option %q is for children of other packages", name),
				fmt.Sprintf("%s is of this spec, and made by the same provider.", k.name))
		}
	}
	for _, name := range []string{"ignoreChanges", "replaceOnChanges"} {
		for _, item := range texts(n.Get(name)) {
			if item.Text != "*" && !expr.HasTemplate(item) {
				c.propertyPath(k.name, k.takes, item, name)
			}
		}
	}
	for _, item := range texts(n.Get("additionalSecretOutputs")) {
		known := slices.DeleteFunc(k.has.FieldNames(), func(name string) bool { return name == "id" || name == "urn" })
		if !expr.HasTemplate(item) && !slices.Contains(known, item.Text) {
			c.fail(codeUnknownProperty, item.Range, "additionalSecretOutputs", fmt.Sprintf("no output %q", item.Text),
				fmt.Sprintf("%s has no output of that name. %s", k.name, diag.Remedy(item.Text, known)))
		}
	}
}

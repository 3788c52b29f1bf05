package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// familyName is what a family of actions may be called.
var familyName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// provider walks the whole document.
func (l *loader) provider(v cue.Value, p *spec.Provider) {
	root := walk.Item{Value: v, Decl: l.Syntax.Root, At: l.Start()}
	b, ok := l.open(root, source.Place{}, block.Provider, func(m walk.Item) bool { return l.family(m, p) })
	if !ok {
		return
	}
	l.metadata(b, p)
	p.Wire = l.wireRule(b)
	l.Wire, l.SpecWire = p.Wire, p.Wire
	if m, ok := b.get("config"); ok {
		p.Config = l.Object(m, source.Place{Context: "config", Path: "config"}, typing.ConfigRole)
	}
	if m, ok := b.get("permissions"); ok {
		p.Permissions = l.permissions(m, source.Place{Context: "permissions", Path: "permissions"})
	} else if b.given("permissions") {
		p.Permissions = unknownGrants(b.item)
	}
	l.declarations(b, p)
	l.Finish()
}

// declarations reads the parts of a spec that have many named members.
func (l *loader) declarations(b *section, p *spec.Provider) {
	l.each(b, "resources", "resource", func(m walk.Item, at source.Place) {
		if r := l.resource(m, at); r != nil {
			p.Resources = append(p.Resources, r)
		}
	})
	l.each(b, "functions", "function", func(m walk.Item, at source.Place) {
		if f := l.function(m, at, "a function"); f != nil {
			p.Functions = append(p.Functions, f)
		}
	})
	l.each(b, "components", "component", func(m walk.Item, at source.Place) {
		if c := l.component(m, at); c != nil {
			p.Components = append(p.Components, c)
		}
	})
	l.each(b, "ephemerals", "ephemeral", func(m walk.Item, at source.Place) {
		if e := l.ephemeral(m, at); e != nil {
			p.Ephemerals = append(p.Ephemerals, e)
		}
	})
	l.each(b, "actions", "action", func(m walk.Item, at source.Place) {
		if f := l.function(m, at, "an action"); f != nil {
			p.Actions = append(p.Actions, f)
		}
	})
	l.each(b, "tests", "test", func(m walk.Item, at source.Place) {
		p.Tests = append(p.Tests, l.dataField(m, source.Place{Context: at.Context, Path: "tests"}))
	})
	if m, ok := b.get("configure"); ok {
		p.Configure = l.operation(m, source.Place{Context: "configure", Path: "configure"}, false)
	}
	l.sameName(p)
}

// family keeps a top-level block of a family of actions, unless its key is
// plainly a slip of one of the language's own.
func (l *loader) family(m walk.Item, p *spec.Provider) bool {
	near := diag.DidYouMean(m.Name, block.Provider.Names())
	if !familyName.MatchString(m.Name) || near != "" {
		return false
	}
	if m.Optional || m.Required {
		return false
	}
	p.Families = append(p.Families, l.dataField(m, source.Place{Context: m.Name + " defaults"}))
	return true
}

// sameName reports what the schema would have twice.
func (l *loader) sameName(p *spec.Provider) {
	taken := map[string]string{}
	check := func(name, what, path string, at diag.Range) {
		if other, ok := taken[name]; ok {
			l.Report(source.CodeDuplicateName, at, source.Place{Context: fmt.Sprintf("%s %q", what, name), Path: path + "." + name},
				fmt.Sprintf("%s is %s already", name, article(other)), "Resources, components and ephemerals share their names. Rename one.")
			return
		}
		taken[name] = what
	}
	for _, r := range p.Resources {
		check(r.Name, "resource", "resources", r.Range)
	}
	for _, c := range p.Components {
		check(c.Name, "component", "components", c.Range)
	}
}

// permissions reads the block of LANGUAGE.md section 7.
func (l *loader) permissions(it walk.Item, p source.Place) *spec.Permissions {
	before := len(l.Diags)
	b, ok := l.open(it, p, block.Permissions, nil)
	if !ok {
		return unknownGrants(it)
	}
	perms := &spec.Permissions{Range: it.At}
	l.fill(b, perms)
	if m, ok := b.get("agent"); ok && l.bool(m, b.at("agent")) {
		perms.Agent = &spec.Node{Kind: spec.StringNode, Text: spec.AgentVariable, Range: m.At}
	}
	if m, ok := b.get("capabilities"); ok {
		perms.Capabilities = l.capabilities(m, b.at("capabilities"))
	}
	for i, n := range perms.Packages {
		if n.Kind == spec.StringNode && !packageGrant.MatchString(n.Text) {
			l.Report(source.CodeBadValue, n.Range, source.Place{Context: p.Context, Path: fmt.Sprintf("%s.packages[%d]", p.Path, i)}, fmt.Sprintf("%q is not a package", n.Text),
				`Write its name, "random", or one version of it, "random@4.16.3". It takes no templates: which packages there are is known before anything runs.`)
		}
	}
	if len(l.Diags) > before {
		return unknownGrants(it)
	}
	return perms
}

// capabilities reads what root's commands keep; none is an empty list, and not nil.
func (l *loader) capabilities(it walk.Item, p source.Place) []string {
	kept := []string{}
	for i, n := range l.textList(it, p).Items {
		if n.Kind != spec.StringNode || !slices.Contains(spec.Capabilities(), n.Text) {
			l.Report(source.CodeBadValue, n.Range, source.Place{Context: p.Context, Path: fmt.Sprintf("%s[%d]", p.Path, i)}, fmt.Sprintf("%q is not a capability that commands keep", n.Text),
				"They keep these where root runs them, or of these what you list: "+strings.Join(spec.Capabilities(), ", ")+".")
		}
		kept = append(kept, n.Text)
	}
	return kept
}

// packageGrant is a package, as PACKAGE or PACKAGE@VERSION.
var packageGrant = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_]*(@v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?)?$`)

// unknownGrants stand in for a block with a mistake in it, which was reported:
// nobody knows what it does not grant.
func unknownGrants(it walk.Item) *spec.Permissions {
	unknown := []*spec.Node{{Range: it.At}}
	return &spec.Permissions{Range: it.At, Read: unknown, Write: unknown, Hosts: unknown, Run: unknown, Env: unknown, Packages: unknown, Agent: unknown[0]}
}

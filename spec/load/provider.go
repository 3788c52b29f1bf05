package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/let"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// familyName matches the names that a family of actions may have.
var familyName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// readProvider reads the whole document.
func (l *loader) readProvider(v cue.Value, p *spec.Provider) {
	root := walk.Item{Value: v, Decl: l.Syntax.Root, At: l.Start()}
	b, ok := l.openSection(root, source.Place{}, block.Provider, func(m walk.Item) bool { return l.keepFamily(m, p) })
	if !ok {
		return
	}
	l.readMetadata(b, p)
	p.Wire = l.readWireRule(b)
	l.Wire, l.SpecWire = p.Wire, p.Wire
	if m, ok := b.get("config"); ok {
		p.Config = l.Object(m, source.Place{Context: "config", Path: "config"}, typing.ConfigRole)
	}
	if m, ok := b.get("permissions"); ok {
		p.Permissions = l.readPermissions(m, source.Place{Context: "permissions", Path: "permissions"})
	} else if b.has("permissions") {
		p.Permissions = unknownGrants(b.item)
	}
	if m, ok := b.get("rest"); ok {
		l.readRestDefaults(m, source.Place{Context: "rest", Path: "rest"})
	}
	l.readDeclarations(b, p)
	l.Finish()
	for _, r := range p.Resources {
		at := source.Place{Context: fmt.Sprintf("resource %q", r.Name), Path: "resources." + r.Name}
		typing.CheckNested(l.Extractor, r.Inputs, p.Types, at.AddContext("inputs"))
		typing.CheckNested(l.Extractor, r.Outputs, p.Types, at.AddContext("outputs"))
	}
	l.expandShorthands(p)
	let.Expand(l.Document, p)
}

// readDeclarations reads the blocks of a spec with many named members.
func (l *loader) readDeclarations(b *section, p *spec.Provider) {
	l.readMembers(b, "resources", "resource", func(m walk.Item, at source.Place) { p.Resources = appendRead(p.Resources, l.readResource(m, at)) })
	l.readMembers(b, "functions", "function", func(m walk.Item, at source.Place) {
		p.Functions = appendRead(p.Functions, l.readFunction(m, at, "a function"))
	})
	l.readMembers(b, "components", "component", func(m walk.Item, at source.Place) { p.Components = appendRead(p.Components, l.readComponent(m, at)) })
	l.readMembers(b, "ephemerals", "ephemeral", func(m walk.Item, at source.Place) { p.Ephemerals = appendRead(p.Ephemerals, l.readEphemeral(m, at)) })
	l.readMembers(b, "actions", "action", func(m walk.Item, at source.Place) {
		p.Actions = appendRead(p.Actions, l.readFunction(m, at, "an action"))
	})
	l.readMembers(b, "tests", "test", func(m walk.Item, at source.Place) {
		p.Tests = append(p.Tests, l.readField(m, source.Place{Context: at.Context, Path: "tests"}))
	})
	if m, ok := b.get("configure"); ok {
		p.Configure = l.readOperation(m, source.Place{Context: "configure", Path: "configure"}, false)
	}
	l.reportSameNames(p)
}

// keepFamily keeps a top-level block of a family of actions, unless its key looks like a
// misspelt key of the language.
func (l *loader) keepFamily(m walk.Item, p *spec.Provider) bool {
	_, translated := foreign.Key(block.Provider.What, m.Name)
	if !familyName.MatchString(m.Name) || translated || diag.DidYouMean(m.Name, block.Provider.Names()) != "" {
		return false
	}
	if m.Optional || m.Required {
		return false
	}
	place := source.Place{Context: m.Name + " defaults", Path: m.Name}
	defaults := l.readField(m, source.Place{Context: place.Context})
	l.readDefaultRetry(m, place, defaults.Value)
	p.Families = append(p.Families, defaults)
	return true
}

// readDefaultRetry reads the `retry` of a block of defaults as that of a step.
func (l *loader) readDefaultRetry(it walk.Item, p source.Place, defaults *spec.Node) {
	for i, f := range defaults.Fields {
		if f.Name != "retry" || f.Value.Kind == 0 {
			continue
		}
		for _, m := range l.Values(it) {
			if m.Name == f.Name {
				defaults.Fields[i].Value = l.readStruct(m, p.Member(f.Name), block.Retry)
			}
		}
	}
}

// reportSameNames reports names that the schema would contain twice.
func (l *loader) reportSameNames(p *spec.Provider) {
	taken := map[string]string{}
	check := func(name, what, path string, at diag.Range) {
		if other, ok := taken[name]; ok {
			l.Report(source.CodeDuplicateName, at, source.Place{Context: fmt.Sprintf("%s %q", what, name), Path: path + "." + name},
				fmt.Sprintf("the name %s is already in use by %s", name, article(other)), "Resources, components and ephemerals share a namespace. Rename one of them.")
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

// readPermissions reads the block `permissions`.
func (l *loader) readPermissions(it walk.Item, p source.Place) *spec.Permissions {
	before := len(l.Diags)
	b, ok := l.openSection(it, p, block.Permissions, nil)
	if !ok {
		return unknownGrants(it)
	}
	perms := &spec.Permissions{Range: it.At}
	l.fill(b, perms)
	if m, ok := b.get("agent"); ok && l.readBool(m, b.at("agent")) {
		perms.Agent = &spec.Node{Kind: spec.StringNode, Text: spec.AgentVariable, Range: m.At}
	}
	if m, ok := b.get("capabilities"); ok {
		perms.Capabilities = l.readCapabilities(m, b.at("capabilities"))
	}
	for i, n := range perms.Packages {
		if n.Kind == spec.StringNode && !packageGrant.MatchString(n.Text) {
			l.Report(source.CodeBadValue, n.Range, source.Place{Context: p.Context, Path: fmt.Sprintf("%s.packages[%d]", p.Path, i)}, fmt.Sprintf("%q is not a package", n.Text),
				`Write a name, "random", or a name with a version, "random@4.16.3". Templates are not allowed, because packages must be known before anything runs.`)
		}
	}
	if len(l.Diags) > before {
		return unknownGrants(it)
	}
	return perms
}

// readCapabilities reads the capabilities that commands run by root keep. An empty list
// means none, and is returned as a non-nil slice.
func (l *loader) readCapabilities(it walk.Item, p source.Place) []string {
	kept := []string{}
	for i, n := range l.readTemplates(it, p).Items {
		if n.Kind != spec.StringNode || !slices.Contains(spec.Capabilities(), n.Text) {
			l.Report(source.CodeBadValue, n.Range, source.Place{Context: p.Context, Path: fmt.Sprintf("%s[%d]", p.Path, i)}, fmt.Sprintf("%q is not a capability that commands can keep", n.Text),
				"Commands run by root can keep these: "+strings.Join(spec.Capabilities(), ", ")+".")
		}
		kept = append(kept, n.Text)
	}
	return kept
}

// packageGrant matches PACKAGE and PACKAGE@VERSION.
var packageGrant = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_]*(@v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?)?$`)

// unknownGrants returns the permissions for a block with a mistake that was reported.
// Since its grants are unknown, it grants everything.
func unknownGrants(it walk.Item) *spec.Permissions {
	unknown := []*spec.Node{{Range: it.At}}
	return &spec.Permissions{Range: it.At, Read: unknown, Write: unknown, Hosts: unknown, Run: unknown, Env: unknown, Packages: unknown, Agent: unknown[0]}
}

package printer

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// document builds the blocks of one spec.
type document struct {
	p *spec.Provider
	// oneLine means that types are strings of one line, as in YAML.
	oneLine bool
	// packages are the packages that types use, by name.
	packages map[string]string
	// returned are definitions that no type refers to, by name: those of responses.
	returned map[string]*spec.Type
}

func newDocument(p *spec.Provider, oneLine bool) *document {
	return &document{p: p, oneLine: oneLine, packages: map[string]string{}, returned: map[string]*spec.Type{}}
}

// head returns the top level of the document, without its definitions and declarations.
func (d *document) head() block {
	p := d.p
	var b block
	b.add("name", p.Name)
	b.add("version", p.Version)
	b.add("displayName", p.DisplayName)
	b.add("keywords", texts(p.Keywords))
	b.add("homepage", p.Homepage)
	b.add("repository", p.Repository)
	b.add("license", p.License)
	b.add("publisher", p.Publisher)
	b.add("namespace", p.Namespace)
	b.add("pluginDownloadURL", p.PluginDownloadURL)
	b.add("logo", p.Logo)
	if p.Language != nil {
		b.add("language", plainValue(p.Language))
	}
	b.add("wire", p.Wire)
	b.add("maxValues", p.MaxValues)
	b.add("config", d.typeBlock(p.Config))
	if p.Permissions != nil {
		b.add("permissions", permissions(p.Permissions))
	}
	for _, f := range p.Families {
		b.add(f.Name, d.node(f.Value))
	}
	if p.Configure != nil {
		b.add("configure", d.operation(p.Configure))
	}
	return b
}

// declarations returns the blocks with many named members.
func (d *document) declarations() block {
	p := d.p
	var b block
	b.add("resources", members(p.Resources, func(r *spec.Resource) member { return member{r.Name, r.Doc, d.resource(r)} }))
	b.add("functions", members(p.Functions, d.function))
	b.add("components", members(p.Components, func(c *spec.Component) member { return member{c.Name, c.Doc, d.component(c)} }))
	b.add("ephemerals", members(p.Ephemerals, func(e *spec.Ephemeral) member { return member{e.Name, e.Doc, d.ephemeral(e)} }))
	b.add("actions", members(p.Actions, d.function))
	var tests block
	for _, f := range p.Tests {
		tests.add(f.Name, d.node(f.Value))
	}
	b.add("tests", tests)
	return b
}

// members returns a block with a member for each item, or nil if there are none.
func members[T any](items []T, of func(T) member) block {
	var b block
	for _, item := range items {
		b = append(b, of(item))
	}
	return b
}

// definitions returns the definitions of the spec. It must be called last, because it
// includes the types of responses.
func (d *document) definitions() block {
	var b block
	for _, name := range sortedKeys(d.p.Types) {
		named := d.p.Types[name]
		b = append(b, member{"#" + name, named.Doc, expression(d.typeText(named.Type))})
	}
	for _, name := range sortedKeys(d.returned) {
		b = append(b, member{"#" + name, "", expression(d.typeText(d.returned[name]))})
	}
	return b
}

// texts returns strings as a list, or nil if there are none.
func texts(items []string) list {
	var l list
	for _, item := range items {
		l = append(l, item)
	}
	return l
}

func permissions(p *spec.Permissions) block {
	b := block{}
	for _, m := range []struct {
		key   string
		nodes []*spec.Node
	}{{"read", p.Read}, {"write", p.Write}, {"hosts", p.Hosts}, {"run", p.Run}, {"env", p.Env}, {"packages", p.Packages}} {
		if m.nodes != nil {
			b.add(m.key, &spec.Node{Kind: spec.ListNode, Items: m.nodes})
		}
	}
	b.add("agent", p.Agent != nil)
	if p.Capabilities != nil {
		b.add("capabilities", append(list{}, texts(p.Capabilities)...))
	}
	return b
}

// node returns a node whose definitions have the names that they have in the document.
func (d *document) node(n *spec.Node) *spec.Node {
	if n == nil {
		return nil
	}
	c := *n
	switch {
	case n.Type != nil:
		c.Text = "#" + d.nameOf(n)
	case n.Kind == spec.ListNode:
		c.Items = make([]*spec.Node, len(n.Items))
		for i, item := range n.Items {
			c.Items[i] = d.node(item)
		}
	case n.Kind == spec.MapNode:
		c.Fields = make([]spec.Field, len(n.Fields))
		for i, f := range n.Fields {
			f.Value = d.node(f.Value)
			c.Fields[i] = f
		}
	}
	return &c
}

// nameOf returns the name of the definition that a node refers to. A type that is no
// definition of the spec's gets one.
func (d *document) nameOf(n *spec.Node) string {
	if n.Type.Ref != "" && !n.Type.Nullable {
		return n.Type.Ref
	}
	base := cmp.Or(n.Text[1:], "Response")
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += strconv.Itoa(i)
		}
		known := d.returned[name]
		if known == nil && d.p.Types[name] == nil {
			d.returned[name] = n.Type
			return name
		}
		if known != nil && reflect.DeepEqual(known, n.Type) {
			return name
		}
	}
}

func (d *document) resource(r *spec.Resource) block {
	b := block{}
	b.add("wire", r.Wire)
	b.add("inputs", d.typeBlock(r.Inputs))
	b.add("outputs", d.typeBlock(r.Outputs))
	b.add("id", d.node(r.ID))
	b.add("import", d.node(r.Import))
	b.add("checks", checks(r.Checks))
	if r.Diff != nil {
		b.add("diff", diff(r.Diff))
	}
	b.add("consistency", d.node(r.Consistency))
	for _, op := range []struct {
		key string
		op  *spec.Operation
	}{{"create", r.Create}, {"find", r.Find}, {"read", r.Read}, {"update", r.Update}, {"delete", r.Delete}} {
		if op.op != nil {
			b.add(op.key, d.operation(op.op))
		}
	}
	if r.Unsought {
		b.add("find", &spec.Node{Kind: spec.NullNode, Text: "null"})
	}
	if r.Kept {
		b.add("delete", &spec.Node{Kind: spec.NullNode, Text: "null"})
	}
	b.add("return", d.node(r.Return))
	if r.List != nil {
		l := block{}
		l.add("inputs", d.typeBlock(r.List.Inputs))
		l = append(l, d.step(r.List.Step)...)
		l.add("items", d.node(r.List.Items))
		l.add("id", d.node(r.List.ID))
		l.add("name", d.node(r.List.Name))
		b.add("list", l)
	}
	if r.Aliases != nil {
		b.add("aliases", &spec.Node{Kind: spec.ListNode, Items: r.Aliases})
	}
	b.add("deprecated", r.Deprecated)
	b.add("schemaVersion", r.SchemaVersion)
	var upgrade block
	for _, version := range slices.Sorted(maps.Keys(r.Upgrade)) {
		upgrade.add(strconv.Itoa(version), d.node(r.Upgrade[version]))
	}
	b.add("upgrade", upgrade)
	b.add("methods", members(r.Methods, d.function))
	b.add("examples", members(r.Examples, func(e *spec.Example) member { return member{e.Title, e.Doc, e.Inputs} }))
	return b
}

func checks(items []*spec.Check) list {
	var l list
	for _, c := range items {
		b := block{}
		b.add("assert", c.Assert)
		b.add("message", c.Message)
		b.add("property", c.Property)
		l = append(l, b)
	}
	return l
}

func diff(d *spec.Diff) block {
	b := block{}
	b.add("deleteBeforeReplace", d.DeleteBeforeReplace)
	var rules list
	for _, r := range d.Rules {
		rule := block{}
		rule.add("if", r.If)
		rule.add("replace", &spec.Node{Kind: spec.ListNode, Items: r.Replace})
		rules = append(rules, rule)
	}
	b.add("rules", rules)
	return b
}

func (d *document) operation(op *spec.Operation) block {
	b := block{}
	if op.NotFirst {
		b = append(b, member{key: "first", value: false})
	}
	b.add("retry", d.node(op.Retry))
	b.add("lock", d.node(op.Lock))
	if op.Listed {
		steps := list{}
		for _, s := range op.Steps {
			steps = append(steps, d.step(s))
		}
		b.add("steps", steps)
	} else if len(op.Steps) > 0 {
		b = append(b, d.step(op.Steps[0])...)
	}
	b.add("return", d.node(op.Return))
	return b
}

func (d *document) step(s *spec.Step) block {
	b := block{}
	b.add("as", s.As)
	for _, m := range []struct {
		key string
		n   *spec.Node
	}{
		{"if", s.If},
		{"forEach", s.ForEach},
		{"until", s.Until},
		{"every", s.Every},
		{"timeout", s.Timeout},
		{"retry", s.Retry},
		{"refused", s.Refused},
		{"fail", s.Fail},
		{"progress", s.Progress},
		{"gone", s.Gone},
		{"lock", s.Lock},
	} {
		b.add(m.key, d.node(m.n))
	}
	b.add("restart", s.Restart)
	b.add("preview", s.Preview)
	for _, a := range s.Actions {
		b.add(a.Name, d.node(a.Value))
	}
	var undo list
	for _, u := range s.OnFailure {
		undo = append(undo, d.step(u))
	}
	b.add("onFailure", undo)
	return b
}

func (d *document) function(f *spec.Function) member {
	b := block{}
	b.add("inputs", d.typeBlock(f.Inputs))
	b.add("outputs", d.typeBlock(f.Outputs))
	if f.Operation != nil {
		b = append(b, d.operation(f.Operation)...)
	}
	b.add("return", d.node(f.Return))
	return member{f.Name, f.Doc, b}
}

func (d *document) component(c *spec.Component) block {
	b := block{}
	b.add("inputs", d.typeBlock(c.Inputs))
	b.add("outputs", d.typeBlock(c.Outputs))
	b.add("children", append(block{}, members(c.Children, d.child)...))
	b.add("return", d.node(c.Return))
	return b
}

func (d *document) child(c *spec.Child) member {
	b := block{}
	b.add("type", d.node(c.Type))
	b.add("if", d.node(c.If))
	b.add("forEach", d.node(c.ForEach))
	b.add("inputs", d.node(c.Inputs))
	b.add("options", d.node(c.Options))
	return member{key: c.Key, value: b}
}

func (d *document) ephemeral(e *spec.Ephemeral) block {
	b := block{}
	b.add("inputs", d.typeBlock(e.Inputs))
	b.add("outputs", d.typeBlock(e.Outputs))
	for _, op := range []struct {
		key string
		op  *spec.Operation
	}{{"open", e.Open}, {"renew", e.Renew}, {"close", e.Close}} {
		if op.op != nil {
			b.add(op.key, d.operation(op.op))
		}
	}
	b.add("renewAfter", d.node(e.RenewAfter))
	return b
}

package permissions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// settingsOf returns the settings, and the inputs with defaults, to which the pattern
// refers. A reviewer of the grant `${inputs.path}` expects that the program chooses
// the path, and must see the path that the author chose for programs that do not set
// it.
func settingsOf(g plan.Permission, provider *spec.Provider, inputs []*spec.Type) []Setting {
	d := &settingsCollector{provider: provider}
	for _, ref := range g.Value.Refs() {
		switch ref.Path[0] {
		case "config":
			d.add("config", provider.Config, ref.Path[1:])
		case "inputs":
			for _, t := range inputs {
				d.inputs = t
				d.add("inputs", t, ref.Path[1:])
			}
			d.addChildren(ref.Path[1:], func(name string) bool {
				return name != "" && !slices.ContainsFunc(provider.Components, func(m *spec.Component) bool { return m.Name == name })
			})
		}
	}
	return d.settings
}

// grantInputs returns the types that `inputs` may have in a grant.
func grantInputs(p *plan.Program) ([]*spec.Type, error) {
	var all []*spec.Type
	for _, name := range p.Names {
		r, err := p.Model(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r.Inputs)
		if r.List != nil {
			all = append(all, r.List.Inputs)
		}
	}
	for _, f := range slices.Concat(p.Provider.Functions, p.Provider.Actions) {
		all = append(all, f.Inputs)
	}
	for _, e := range p.Provider.Ephemerals {
		all = append(all, e.Inputs)
	}
	return all, nil
}

// settingsCollector collects the settings and inputs that affect a grant.
type settingsCollector struct {
	provider *spec.Provider
	settings []Setting
	// inputs is the type to which expressions refer. component is its component, or nil.
	inputs    *spec.Type
	component *spec.Component
}

// addChildren adds the values that components of the spec pass to an input of their
// children of some types.
func (d *settingsCollector) addChildren(path []string, of func(typeName string) bool) {
	inputs, component := d.inputs, d.component
	for _, m := range d.provider.Components {
		for _, ch := range m.Children {
			if of(plan.LocalType(d.provider.Name, ch.Type)) {
				d.inputs, d.component = m.Inputs, m
				d.addChild(m, ch, path)
			}
		}
	}
	d.inputs, d.component = inputs, component
}

// addChild adds the value that a component passes to an input of its child, because
// there the author chooses it, and not the program.
func (d *settingsCollector) addChild(m *spec.Component, ch *spec.Child, path []string) {
	value, name := ch.Inputs, "inputs"
	for _, p := range path {
		if value == nil || value.Kind != spec.MapNode {
			break
		}
		value, name = value.Get(p), name+"."+p
	}
	if value == nil {
		return // the default applies
	}
	by, text := "component "+m.Name+", child "+ch.Key, textOfNode(value)
	if !d.keepSetting(Setting{Name: name, Default: text, By: by}) {
		return
	}
	d.addNamed(text)
	if ch.ForEach != nil && contains(text, "each") {
		elements := textOfNode(ch.ForEach)
		if d.keepSetting(Setting{Name: "forEach", Default: elements, By: by}) {
			d.addNamed(elements)
		}
	}
}

// textOfNode returns an expression as it was written, and any other value as JSON.
func textOfNode(n *spec.Node) string {
	if n.Kind == spec.StringNode && expr.HasTemplate(n) {
		return n.Text
	}
	return jsonText(n.Plain())
}

// addNamed adds the inputs and settings that an expression mentions, or all of them
// if it may refer to any. It may add too many, but not too few.
func (d *settingsCollector) addNamed(text string) {
	for _, of := range []struct {
		name string
		t    *spec.Type
	}{{"inputs", d.inputs}, {"config", d.provider.Config}} {
		if of.t == nil || !contains(text, of.name) {
			continue
		}
		whole := regexp.MustCompile(`\b` + of.name + `\b\s*([^.\s\w]|$)`).MatchString(text)
		for _, p := range d.provider.Types.Resolve(of.t).Fields {
			if !whole && !contains(text, p.Name) {
				continue
			}
			d.add(of.name, of.t, []string{p.Name})
			if m := d.component; m != nil && of.name == "inputs" {
				d.addChildren([]string{p.Name}, func(name string) bool { return name == m.Name })
			}
		}
	}
}

// contains reports whether a text contains a word.
func contains(text, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(text)
}

// add adds the properties on a path below an object, and all members of the last one.
// A default of any property on the path affects the value.
func (d *settingsCollector) add(name string, object *spec.Type, path []string) {
	if object == nil {
		return
	}
	object = d.provider.Types.Resolve(object)
	for _, p := range object.Fields {
		if len(path) > 0 && p.Name != path[0] {
			continue
		}
		d.keep(name+"."+p.Name, p, strings.HasPrefix(name, "config"))
		if len(path) > 1 {
			d.add(name+"."+p.Name, p.Type, path[1:])
		}
	}
}

// keep adds a property once. Unless always is true, it ignores properties without a
// default.
func (d *settingsCollector) keep(name string, p *spec.Property, always bool) {
	if d.component != nil && strings.HasPrefix(name, "inputs") {
		name += " of component " + d.component.Name
	}
	s := Setting{Name: name, Env: p.Env}
	switch {
	case p.DefaultExpr != nil:
		s.Default = p.DefaultExpr.Text
	case p.Default != nil && !p.IsSecret():
		s.Default = jsonText(p.Default)
	}
	if (always || s.Default != "") && d.keepSetting(s) && p.DefaultExpr != nil {
		d.addNamed(s.Default)
	}
}

// keepSetting adds a setting, and reports whether it is new.
func (d *settingsCollector) keepSetting(s Setting) bool {
	if slices.ContainsFunc(d.settings, s.equal) {
		return false
	}
	d.settings = append(d.settings, s)
	return true
}

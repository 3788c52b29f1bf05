package permissions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// settingsOf returns the settings and defaulted inputs that the pattern refers to. Whoever
// reads a grant of `${inputs.path}` takes it for what their own program says, and must
// see the path that the author has put there for programs that say nothing.
func settingsOf(g plan.Permission, provider *spec.Provider, inputs []*spec.Type) []Setting {
	d := &deciding{provider: provider}
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

// grantInputs returns the types that `inputs` stands for in a grant.
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

// deciding collects the properties that decide a grant.
type deciding struct {
	provider *spec.Provider
	settings []Setting
	// inputs are those that expressions refer to, of the component if there is one.
	inputs    *spec.Type
	component *spec.Component
}

// addChildren adds what components of the spec say for an input of their children of
// some types.
func (d *deciding) addChildren(path []string, of func(typeName string) bool) {
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

// addChild adds what a component of the spec says for an input of its child: there the
// author chooses, and not the program.
func (d *deciding) addChild(m *spec.Component, ch *spec.Child, path []string) {
	value, name := ch.Inputs, "inputs"
	for _, p := range path {
		if value == nil || value.Kind != spec.MapNode {
			break
		}
		value, name = value.Get(p), name+"."+p
	}
	if value == nil {
		return // the default holds
	}
	by, text := "component "+m.Name+", child "+ch.Key, textOfNode(value)
	if !d.keepSetting(Setting{Name: name, Default: text, By: by}) {
		return
	}
	d.addNamed(text)
	if ch.ForEach != nil && names(text, "each") {
		over := textOfNode(ch.ForEach)
		if d.keepSetting(Setting{Name: "forEach", Default: over, By: by}) {
			d.addNamed(over)
		}
	}
}

// textOfNode is an expression as it is written, and another value as JSON.
func textOfNode(n *spec.Node) string {
	if n.Kind == spec.StringNode && expr.HasTemplate(n) {
		return n.Text
	}
	return jsonText(n.Plain())
}

// addNamed adds the inputs and settings that an expression names, all of them where it
// may name any: rather too many than one too few.
func (d *deciding) addNamed(text string) {
	for _, of := range []struct {
		name string
		t    *spec.Type
	}{{"inputs", d.inputs}, {"config", d.provider.Config}} {
		if of.t == nil || !names(text, of.name) {
			continue
		}
		whole := regexp.MustCompile(`\b` + of.name + `\b\s*([^.\s\w]|$)`).MatchString(text)
		for _, p := range d.provider.Types.Resolve(of.t).Fields {
			if !whole && !names(text, p.Name) {
				continue
			}
			d.add(of.name, of.t, []string{p.Name})
			if m := d.component; m != nil && of.name == "inputs" {
				d.addChildren([]string{p.Name}, func(name string) bool { return name == m.Name })
			}
		}
	}
}

// names reports whether a word stands in a text.
func names(text, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(text)
}

// add adds what stands on a path below an object, or all of its members where the path
// ends: a default anywhere on the way decides what the path yields.
func (d *deciding) add(name string, object *spec.Type, path []string) {
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

// keep keeps a property once; of one without a default only a setting is worth a word.
func (d *deciding) keep(name string, p *spec.Property, always bool) {
	if d.component != nil && strings.HasPrefix(name, "inputs") {
		name += " of component " + d.component.Name
	}
	s := Setting{Name: name, Env: p.Env}
	switch {
	case p.DefaultExpr != nil:
		s.Default = p.DefaultExpr.Text
	case p.Default != nil && !p.Secret:
		s.Default = jsonText(p.Default)
	}
	if (always || s.Default != "") && d.keepSetting(s) && p.DefaultExpr != nil {
		d.addNamed(s.Default)
	}
}

// keepSetting keeps a setting, and reports whether it is a new one.
func (d *deciding) keepSetting(s Setting) bool {
	if slices.ContainsFunc(d.settings, s.equal) {
		return false
	}
	d.settings = append(d.settings, s)
	return true
}

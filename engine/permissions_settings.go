package engine

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// settings returns the settings and defaulted inputs that the pattern refers to. Whoever
// reads a grant of `${inputs.path}` takes it for what their own program says, and must
// see the path that the author has put there for programs that say nothing.
func (g grant) settings(provider *spec.Provider, inputs []*spec.Type) []Setting {
	d := &deciding{types: provider.Types}
	for _, ref := range g.value.Refs() {
		switch ref.Path[0] {
		case "config":
			d.add("config", provider.Config, ref.Path[1:])
		case "inputs":
			for _, t := range inputs {
				d.add("inputs", t, ref.Path[1:])
			}
		}
	}
	return d.settings
}

// grantInputs returns the types that `inputs` stands for in a grant.
func (p *Program) grantInputs() ([]*spec.Type, error) {
	var all []*spec.Type
	for _, name := range p.names {
		r, err := p.resources[name].load()
		if err != nil {
			return nil, err
		}
		all = append(all, r.Inputs)
		if r.List != nil {
			all = append(all, r.List.Inputs)
		}
	}
	for _, f := range slices.Concat(p.provider.Functions, p.provider.Actions) {
		all = append(all, f.Inputs)
	}
	for _, e := range p.provider.Ephemerals {
		all = append(all, e.Inputs)
	}
	return all, nil
}

// deciding collects the properties that decide a grant.
type deciding struct {
	types    spec.Types
	settings []Setting
}

// add adds what stands on a path below an object, or all of its members where the path
// ends: a default anywhere on the way decides what the path yields.
func (d *deciding) add(name string, object *spec.Type, path []string) {
	if object == nil {
		return
	}
	object = d.types.Resolve(object)
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
	s := Setting{Name: name, Env: p.Env}
	switch {
	case p.DefaultExpr != nil:
		s.Default = p.DefaultExpr.Text
	case p.Default != nil && !p.Secret:
		s.Default = jsonText(p.Default)
	}
	if (always || s.Default != "") && !slices.ContainsFunc(d.settings, s.equal) {
		d.settings = append(d.settings, s)
	}
}

package engine

import (
	"slices"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// component is a compiled component.
type component struct {
	spec            *spec.Component
	inputs, outputs *value.Type
	defaults        []*derived // @default templates, in the order of their use
	// children are in an order in which each comes after those that it needs.
	children []*child
	// yields are the outputs that `return` gives; whole is a `return` that is one
	// template.
	yields []assignment
	whole  *expr.Value
}

// assignment gives a property its value.
type assignment struct {
	name  string
	value *expr.Value
}

// child is a compiled child.
type child struct {
	key string
	// typ is the name of a resource or component of the spec, or, where it is
	// foreign, the token of another package's.
	typ     string
	foreign bool
	// versions are those of its package that are granted; nil is any.
	versions []string
	// component says that it is no resource of its own, but made of others.
	component bool
	// needs are the keys of the children that must be there before it.
	needs []string

	when, forEach *expr.Value
	// keyed says that forEach is known to go over a map, also where it is null.
	keyed bool
	// inputs are given one by one, or whole is a template that gives them all.
	inputs []assignment
	whole  *expr.Value
	// takes is what the inputs are; it is untyped for a foreign child.
	takes *value.Type
	// has is what others see of it: its id, URN, inputs and outputs.
	has *value.Type
	// mentioned are the members that the component speaks of.
	mentioned map[string]bool
	options   childOptions
}

// childOptions are the compiled options of a child.
type childOptions struct {
	// dependsOn, parent, provider and deletedWith are keys of children.
	dependsOn                     []string
	parent, provider, deletedWith string

	protect, retainOnDelete, deleteBeforeReplace   *expr.Value
	ignoreChanges, replaceOnChanges, secretOutputs []*expr.Value
	version, pluginDownloadURL, importID           *expr.Value
	createTimeout, updateTimeout, deleteTimeout    *expr.Value
	aliases                                        []childAlias
}

// childAlias is one that a child had before: a former name or a URN, or what was
// different of name, type, parent, stack and project.
type childAlias struct {
	text                              *expr.Value
	name, typ, parent, stack, project *expr.Value
	noParent                          bool
}

// mentions notes which members of each child anything in the component refers
// to.
func (out *component) mentions() {
	byKey := map[string]*child{}
	for _, ch := range out.children {
		ch.mentioned = map[string]bool{}
		byKey[ch.key] = ch
	}
	for _, v := range out.templates() {
		for _, ref := range v.Refs() {
			if ref.Path[0] != "children" || len(ref.Path) < 2 || byKey[ref.Path[1]] == nil {
				continue
			}
			ch, rest := byKey[ref.Path[1]], ref.Path[2:]
			if ch.forEach != nil && len(rest) > 0 {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] != "*" {
				ch.mentioned[rest[0]] = true
			}
		}
	}
}

// templates are all that the component evaluates in sight of its children.
func (out *component) templates() []*expr.Value {
	list := []*expr.Value{out.whole}
	for _, a := range out.yields {
		list = append(list, a.value)
	}
	for _, ch := range out.children {
		list = append(list, ch.when, ch.forEach, ch.whole)
		for _, a := range ch.inputs {
			list = append(list, a.value)
		}
		list = append(list, ch.options.templates()...)
	}
	return slices.DeleteFunc(list, func(v *expr.Value) bool { return v == nil })
}

// templates are all that the options evaluate.
func (o *childOptions) templates() []*expr.Value {
	list := []*expr.Value{
		o.protect, o.retainOnDelete, o.deleteBeforeReplace, o.version, o.pluginDownloadURL, o.importID,
		o.createTimeout, o.updateTimeout, o.deleteTimeout,
	}
	list = append(list, slices.Concat(o.ignoreChanges, o.replaceOnChanges, o.secretOutputs)...)
	for _, a := range o.aliases {
		list = append(list, a.text, a.name, a.typ, a.parent, a.stack, a.project)
	}
	return list
}

// awaited are the members of a child that are not known yet if its answer lacks
// them: in a preview what must be there and, of another package's, what is
// spoken of, because such a provider may leave out what it cannot tell.
func (ch *child) awaited(unknown, preview bool) []string {
	if !unknown && !preview {
		return nil
	}
	var names []string
	for _, m := range ch.has.Fields {
		if m.Required || unknown {
			names = append(names, m.Name)
		}
	}
	if ch.foreign {
		for name := range ch.mentioned {
			names = append(names, name)
		}
	}
	return names
}

// keepsNull reports whether null is a value of an input, and not its absence.
func (ch *child) keepsNull(name string) bool {
	m := ch.takes.Member(name)
	return m != nil && m.Check.Spec.Nullable
}

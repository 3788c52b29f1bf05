package plan

import (
	"slices"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Component is a compiled component.
type Component struct {
	Spec            *spec.Component
	Inputs, Outputs *value.Type
	Defaults        []*Derived // @default templates, in the order of their use
	// Children are in an order in which each comes after those that it needs.
	Children []*Child
	// Yields are the outputs that `return` gives; Whole is a `return` that is one
	// template.
	Yields []Assignment
	Whole  *expr.Value
}

// Assignment gives a property its value.
type Assignment struct {
	Name  string
	Value *expr.Value
}

// Child is a compiled child.
type Child struct {
	Key string
	// Type is the name of a resource or component of the spec, or, where it is
	// foreign, the token of another package's.
	Type    string
	Foreign bool
	// Versions are those of its package that are granted; nil is any.
	Versions []string
	// Component says that it is no resource of its own, but made of others.
	Component bool
	// Needs are the keys of the children that must be there before it.
	Needs []string

	When, ForEach *expr.Value
	// Keyed says that ForEach is known to go over a map, also where it is null.
	Keyed bool
	// Inputs are given one by one, or Whole is a template that gives them all.
	Inputs []Assignment
	Whole  *expr.Value
	// Takes is what the inputs are; it is untyped for a foreign child.
	Takes *value.Type
	// Has is what others see of it: its id, URN, inputs and outputs.
	Has *value.Type
	// mentioned are the members that the component speaks of.
	mentioned map[string]bool
	Options   ChildOptions
}

// ChildOptions are the compiled options of a child.
type ChildOptions struct {
	// DependsOn, Parent, Provider and DeletedWith are keys of children.
	DependsOn                     []string
	Parent, Provider, DeletedWith string

	Protect, RetainOnDelete, DeleteBeforeReplace   *expr.Value
	IgnoreChanges, ReplaceOnChanges, SecretOutputs []*expr.Value
	Version, PluginDownloadURL, ImportID           *expr.Value
	CreateTimeout, UpdateTimeout, DeleteTimeout    *expr.Value
	Aliases                                        []ChildAlias
}

// ChildAlias is one that a child had before: a former name or a URN, or what was
// different of name, type, parent, stack and project.
type ChildAlias struct {
	Text                               *expr.Value
	Name, Type, Parent, Stack, Project *expr.Value
	NoParent                           bool
}

// Mentions notes which members of each child anything in the component refers
// to.
func (out *Component) Mentions() {
	byKey := map[string]*Child{}
	for _, ch := range out.Children {
		ch.mentioned = map[string]bool{}
		byKey[ch.Key] = ch
	}
	for _, v := range out.templates() {
		for _, ref := range v.Refs() {
			if ref.Path[0] != "children" || len(ref.Path) < 2 || byKey[ref.Path[1]] == nil {
				continue
			}
			ch, rest := byKey[ref.Path[1]], ref.Path[2:]
			if ch.ForEach != nil && len(rest) > 0 {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] != "*" {
				ch.mentioned[rest[0]] = true
			}
		}
	}
}

// templates are all that the component evaluates in sight of its children.
func (out *Component) templates() []*expr.Value {
	list := []*expr.Value{out.Whole}
	for _, a := range out.Yields {
		list = append(list, a.Value)
	}
	for _, ch := range out.Children {
		list = append(list, ch.When, ch.ForEach, ch.Whole)
		for _, a := range ch.Inputs {
			list = append(list, a.Value)
		}
		list = append(list, ch.Options.templates()...)
	}
	return slices.DeleteFunc(list, func(v *expr.Value) bool { return v == nil })
}

// templates are all that the options evaluate.
func (o *ChildOptions) templates() []*expr.Value {
	list := []*expr.Value{
		o.Protect, o.RetainOnDelete, o.DeleteBeforeReplace, o.Version, o.PluginDownloadURL, o.ImportID,
		o.CreateTimeout, o.UpdateTimeout, o.DeleteTimeout,
	}
	list = append(list, slices.Concat(o.IgnoreChanges, o.ReplaceOnChanges, o.SecretOutputs)...)
	for _, a := range o.Aliases {
		list = append(list, a.Text, a.Name, a.Type, a.Parent, a.Stack, a.Project)
	}
	return list
}

// Awaited are the members of a child that are not known yet if its answer lacks
// them: in a preview what must be there and, of another package's, what is
// spoken of, because such a provider may leave out what it cannot tell.
func (ch *Child) Awaited(unknown, preview bool) []string {
	if !unknown && !preview {
		return nil
	}
	var names []string
	for _, m := range ch.Has.Fields {
		if m.Required || unknown {
			names = append(names, m.Name)
		}
	}
	if ch.Foreign {
		for name := range ch.mentioned {
			names = append(names, name)
		}
	}
	return names
}

// KeepsNull reports whether null is a value of an input, and not its absence.
func (ch *Child) KeepsNull(name string) bool {
	m := ch.Takes.Member(name)
	return m != nil && m.Check.Spec.Nullable
}

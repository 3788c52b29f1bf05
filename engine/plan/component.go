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
	Defaults        []*Derived // @default templates, in the order of evaluation
	// Children are ordered so that each child comes after those it depends on.
	Children []*Child
	// Yields are the outputs of `return`. If `return` is a single template, Whole is set
	// instead.
	Yields []Assignment
	Whole  *expr.Value
}

// Assignment is a property and the template of its value.
type Assignment struct {
	Name  string
	Value *expr.Value
}

// Child is a compiled child.
type Child struct {
	Key string
	// Type is the name of a resource or component of this spec. If Foreign is true, it
	// is a token of another package.
	Type    string
	Foreign bool
	// Versions are the permitted versions of the foreign package. nil permits any
	// version.
	Versions []string
	// Component is true if the child is a component, and false if it is a resource.
	Component bool
	// Needs are the keys of the children that must be created first.
	Needs []string

	When, ForEach *expr.Value
	// Keyed is true if ForEach iterates over a map, even if its value is null.
	Keyed bool
	// Inputs are the individual inputs. If one template gives all inputs, Whole is set
	// instead.
	Inputs []Assignment
	Whole  *expr.Value
	// Takes is the type of the inputs. It is untyped for a foreign child.
	Takes *value.Type
	// Has is the type of the child as other templates see it: its id, URN, inputs and
	// outputs.
	Has *value.Type
	// mentioned are the members to which the component refers.
	mentioned map[string]bool
	Options   ChildOptions
}

// ChildOptions are the compiled options of a child.
type ChildOptions struct {
	// DependsOn and the fields below it are keys of children.
	DependsOn                     []string
	Parent, Provider, DeletedWith string

	Protect, RetainOnDelete, DeleteBeforeReplace   *expr.Value
	IgnoreChanges, ReplaceOnChanges, SecretOutputs []*expr.Value
	Version, PluginDownloadURL, ImportID           *expr.Value
	CreateTimeout, UpdateTimeout, DeleteTimeout    *expr.Value
	Aliases                                        []ChildAlias
}

// ChildAlias is a former identity of a child: a former name or URN as Text, or the
// former parts of its identity.
type ChildAlias struct {
	Text                               *expr.Value
	Name, Type, Parent, Stack, Project *expr.Value
	NoParent                           bool
}

// MarkMentioned records the members of each child to which a template of the
// component refers.
func (out *Component) MarkMentioned() {
	byKey := map[string]*Child{}
	for _, ch := range out.Children {
		ch.mentioned = map[string]bool{}
		byKey[ch.Key] = ch
	}
	for _, v := range out.Templates() {
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

// Templates returns the templates that are evaluated with the children in scope.
func (out *Component) Templates() []*expr.Value {
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

// templates returns the templates of the options.
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

// AwaitedMembers returns the members that are unknown, rather than null, if a
// response about the child lacks them. In a preview these are the required members.
// For a foreign child they include all members to which the component refers, because
// its provider may omit values that it does not know yet.
func (ch *Child) AwaitedMembers(unknown, preview bool) []string {
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

// KeepsNull reports whether null is a value of an input, distinct from an absent
// input.
func (ch *Child) KeepsNull(name string) bool {
	m := ch.Takes.Member(name)
	return m != nil && m.Check.Spec.Nullable
}

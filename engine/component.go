package engine

import (
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

package block

import "github.com/declprov/declprov/spec"

// Component is a resource that consists of other resources.
var Component = &Block{
	Name: "Component", What: "a component", Doc: "A resource that consists of other resources.",
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The inputs, as types."},
		{Name: "outputs", Kind: Types, Part: true, Doc: "The outputs, as types."},
		{Name: "children", Kind: Members, Of: Child, Members: Identifiers, Required: true, Example: "children: KEY: {type: …, inputs: {…}}", Doc: "The resources of the component, by key."},
		{Name: "return", Kind: Data, Part: true, Into: to(func(c *spec.Component) any { return &c.Return }), Doc: "The values of the outputs, by name."},
	},
}

// Child is one resource of a component, or one resource per element.
var Child = &Block{
	What: "a child",
	Keys: []Key{
		{Name: "type", Kind: Template, Required: true, CUE: "string", Example: `type: "File" or type: "random:index/randomPet:RandomPet"`, Into: to(func(c *spec.Child) any { return &c.Type }), Doc: `A resource of this provider, or "pkg:module:Type".`},
		{Name: "inputs", Kind: Body, Into: to(func(c *spec.Child) any { return &c.Inputs }), Doc: "Its inputs."},
		{Name: "options", Kind: Struct, Of: ChildOptions, Part: true, Into: to(func(c *spec.Child) any { return &c.Options }), Doc: "Its resource options."},
		{Name: "if", Kind: Condition, Into: to(func(c *spec.Child) any { return &c.If }), Doc: "Creates the child only when true."},
		{Name: "forEach", Kind: Collection, Into: to(func(c *spec.Child) any { return &c.ForEach }), Doc: "Creates one child for each element."},
	},
}

// ChildOptions are the Pulumi resource options of a child. The compiler checks their
// types and the children that they refer to.
var ChildOptions = &Block{
	What: "the options block",
	Keys: []Key{
		{Name: "dependsOn", Kind: Templates, Doc: "The children that must exist before it."},
		{Name: "protect", Kind: Condition, Doc: "Protects the child from deletion."},
		{Name: "aliases", Kind: List, Of: ChildAlias, Or: "string", Doc: "Former names or URNs, or blocks with the attributes that have changed."},
		{Name: "deleteBeforeReplace", Kind: Condition, Doc: "Replacements delete the old resource before they create the new one."},
		{Name: "ignoreChanges", Kind: Templates, Doc: "Inputs whose changes are ignored."},
		{Name: "replaceOnChanges", Kind: Templates, Doc: "Inputs whose changes replace the child."},
		{Name: "provider", Kind: Template, CUE: "string", Doc: `The child that is its provider, of the type "pulumi:providers:PKG".`},
		{Name: "version", Kind: Template, CUE: "string", Doc: "The version of the child's package."},
		{Name: "pluginDownloadURL", Kind: Template, CUE: "string", Doc: "Where the plugin of the package is downloaded from."},
		{Name: "parent", Kind: Template, CUE: "string", Doc: "The child that is its parent; by default the component."},
		{Name: "additionalSecretOutputs", Kind: Templates, Doc: "Outputs that are also secret."},
		{Name: "retainOnDelete", Kind: Condition, Doc: "Keeps the managed object when the child is deleted."},
		{Name: "deletedWith", Kind: Template, CUE: "string", Doc: "The child whose deletion also deletes this one."},
		{Name: "customTimeouts", Kind: Struct, Of: ChildTimeouts, Doc: "The timeouts of its operations."},
		{Name: "import", Kind: Template, CUE: "string", Doc: "The id of an existing resource to import."},
		{Name: "component", Kind: Bool, Doc: "For a child of another package: its type is a component."},
	},
}

// ChildTimeouts are the timeouts of the operations of a child.
var ChildTimeouts = &Block{
	What: "customTimeouts",
	Keys: []Key{
		{Name: "create", Kind: Duration, Doc: "The timeout of create."},
		{Name: "update", Kind: Duration, Doc: "The timeout of update."},
		{Name: "delete", Kind: Duration, Doc: "The timeout of delete."},
	},
}

// ChildAlias describes a former identity of a child.
var ChildAlias = &Block{
	What: "an alias",
	Keys: []Key{
		{Name: "name", Kind: Template, CUE: "string", Doc: "Its former name."},
		{Name: "type", Kind: Template, CUE: "string", Doc: "Its former type."},
		{Name: "parent", Kind: Template, CUE: "string", Doc: "Its former parent."},
		{Name: "noParent", Kind: Bool, Doc: "It had no parent."},
		{Name: "stack", Kind: Template, CUE: "string", Doc: "Its former stack."},
		{Name: "project", Kind: Template, CUE: "string", Doc: "Its former project."},
	},
}

package block

import "github.com/declprov/declprov/spec"

// Component is a resource made of others.
var Component = &Block{
	Name: "Component", What: "a component", Doc: "A resource made of others.",
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The inputs, as types."},
		{Name: "outputs", Kind: Types, Part: true, Doc: "The outputs, as types."},
		{Name: "children", Kind: Members, Of: Child, Members: Identifiers, Required: true, Example: "children: KEY: {type: …, inputs: {…}}", Doc: "The resources that the component is made of, by key."},
		{Name: "return", Kind: Data, Part: true, Into: to(func(c *spec.Component) any { return &c.Return }), Doc: "The outputs."},
	},
}

// Child is one resource of a component, or one for each element.
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

// ChildOptions are the options of Pulumi's that a child takes. What they are typed
// as, and which children they may name, is the compiler's to know.
var ChildOptions = &Block{
	What: "the options block",
	Keys: []Key{
		{Name: "dependsOn", Kind: Templates, Doc: "The children that must be there before it."},
		{Name: "protect", Kind: Condition, Doc: "Protects the child from deletion."},
		{Name: "aliases", Kind: List, Of: ChildAlias, Or: "string", Doc: "What it was before: former names, URNs, or what was different."},
		{Name: "deleteBeforeReplace", Kind: Condition, Doc: "Replacements delete the old resource before they create the new one."},
		{Name: "ignoreChanges", Kind: Templates, Doc: "Inputs whose changes are ignored."},
		{Name: "replaceOnChanges", Kind: Templates, Doc: "Inputs whose changes replace the child."},
		{Name: "provider", Kind: Template, CUE: "string", Doc: `The child that is its provider, of the type "pulumi:providers:PKG".`},
		{Name: "version", Kind: Template, CUE: "string", Doc: "The version of the child's package."},
		{Name: "pluginDownloadURL", Kind: Template, CUE: "string", Doc: "Where the plugin of the package is downloaded from."},
		{Name: "parent", Kind: Template, CUE: "string", Doc: "The child that it is a child of; by default the component."},
		{Name: "additionalSecretOutputs", Kind: Templates, Doc: "Outputs that are also secret."},
		{Name: "retainOnDelete", Kind: Condition, Doc: "Keeps what the child manages when the child is deleted."},
		{Name: "deletedWith", Kind: Template, CUE: "string", Doc: "The child whose deletion deletes it, too."},
		{Name: "customTimeouts", Kind: Struct, Of: ChildTimeouts, Doc: "The timeouts of its operations."},
		{Name: "import", Kind: Template, CUE: "string", Doc: "The id of an existing resource to take over."},
		{Name: "component", Kind: Bool, Doc: "The type is a component of its package."},
	},
}

// ChildTimeouts are how long the operations of a child may take.
var ChildTimeouts = &Block{
	What: "customTimeouts",
	Keys: []Key{
		{Name: "create", Kind: Duration, Doc: "The timeout of create."},
		{Name: "update", Kind: Duration, Doc: "The timeout of update."},
		{Name: "delete", Kind: Duration, Doc: "The timeout of delete."},
	},
}

// ChildAlias says what a child was before.
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

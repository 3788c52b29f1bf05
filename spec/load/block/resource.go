package block

import "github.com/declprov/declprov/spec"

// Resource is one resource type of the provider.
var Resource = &Block{
	Name: "Resource", What: "a resource", Doc: "One resource type of the provider.",
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The inputs, as types."},
		{Name: "outputs", Kind: Types, Part: true, Doc: "The outputs, as types."},
		{Name: "id", Kind: Template, Part: true, Into: to(func(r *spec.Resource) any { return &r.ID }), Doc: `The id of a resource: "${inputs.name}". Required without ` + "`rest`."},
		{Name: "import", Kind: Template, Part: true, Into: to(func(r *spec.Resource) any { return &r.Import }), Doc: "The form of the text that users pass to `pulumi import`, from which inputs are read: \"${inputs.owner}/${id}\". By default that of `id`."},
		{Name: "create", Kind: Struct, Of: Operation, Part: true, Undo: true, Into: to(func(r *spec.Resource) any { return &r.Create }), Doc: "Creates the resource. Required without `rest`."},
		{Name: "read", Kind: Struct, Of: Operation, Part: true, Into: to(func(r *spec.Resource) any { return &r.Read }), Doc: "Reads the resource. If it returns null, the resource no longer exists."},
		{Name: "update", Kind: Struct, Of: Operation, Part: true, Into: to(func(r *spec.Resource) any { return &r.Update }), Doc: "Updates the resource. Without it, every change replaces the resource."},
		{Name: "delete", Kind: Struct, Of: Operation, Part: true, Null: true, Into: to(func(r *spec.Resource) any { return &r.Delete }), Doc: "Deletes the resource. null: the object stays, and the resource is only removed from the state."},
		{Name: "rest", Kind: Short, Of: Rest, Part: true, Doc: "The path of a conventional REST collection. It replaces `id` and the operations, except those that are written next to it."},
		{Name: "let", Kind: Special, CUE: "{...}", Part: true, Into: to(func(r *spec.Resource) any { return &r.Let }), Doc: "Local names: expressions by name. A template may use each like `inputs` or `id`."},
		{Name: "return", Kind: Data, Part: true, Into: to(func(r *spec.Resource) any { return &r.Return }), Doc: "What operations return that have no `return` of their own."},
		{Name: "wire", Kind: Text, CUE: wireRules, Doc: "The naming rule for names on the wire: snake_case, kebab-case, camelCase or PascalCase."},
		{Name: "checks", Kind: List, Of: Check, Part: true, Doc: "Conditions that the inputs must fulfil."},
		{Name: "diff", Kind: Struct, Of: Diff, Part: true, Doc: "Rules for what a change of inputs does."},
		{Name: "consistency", Kind: Duration, Into: to(func(r *spec.Resource) any { return &r.Consistency }), Doc: "How long a change may take to become visible in the API: \"30s\"."},
		{Name: "find", Kind: Struct, Of: Find, Part: true, Null: true, Doc: "Looks for the object before a create, and again if the response to the create is lost. If it returns null, there is no such object. Next to `rest`, `find: null` removes the search of `rest`."},
		{Name: "list", Kind: Struct, Of: Lister, Part: true, Doc: "Lists the existing resources."},
		{Name: "aliases", Kind: Texts, Part: true, Doc: "Former names of the resource type, or former type tokens: \"pkg:index:Name\"."},
		{Name: "deprecated", Kind: Text, Into: to(func(r *spec.Resource) any { return &r.Deprecated }), Doc: "Marks the resource as deprecated; the text says what to use instead."},
		{
			Name: "schemaVersion", Kind: Count, CUE: "int & >=0", Into: to(func(r *spec.Resource) any { return &r.SchemaVersion }),
			Whole: &Whole{Most: 10000, Range: "of at least 0", Remedy: "Increase it by one whenever the schema of the state changes."},
			Doc:   "The version of the state's schema.",
		},
		{Name: "upgrade", Kind: Special, CUE: `[=~"^[0-9]+$"]: _`, Part: true, Doc: "Templates, by version, that convert a state of that version to the next one."},
		{Name: "methods", Kind: Members, Of: Function, Members: SmallNames, Doc: "Methods that programs can call on the resource."},
		{Name: "examples", Kind: Special, Remedy: "Write a title for each example: `examples: \"A pet\": {name: \"Rex\"}`.", CUE: "[string]: {...}", Part: true, Doc: "Examples for the documentation of the resource: the inputs that a program passes, by the title of the example."},
	},
}

// Check is a validation rule over several inputs.
var Check = &Block{
	What: "a check",
	Keys: []Key{
		{Name: "assert", Kind: Condition, Required: true, Example: `assert: "${inputs.min <= inputs.max}"`, Into: to(func(c *spec.Check) any { return &c.Assert }), Doc: "The condition that must be true."},
		{Name: "message", Kind: Template, Required: true, Example: `message: "min must not exceed max"`, Into: to(func(c *spec.Check) any { return &c.Message }), Doc: "The error message if the condition is false."},
		{Name: "property", Kind: Template, CUE: "string", Into: to(func(c *spec.Check) any { return &c.Property }), Doc: "The input that the error is about."},
	},
}

// Diff customizes the effect of changed inputs.
var Diff = &Block{
	What: "diff",
	Keys: []Key{
		{Name: "deleteBeforeReplace", Kind: Bool, Into: to(func(d *spec.Diff) any { return &d.DeleteBeforeReplace }), Doc: "Replacements delete the old resource before they create the new one."},
		{Name: "rules", Kind: List, Of: DiffRule, Doc: "Changes that replace the resource."},
	},
}

// DiffRule lists changes that replace the resource.
var DiffRule = &Block{
	What: "a rule",
	Keys: []Key{
		{Name: "if", Kind: Condition, Into: to(func(d *spec.DiffRule) any { return &d.If }), Doc: "The rule applies only when true."},
		{Name: "replace", Kind: Templates, Required: true, Example: `replace: ["size"]`, Into: to(func(d *spec.DiffRule) any { return &d.Replace }), Doc: "Inputs whose change replaces the resource."},
	},
}

// Find is the operation that looks for the object of a create.
var Find = &Block{
	What: "find", Has: []string{"Operation"},
	Keys: []Key{
		{Name: "first", Kind: Bool, Doc: "Whether it runs before the create sends its first request; true by default."},
	},
}

// Lister describes how existing resources are listed.
var Lister = &Block{
	What: "list", Has: []string{"Step"},
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The inputs of the list, such as a parent in its path, as types."},
		{Name: "items", Kind: Template, Required: true, CUE: "string", Into: to(func(l *spec.Lister) any { return &l.Items }), Doc: `The items: "${result.items}".`},
		{Name: "id", Kind: Template, Required: true, CUE: "string", Into: to(func(l *spec.Lister) any { return &l.ID }), Doc: `The id of each item: "${each.value.path}".`},
		{Name: "name", Kind: Template, CUE: "string", Into: to(func(l *spec.Lister) any { return &l.Name }), Doc: "The display name of each item."},
	},
}

// Function is an operation with its own inputs and outputs.
var Function = &Block{
	Name: "Function", What: "a function", Doc: "A function of the provider, a method of a resource, or an action that is run on demand.", Has: []string{"Operation"},
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The arguments, as types."},
		{Name: "outputs", Kind: Types, Part: true, Doc: "The results, as types."},
	},
}

// Ephemeral is a value that is opened and closed, and never stored.
var Ephemeral = &Block{
	Name: "Ephemeral", What: "an ephemeral", Doc: "A value that is opened, optionally renewed, and closed, and is never stored.",
	Keys: []Key{
		{Name: "inputs", Kind: Types, Part: true, Doc: "The arguments, as types."},
		{Name: "outputs", Kind: Types, Part: true, Doc: "The results, as types."},
		{Name: "open", Kind: Struct, Of: Operation, Required: true, Example: "open: a step", Part: true, Into: to(func(e *spec.Ephemeral) any { return &e.Open }), Doc: "Opens the value."},
		{Name: "renew", Kind: Struct, Of: Operation, Part: true, Into: to(func(e *spec.Ephemeral) any { return &e.Renew }), Doc: "Renews the value."},
		{Name: "renewAfter", Kind: Data, Into: to(func(e *spec.Ephemeral) any { return &e.RenewAfter }), Doc: "When to renew it: seconds, a duration or a time; null means never."},
		{Name: "close", Kind: Struct, Of: Operation, Part: true, Into: to(func(e *spec.Ephemeral) any { return &e.Close }), Doc: "Closes the value."},
	},
}

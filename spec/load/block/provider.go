package block

import "github.com/declprov/declprov/spec"

// wireRules are the rules for names on the wire, as a CUE type.
var wireRules = oneOf(spec.WireRules)

// Provider is a whole spec. What is none of its keys is a family's block of
// defaults, for the compiler to know or refuse.
var Provider = &Block{
	Name: "Provider", What: "a spec", Doc: "A whole spec.",
	Keys: []Key{
		{Name: "name", Kind: Text, Required: true, CUE: `=~"^[a-z][-a-z0-9]*$"`, Doc: "The name of the provider: lowercase letters, digits and hyphens."},
		{Name: "version", Kind: Text, Required: true, Doc: "Its semantic version, such as 1.2.0."},
		{Name: "displayName", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.DisplayName }), Doc: "The name that people read."},
		{Name: "description", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Description }), Doc: "What it is for; by default the comment above the package clause."},
		{Name: "keywords", Kind: Texts, Into: to(func(p *spec.Provider) any { return &p.Keywords }), Doc: "Keywords for package registries."},
		{Name: "homepage", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Homepage }), Doc: "URL of the provider's home page."},
		{Name: "repository", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Repository }), Doc: "URL of the source repository."},
		{Name: "license", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.License }), Doc: "Its license, such as Apache-2.0."},
		{Name: "publisher", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Publisher }), Doc: "Who publishes it."},
		{Name: "logo", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Logo }), Doc: "URL of the logo."},
		{Name: "language", Kind: Special, CUE: "{...}", Doc: "Settings for SDK generators, by language."},
		{Name: "config", Kind: Types, Part: true, Doc: "The settings of the provider, as types."},
		{Name: "types", Kind: Special, Doc: "Types by name, in YAML and JSON; CUE has definitions.", InData: true},
		{Name: "permissions", Kind: Struct, Of: Permissions, Part: true, Doc: "What the spec may access. Without it, exactly what it names."},
		{Name: "resources", Kind: Members, Of: Resource, Members: CapitalNames, Doc: "The resource types."},
		{Name: "functions", Kind: Members, Of: Function, Members: SmallNames, Doc: "Functions that programs can call."},
		{Name: "components", Kind: Members, Of: Component, Members: CapitalNames, Doc: "Resources made of others."},
		{Name: "ephemerals", Kind: Members, Of: Ephemeral, Members: CapitalNames, Doc: "Values that are never stored."},
		{Name: "actions", Kind: Members, Of: Function, Members: CapitalNames, Doc: "Actions that are run on demand."},
		{Name: "tests", Kind: Special, CUE: "[string]: {...}", Doc: "Scenarios for `declprov test`."},
		{Name: "configure", Kind: Struct, Of: Operation, Part: true, Doc: "Probes credentials; what it yields is ${session}."},
		{Name: "wire", Kind: Text, CUE: wireRules, Doc: "The case rule of names on the wire, for everything that has none of its own: snake_case, kebab-case, camelCase or PascalCase."},
		{
			Name: "maxValues", Kind: Count, CUE: "int & >=1 & <=1000000000", Into: to(func(p *spec.Provider) any { return &p.MaxValues }),
			Whole: &Whole{
				Least: 1, Most: 1_000_000_000, Range: "from 1 to 1000000000",
				Remedy: "Write how many values a request, a response or an output may have: `maxValues: 3000000`. It takes no templates.",
			},
			Doc: "The most values that a request, a response or an output may have, unless a step sets another limit.",
		},
	},
}

// Permissions is what a spec may touch.
var Permissions = &Block{
	Name: "Permissions", What: "permissions",
	Keys: []Key{
		{Name: "read", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Read }), Doc: "Globs that may be read."},
		{Name: "write", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Write }), Doc: "Globs that may be written, which includes reading and deleting."},
		{Name: "hosts", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Hosts }), Doc: "Origins that may be connected to."},
		{Name: "run", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Run }), Doc: "Programs that may be run."},
		{Name: "env", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Env }), Doc: "Environment variables that may be read."},
		{Name: "packages", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Packages }), Doc: `Other packages that children of components may be of: "random", "random@4.16.3".`},
		{Name: "agent", Kind: Bool, Doc: "The user's ssh-agent, which logs in with the user's keys: `ssh: agent: true`."},
		{Name: "capabilities", Kind: Texts, Doc: "What of root's rights commands keep that root runs: \"CAP_CHOWN\". Without it, those that su, chown and useradd need."},
	},
}

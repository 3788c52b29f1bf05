package block

import "github.com/declprov/declprov/spec"

// wireRules is the CUE type of the naming rules.
var wireRules = oneOf(spec.WireRules)

// Provider is a whole spec. Keys that it does not declare are blocks of defaults of
// families, which the compiler checks.
var Provider = &Block{
	Name: "Provider", What: "a spec", Doc: "A whole spec.",
	Keys: []Key{
		{Name: "name", Kind: Text, Required: true, CUE: `=~"^[a-z][-a-z0-9]*$"`, Doc: "The name of the provider: lowercase letters, digits and hyphens."},
		{Name: "version", Kind: Text, Required: true, Doc: "Its semantic version, such as 1.2.0."},
		{Name: "displayName", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.DisplayName }), Doc: "The name that people read."},
		{Name: "description", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Description }), Doc: "Its purpose; by default the comment above the package clause."},
		{Name: "keywords", Kind: Texts, Into: to(func(p *spec.Provider) any { return &p.Keywords }), Doc: "Keywords for package registries."},
		{Name: "homepage", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Homepage }), Doc: "URL of the provider's home page."},
		{Name: "repository", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Repository }), Doc: "URL of the source repository."},
		{Name: "license", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.License }), Doc: "Its license, such as Apache-2.0."},
		{Name: "publisher", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Publisher }), Doc: "The publisher."},
		{Name: "namespace", Kind: Text, CUE: `=~"^[a-z][-a-z0-9]*$"`, Into: to(func(p *spec.Provider) any { return &p.Namespace }), Doc: "The organization that owns the package. Generated SDKs have it in their names, as in @NAMESPACE/NAME."},
		{Name: "pluginDownloadURL", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.PluginDownloadURL }), Doc: "Where Pulumi downloads the archives that `declprov package` writes: an https URL of a folder, or github://api.github.com/OWNER."},
		{Name: "logo", Kind: Text, Into: to(func(p *spec.Provider) any { return &p.Logo }), Doc: "URL of the logo."},
		{Name: "language", Kind: Special, CUE: "{...}", Doc: "Options for SDK generators, by language."},
		{Name: "config", Kind: Types, Part: true, Doc: "The settings of the provider, as types."},
		{Name: "types", Kind: Special, CUE: "{...}", Doc: "Named types, in YAML and JSON. In CUE, write definitions.", InData: true},
		{Name: "permissions", Kind: Struct, Of: Permissions, Part: true, Doc: "What the spec may access. Without this block, it may access exactly what it names."},
		{Name: "resources", Kind: Members, Of: Resource, Members: CapitalNames, Doc: "The resource types."},
		{Name: "functions", Kind: Members, Of: Function, Members: SmallNames, Doc: "Functions that programs can call."},
		{Name: "components", Kind: Members, Of: Component, Members: CapitalNames, Doc: "Resources that consist of other resources."},
		{Name: "ephemerals", Kind: Members, Of: Ephemeral, Members: CapitalNames, Doc: "Values that are only used for a while, such as tokens: opened, renewed and closed."},
		{Name: "actions", Kind: Members, Of: Function, Members: CapitalNames, Doc: "Actions that are run on demand. Not yet supported."},
		{Name: "tests", Kind: Special, CUE: "[string]: {...}", Doc: "Scenarios for `declprov test`. Not yet supported."},
		{Name: "configure", Kind: Struct, Of: Operation, Part: true, Doc: "An operation that runs when Pulumi configures the provider, for example to check credentials. Its result is available as ${session}."},
		{Name: "rest", Kind: Struct, Of: RestDefaults, Part: true, Doc: "Defaults for the `rest` of each resource: options that an API has for all of its objects."},
		{Name: "wire", Kind: Text, CUE: wireRules, Doc: "The default naming rule for names on the wire: snake_case, kebab-case, camelCase or PascalCase."},
		{
			Name: "maxValues", Kind: Count, CUE: "int & >=1 & <=1000000000", Into: to(func(p *spec.Provider) any { return &p.MaxValues }),
			Whole: &Whole{
				Least: 1, Most: 1_000_000_000, Range: "from 1 to 1000000000",
				Remedy: "Write the number of values that a request, a response or an output may have, without a template: `maxValues: 3000000`.",
			},
			Doc: "The maximum number of values that a request, a response or an output may have, unless a step sets another limit.",
		},
	},
}

// Permissions are what a spec may access.
var Permissions = &Block{
	Name: "Permissions", What: "permissions",
	Keys: []Key{
		{Name: "read", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Read }), Doc: "Paths that may be read, as patterns: \"conf/**\"."},
		{Name: "write", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Write }), Doc: "Paths that may be written, which includes reading and deleting."},
		{Name: "hosts", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Hosts }), Doc: "Servers that may be connected to, as origins: \"https://api.example.com\"."},
		{Name: "run", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Run }), Doc: "Programs that may be run."},
		{Name: "env", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Env }), Doc: "Environment variables that commands inherit, in addition to PATH and HOME."},
		{Name: "packages", Kind: Templates, Into: to(func(p *spec.Permissions) any { return &p.Packages }), Doc: `Other packages whose types children of components may have: "random", "random@4.16.3".`},
		{Name: "agent", Kind: Bool, Doc: "The user's ssh-agent, which logs in with the user's keys: `ssh: agent: true`."},
		{Name: "capabilities", Kind: Texts, Doc: "The Linux capabilities that commands run by root keep, such as \"CAP_CHOWN\". By default, those that su, chown and useradd require."},
	},
}

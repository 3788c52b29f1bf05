package schema

// The types below are the part of the document that declprov uses; see "Pulumi Package
// Metaschema", pkg/codegen/schema/pulumi.json of pulumi/pulumi. They are not those of
// Pulumi's package, because its initialization would add seven milliseconds to every start
// of a provider.

type pkg struct {
	Name              string                 `json:"name"`
	DisplayName       string                 `json:"displayName,omitempty"`
	Version           string                 `json:"version,omitempty"`
	Description       string                 `json:"description,omitempty"`
	Keywords          []string               `json:"keywords,omitempty"`
	Homepage          string                 `json:"homepage,omitempty"`
	License           string                 `json:"license,omitempty"`
	Repository        string                 `json:"repository,omitempty"`
	LogoURL           string                 `json:"logoUrl,omitempty"`
	Publisher         string                 `json:"publisher,omitempty"`
	Namespace         string                 `json:"namespace,omitempty"`
	PluginDownloadURL string                 `json:"pluginDownloadURL,omitempty"`
	Meta              meta                   `json:"meta"`
	Language          map[string]any         `json:"language,omitempty"`
	Config            config                 `json:"config"`
	Types             map[string]complexType `json:"types,omitempty"`
	Provider          resource               `json:"provider"`
	Resources         map[string]resource    `json:"resources,omitempty"`
	Functions         map[string]function    `json:"functions,omitempty"`
}

type meta struct {
	ModuleFormat string `json:"moduleFormat"`
}

type config struct {
	Variables map[string]property `json:"variables,omitempty"`
	// Required is called "defaults" for historical reasons.
	Required []string `json:"defaults,omitempty"`
}

type typeSpec struct {
	Type                 string         `json:"type,omitempty"`
	Ref                  string         `json:"$ref,omitempty"`
	Items                *typeSpec      `json:"items,omitempty"`
	AdditionalProperties *typeSpec      `json:"additionalProperties,omitempty"`
	OneOf                []typeSpec     `json:"oneOf,omitempty"`
	Discriminator        *discriminator `json:"discriminator,omitempty"`
}

type discriminator struct {
	PropertyName string            `json:"propertyName"`
	Mapping      map[string]string `json:"mapping,omitempty"`
}

type property struct {
	typeSpec
	Description          string         `json:"description,omitempty"`
	Const                any            `json:"const,omitempty"`
	Default              any            `json:"default,omitempty"`
	DefaultInfo          *defaultInfo   `json:"defaultInfo,omitempty"`
	DeprecationMessage   string         `json:"deprecationMessage,omitempty"`
	Language             map[string]any `json:"language,omitempty"`
	Secret               bool           `json:"secret,omitempty"`
	WillReplaceOnChanges bool           `json:"willReplaceOnChanges,omitempty"`
}

type defaultInfo struct {
	Environment []string `json:"environment"`
}

type objectType struct {
	Description string              `json:"description,omitempty"`
	Type        string              `json:"type,omitempty"`
	Properties  map[string]property `json:"properties,omitempty"`
	Required    []string            `json:"required,omitempty"`
}

type complexType struct {
	objectType
	Enum []enumValue `json:"enum,omitempty"`
}

type enumValue struct {
	Name  string `json:"name,omitempty"`
	Value any    `json:"value"`
}

type resource struct {
	objectType
	IsComponent        bool                `json:"isComponent,omitempty"`
	InputProperties    map[string]property `json:"inputProperties,omitempty"`
	RequiredInputs     []string            `json:"requiredInputs,omitempty"`
	StateInputs        *objectType         `json:"stateInputs,omitempty"`
	ListInputs         *objectType         `json:"listInputs,omitempty"`
	Methods            map[string]string   `json:"methods,omitempty"`
	Aliases            []alias             `json:"aliases,omitempty"`
	DeprecationMessage string              `json:"deprecationMessage,omitempty"`
}

type alias struct {
	Type string `json:"type"`
}

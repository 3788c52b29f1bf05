package source

// The codes of the diagnostics of spec/load, one line of meaning each. They never
// change once released.
const (
	CodeInternal           = "internal"            // a fault of declprov or of CUE
	CodeStopped            = "stopped"             // out of time, or given up by the caller
	CodeUnreadableFile     = "unreadable-file"     // a file that is not there, or cannot be read
	CodeUnknownFormat      = "unknown-format"      // neither CUE, YAML nor JSON
	CodeFileTooLarge       = "file-too-large"      // beyond the limits of a spec's files
	CodeNotText            = "not-text"            // not UTF-8, or with NUL in it
	CodeTooDeep            = "too-deep"            // blocks or expressions nested beyond the limit
	CodeSyntaxError        = "syntax"              // not CUE, YAML or JSON
	CodeImportFailed       = "import-failed"       // a package that cannot be imported
	CodeUnusedImport       = "unused"              // an import or let that nothing refers to
	CodeUnknownReference   = "unknown-reference"   // a CUE name that is declared nowhere
	CodeConflict           = "conflict"            // values or constraints that exclude each other
	CodeFieldNotAllowed    = "field-not-allowed"   // a field that a closed definition does not have
	CodeCueEvaluation      = "cue"                 // another error of CUE's evaluation
	CodeFrozenReference    = "frozen-reference"    // a CUE reference to a value that exists at run time only
	CodeUnknownKey         = "unknown-key"         // a key that its block does not have
	CodeMissingKey         = "missing-key"         // a key that its block must have
	CodeMisplacedKey       = "misplaced-key"       // a key that its block has elsewhere only
	CodeWrongShape         = "wrong-shape"         // text for a struct, a struct for a list, …
	CodeBadValue           = "bad-value"           // of the right shape, and not allowed
	CodeOfficialName       = "official-name"       // the name of a provider that Pulumi finds by itself (warning)
	CodeDuplicateName      = "duplicate-name"      // a name that is taken
	CodeDuplicateKey       = "duplicate-key"       // a key given twice in one YAML or JSON block
	CodeBadVersion         = "bad-version"         // no semantic version
	CodeUpgradeGap         = "upgrade-gap"         // schemaVersion and upgrade do not fit
	CodeEmptySteps         = "empty-steps"         // an operation or step that does nothing
	CodeStepBesideSteps    = "step-beside-steps"   // keys of one step beside `steps`
	CodeUnknownStep        = "unknown-step"        // restart names no earlier step of the list
	CodeTypeAsValue        = "type-as-value"       // a type where a value is needed
	CodeBytesValue         = "bytes-value"         // bytes where a value is needed
	CodeHiddenField        = "hidden-field"        // a hidden field or definition among data that nothing refers to, which CUE leaves out
	CodeOctalNumber        = "octal-number"        // YAML's unquoted 0644
	CodeYamlAnchor         = "yaml-alias"          // an alias to nothing, to itself, or of too many nodes
	CodeBadType            = "bad-type"            // text of a type that is no CUE expression
	CodeBytesType          = "bytes-type"          // bytes as a property's type
	CodeTupleType          = "tuple-type"          // a list of fixed length as a property's type
	CodeOpenObject         = "open-object"         // inputs, outputs or config that do not name their properties
	CodeRecursiveType      = "recursive-type"      // a type that contains itself without a name
	CodeUnsupportedType    = "unsupported-type"    // a type that has no form outside CUE
	CodeInterpolatedType   = "interpolated-type"   // \( ) in a type
	CodeConditionalType    = "conditional-type"    // a comprehension on an input's value
	CodeCrossField         = "cross-field-type"    // a type that refers to another property
	CodeShadowedType       = "shadowed-type"       // a property named like a type that is used beside it
	CodeShadowedPackage    = "shadowed-package"    // a key named like a package that is used below or beside it
	CodeUntaggedUnion      = "untagged-union"      // structs that no literal field tells apart
	CodeBadRegexp          = "bad-regexp"          // a regular expression that RE2 refuses
	CodeDefaultViolates    = "default-violates"    // a default that its own type does not allow
	CodeDefaultNotConcrete = "default-not-literal" // a default that is no single value
	CodeUnknownAttribute   = "unknown-attribute"   // an attribute that the language does not have
	CodeMisplacedAttribute = "misplaced-attribute" // an attribute that means nothing where it stands
	CodeBadAttribute       = "bad-attribute"       // an attribute whose arguments are wrong
)

package source

// The codes of the diagnostics of spec/load, each with its meaning. They never change
// once released.
const (
	CodeInternal           = "internal"            // a bug in declprov or in CUE
	CodeStopped            = "stopped"             // the time limit was exceeded, or the caller cancelled the load
	CodeUnreadableFile     = "unreadable-file"     // a file that does not exist or cannot be read
	CodeUnknownFormat      = "unknown-format"      // a format that is not CUE, YAML or JSON
	CodeFileTooLarge       = "file-too-large"      // a file that exceeds the size limits of a spec
	CodeNotText            = "not-text"            // a file that is not UTF-8 or contains NUL
	CodeTooDeep            = "too-deep"            // blocks or expressions that nest deeper than the limit
	CodeSyntaxError        = "syntax"              // invalid CUE, YAML or JSON
	CodeImportFailed       = "import-failed"       // a package that cannot be imported
	CodeUnusedImport       = "unused"              // an import or let that nothing refers to
	CodeUnknownReference   = "unknown-reference"   // a CUE name that is not defined
	CodeConflict           = "conflict"            // values or constraints that exclude each other
	CodeFieldNotAllowed    = "field-not-allowed"   // a field that a closed definition does not define
	CodeCueEvaluation      = "cue"                 // another error from the evaluation by CUE
	CodeFrozenReference    = "frozen-reference"    // a CUE reference to a value that only exists at run time
	CodeUnknownKey         = "unknown-key"         // a key that its block does not have, and that is not a family of actions
	CodeMissingKey         = "missing-key"         // a required key of a block
	CodeMisplacedKey       = "misplaced-key"       // a key that is only allowed elsewhere in its block
	CodeWrongShape         = "wrong-shape"         // a value of the wrong kind, such as a string instead of a struct
	CodeBadValue           = "bad-value"           // a value of the right kind that is not allowed
	CodeInsecureDownload   = "insecure-download"   // a plugin that is downloaded over an unencrypted connection (warning)
	CodeDuplicateName      = "duplicate-name"      // a name that is already in use
	CodeDuplicateKey       = "duplicate-key"       // a key that appears twice in a YAML or JSON block
	CodeBadVersion         = "bad-version"         // a version that is not a semantic version
	CodeUpgradeGap         = "upgrade-gap"         // an `upgrade` without exactly one entry for each version below `schemaVersion`
	CodeEmptySteps         = "empty-steps"         // an operation or step that does nothing
	CodeStepBesideSteps    = "step-beside-steps"   // keys of a step, other than `retry` and `lock`, next to `steps`
	CodeUnknownStep        = "unknown-step"        // a `restart` that does not name an earlier step of the list
	CodeTypeAsValue        = "type-as-value"       // a type where a value is required
	CodeBytesValue         = "bytes-value"         // a value of CUE's type bytes, which no place accepts
	CodeHiddenField        = "hidden-field"        // an unused hidden field or definition in a data block, which CUE ignores
	CodeOctalNumber        = "octal-number"        // an octal number without quotes in YAML, such as 0644, which YAML reads as 420
	CodeYamlAnchor         = "yaml-alias"          // an alias to an unknown anchor, to itself, or of too many nodes
	CodeBadType            = "bad-type"            // a type that CUE does not have, or an invalid expression in place of a type
	CodeJSONSchema         = "json-schema"         // a JSON Schema in the place of a type
	CodeQuotedType         = "quoted-type"         // the name of a type in quotes, which allows only that text (warning)
	CodeLiteralSetting     = "literal-setting"     // a setting with a literal as its type, so that nothing else can be set (warning)
	CodeUnmarkedSecret     = "unmarked-secret"     // a setting, input or output whose name is that of a secret, without @secret() (warning)
	CodeNotUnwrapped       = "not-unwrapped"       // a read next to `rest: unwrap` that returns the whole response (warning)
	CodeListedID           = "listed-id"           // a list of `rest` whose ids are not those by which users import the objects, next to an `id` or `import` that is not made of inputs and members (warning)
	CodeReturnNotRead      = "return-not-read"     // a `return` of a resource next to `rest: read: "list"`, whose read returns the item of the list as it is (warning)
	CodeConstantInput      = "constant-input"      // an input of which only one value is allowed (warning)
	CodeBytesType          = "bytes-type"          // bytes as a property's type
	CodeTupleType          = "tuple-type"          // a list of fixed length as a property's type
	CodeOpenObject         = "open-object"         // inputs, outputs or config that do not name their properties
	CodeRecursiveType      = "recursive-type"      // a type that contains itself without being a definition
	CodeUnsupportedType    = "unsupported-type"    // a type that only exists in CUE
	CodeInterpolatedType   = "interpolated-type"   // an interpolation \( ) in a type
	CodeConditionalType    = "conditional-type"    // a comprehension that depends on the value of an input
	CodeCrossField         = "cross-field-type"    // a type that refers to another property
	CodeShadowedType       = "shadowed-type"       // a property with the name of a type that its siblings use
	CodeShadowedPackage    = "shadowed-package"    // a key that hides an imported package of the same name, which is used within or next to the key
	CodeUntaggedUnion      = "untagged-union"      // a union of structs without a literal field that identifies each
	CodeBadRegexp          = "bad-regexp"          // an invalid regular expression (RE2)
	CodeDefaultViolates    = "default-violates"    // a default that its own type does not allow
	CodeDefaultNull        = "default-null"        // a default of null, which would be left out as an absent value is
	CodeDefaultNotConcrete = "default-not-literal" // a default that is not a concrete value
	CodeUnknownAttribute   = "unknown-attribute"   // an attribute that is not defined
	CodeMisplacedAttribute = "misplaced-attribute" // an attribute that is not allowed in its place
	CodeBadAttribute       = "bad-attribute"       // an attribute with invalid arguments
)

package load

// The codes of this package's diagnostics, one line of meaning each. They never
// change once released.
const (
	internalCode       = "internal"            // a fault of declprov or of CUE
	stopped            = "stopped"             // out of time, or given up by the caller
	unreadableFile     = "unreadable-file"     // a file that is not there, or cannot be read
	unknownFormat      = "unknown-format"      // neither CUE, YAML nor JSON
	fileTooLarge       = "file-too-large"      // beyond the limits of a spec's files
	notText            = "not-text"            // not UTF-8, or with NUL in it
	tooDeep            = "too-deep"            // blocks or expressions nested beyond the limit
	syntaxError        = "syntax"              // not CUE, YAML or JSON
	importFailed       = "import-failed"       // a package that cannot be imported
	unusedImport       = "unused"              // an import or let that nothing refers to
	unknownReference   = "unknown-reference"   // a CUE name that is declared nowhere
	conflict           = "conflict"            // values or constraints that exclude each other
	fieldNotAllowed    = "field-not-allowed"   // a field that a closed definition does not have
	cueEvaluation      = "cue"                 // another error of CUE's evaluation
	frozenReference    = "frozen-reference"    // a CUE reference to a value that exists at run time only
	unknownKey         = "unknown-key"         // a key that its block does not have
	missingKey         = "missing-key"         // a key that its block must have
	misplacedKey       = "misplaced-key"       // a key that its block has elsewhere only
	wrongShape         = "wrong-shape"         // text for a struct, a struct for a list, …
	badValue           = "bad-value"           // of the right shape, and not allowed
	badName            = "bad-name"            // a name with letters that names may not have
	officialName       = "official-name"       // the name of a provider that Pulumi finds by itself (warning)
	reservedName       = "reserved-name"       // a name that the host keeps for itself
	duplicateName      = "duplicate-name"      // a name that is taken
	duplicateKey       = "duplicate-key"       // a key given twice in one YAML or JSON block
	badVersion         = "bad-version"         // no semantic version
	badLanguage        = "bad-language"        // options of an SDK generator that are none
	upgradeGap         = "upgrade-gap"         // schemaVersion and upgrade do not fit
	emptySteps         = "empty-steps"         // an operation or step that does nothing
	stepBesideSteps    = "step-beside-steps"   // keys of one step beside `steps`
	unknownStep        = "unknown-step"        // restart names no earlier step of the list
	typeAsValue        = "type-as-value"       // a type where a value is needed
	bytesValue         = "bytes-value"         // bytes where a value is needed
	hiddenField        = "hidden-field"        // a hidden field or definition among data that nothing refers to, which CUE leaves out
	octalNumber        = "octal-number"        // YAML's unquoted 0644
	yamlAnchor         = "yaml-alias"          // an alias to nothing, to itself, or of too many nodes
	badType            = "bad-type"            // text of a type that is no CUE expression
	bytesType          = "bytes-type"          // bytes as a property's type
	tupleType          = "tuple-type"          // a list of fixed length as a property's type
	openObject         = "open-object"         // inputs, outputs or config that do not name their properties
	recursiveType      = "recursive-type"      // a type that contains itself without a name
	unsupportedType    = "unsupported-type"    // a type that has no form outside CUE
	interpolatedType   = "interpolated-type"   // \( ) in a type
	conditionalType    = "conditional-type"    // a comprehension on an input's value
	crossField         = "cross-field-type"    // a type that refers to another property
	shadowedType       = "shadowed-type"       // a property named like a type that is used beside it
	shadowedPackage    = "shadowed-package"    // a key named like a package that is used below or beside it
	untaggedUnion      = "untagged-union"      // structs that no literal field tells apart
	badRegexp          = "bad-regexp"          // a regular expression that RE2 refuses
	defaultViolates    = "default-violates"    // a default that its own type does not allow
	defaultNotConcrete = "default-not-literal" // a default that is no single value
	unknownAttribute   = "unknown-attribute"   // an attribute that the language does not have
	misplacedAttribute = "misplaced-attribute" // an attribute that means nothing where it stands
	badAttribute       = "bad-attribute"       // an attribute whose arguments are wrong
)

package compile

// The codes of this package's diagnostics, one line of meaning each. They never
// change once released.
const (
	codeUnknownKey           = "unknown-key"           // a key that its block does not have, and no family of actions is called
	codeWrongShape           = "wrong-shape"           // text for a struct, a struct for a list, …
	codeNoAction             = "no-action"             // a step, or a family's block, without an action
	codeTwoActions           = "two-actions"           // a step with more than one action
	codeUnknownAction        = "unknown-action"        // a family has no such action
	codeUnknownArgument      = "unknown-argument"      // an action has no such argument
	codeMissingArgument      = "missing-argument"      // an action needs an argument that is not given
	codeConflictingArguments = "conflicting-arguments" // arguments of which only one may be given
	codeNoTemplates          = "no-templates"          // a template where an argument takes none
	codeWrongType            = "wrong-type"            // a template of a type that its place cannot use
	codeTypeMismatch         = "type-mismatch"         // a value has another type than the one that is expected
	codeSecretExposed        = "secret-exposed"        // a secret goes where others can read it
	codeNotPermitted         = "not-permitted"         // an action that the permissions can never allow
	codeIdLate               = "id-late"               // an effect before the id is known would be lost if a step in between failed
	codeImportTemplate       = "import-template"       // an import that cannot be read backwards
	codeImportNoID           = "import-without-id"     // an import that gives no id, where read cannot give it either
	codeImportIncomplete     = "import-incomplete"     // an input that delete needs, and that neither an import nor read gives (warning)
	codeIDInput              = "id-input"              // an input that the id is made of, and that may change without the object (warning)
	codeIDChanges            = "id-changes"            // an input whose update may change the id in a way that nobody can foresee (warning)
	codeUnknownProperty      = "unknown-property"      // a path that leads to no input
	codeDefaultCycle         = "default-cycle"         // defaults that depend on themselves
	codeNotReadBack          = "not-read-back"         // an input that read does not give, and that would look unset
	codeOutputNotGiven       = "output-not-given"      // a required output that no operation yields
	codePreviewEffect        = "preview-effect"        // a step that changes something, and is to run in previews
	codeNoDelete             = "no-delete"             // a resource that cannot be removed (warning)
	codeUndoNothing          = "undo-nothing"          // undo steps of a step that changes nothing (warning)
	codeEphemeralStored      = "ephemeral-stored"      // an ephemeral input or value, which Pulumi stores (warning)
	codeNotServed            = "not-served"            // what this version parses and does not serve (warning)
	codeFunctionEffect       = "function-effect"       // a function, `configure` or `find` that changes something, where nobody expects it
	codeUnchecked            = "unchecked-access"      // an access to a member of an untyped answer, which nothing can check (note, with --unchecked)
	codeAtLeastOnce          = "at-least-once"         // a create that may be made twice if its answer is lost (warning)
	codeMayOverwrite         = "may-overwrite"         // a create that replaces what somebody else made under the same name (warning)
	codeFindUntyped          = "find-untyped"          // a find of no declared type, where the create that it stands for returns one (warning)
	codeFindAny              = "find-any"              // a find that refers to no input, and may take another object for the one that was made (warning)
	codeAlwaysRefused        = "always-refused"        // an update or delete under the condition that nothing is there (warning)
	codeMayBeForeign         = "may-be-foreign"        // an update or delete of what a create that stopped halfway may not have made (warning)
	codeUnsafeRetry          = "unsafe-retry"          // a retry or until that would repeat what may have been done
	codeBadCall              = "bad-call"              // arguments that make no sense together, or of an action's own rules
	codeAliasTaken           = "alias-taken"           // a former name that another resource has or had
	codeUnknownResource      = "unknown-resource"      // a child of a type that the spec does not have, or that is no type
	codeUnknownChild         = "unknown-child"         // an option of a child that names no child
	codeChildCycle           = "child-cycle"           // children that need each other in a ring, or a component within itself
	codeBadOption            = "bad-option"            // an option that means nothing for the child that has it
	codeTypeAsValue          = "type-as-value"         // a type where a value is needed
)

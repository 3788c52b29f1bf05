package finding

// The codes of the compiler's diagnostics, with the meaning of each. A code that was released
// never changes.
const (
	CodeUnknownKey           = "unknown-key"           // a key that its block does not have, and that is not a family of actions
	CodeBadValue             = "bad-value"             // a value of the right kind that is not allowed
	CodeWrongShape           = "wrong-shape"           // a value of the wrong kind, such as a string instead of a struct
	CodeNoAction             = "no-action"             // a step without an action, or with the name of a family (`file`) and none of its actions
	CodeTwoActions           = "two-actions"           // a step with more than one action
	CodeUnknownAction        = "unknown-action"        // an action that the family does not have
	CodeUnknownArgument      = "unknown-argument"      // an argument that the action does not have
	CodeMissingArgument      = "missing-argument"      // a required argument is missing
	CodeConflictingArguments = "conflicting-arguments" // arguments that exclude each other
	CodeNoTemplates          = "no-templates"          // a template in an argument that cannot contain templates
	CodeWrongType            = "wrong-type"            // a template of a type that its place cannot use
	CodeTypeMismatch         = "type-mismatch"         // a value of another type than the expected one
	CodeSecretExposed        = "secret-exposed"        // a secret in a place that others can read
	CodeNotPermitted         = "not-permitted"         // an action that the permissions never allow
	CodeIdLate               = "id-late"               // a step with an effect before the id is known: if a step in between fails, the state has no id for what was made
	CodeImportTemplate       = "import-template"       // an `import` whose text cannot be parsed into inputs and the id
	CodeImportNoID           = "import-without-id"     // an import that does not give the id, and read does not either
	CodeImportIncomplete     = "import-incomplete"     // an input that delete requires, and that neither an import nor read gives (warning)
	CodeIDInput              = "id-input"              // an input in the id that may change although the object keeps its id (warning)
	CodeIDChanges            = "id-changes"            // an input whose update may change the id in a way that cannot be predicted (warning)
	CodeUnknownProperty      = "unknown-property"      // a name or path that is no input or output
	CodeDefaultCycle         = "default-cycle"         // defaults that depend on themselves
	CodeDefaultNull          = "default-null"          // a default of null, which would be left out as an absent value is
	CodeSessionCycle         = "session-cycle"         // a step of `configure` that uses a default that refers to `session`, which is only known after `configure`
	CodeNotReadBack          = "not-read-back"         // an input that read does not return: each refresh would unset it
	CodeNeverCompared        = "never-compared"        // `@normalised()` on an input that no read returns
	CodeOutputNotGiven       = "output-not-given"      // a required output that no operation returns
	CodePreviewEffect        = "preview-effect"        // a step with an effect that would run in previews
	CodeNoDelete             = "no-delete"             // a resource that cannot be deleted (warning)
	CodeUndoNothing          = "undo-nothing"          // an `onFailure` of a step without an effect, which leaves nothing to undo (warning)
	CodeEphemeralStored      = "ephemeral-stored"      // an ephemeral input or value, which Pulumi stores (warning)
	CodeNotServed            = "not-served"            // a part of the spec that this version checks but does not run (warning)
	CodeFunctionEffect       = "function-effect"       // an effect in a function, `configure` or `find`, which must only read
	CodeUnchecked            = "unchecked-access"      // an access to a member of an untyped response, which cannot be checked (note, with --unchecked)
	CodeAtLeastOnce          = "at-least-once"         // a create or update that may be repeated if its response is lost (warning)
	CodeMayOverwrite         = "may-overwrite"         // a create that replaces an existing object of the same name, whoever created it (warning)
	CodeFindUntyped          = "find-untyped"          // a `find` without `returns`, although the create whose response it replaces has it (warning)
	CodeFindAny              = "find-any"              // a find that does not depend on the inputs, and may find somebody else's object (warning)
	CodeAlwaysRefused        = "always-refused"        // an update or delete on the condition that the object does not exist (warning)
	CodeMayBeForeign         = "may-be-foreign"        // an update or delete of an object that the create may not have created (warning)
	CodeChildByIndex         = "child-by-index"        // a child for each item of a list, named by the index, of a resource that the item names (warning)
	CodeStuck                = "stuck-at-fail"         // a step that reads the same failed operation again in each later run (warning)
	CodeUnsafeRetry          = "unsafe-retry"          // a retry or until that may repeat an effect
	CodeBadCall              = "bad-call"              // arguments that do not fit together, or break a rule of the action
	CodeAliasTaken           = "alias-taken"           // a former name that another resource has or had
	CodeUnknownResource      = "unknown-resource"      // a component's child with a type that does not exist
	CodeUnknownChild         = "unknown-child"         // an option of a component's child that names none of its other children
	CodeChildCycle           = "child-cycle"           // children of a component that need each other, or a component that contains itself
	CodeBadOption            = "bad-option"            // an option of a component's child that is not allowed for this child
	CodeNoEffect             = "create-without-effect" // a create that creates nothing (warning)
	CodeNothingDone          = "without-effect"        // an update or delete that only reads (warning)
	CodeReadEffect           = "read-with-effect"      // a read that changes something (warning)
	CodeNeverGone            = "never-gone"            // a read that never reports that the object does not exist (warning)
	CodeDeniedIsGone         = "denied-is-gone"        // a `gone` in read that is also true if the credentials may not read the object (warning)
	CodeNotUpdated           = "not-updated"           // an input that create sends and no update does (warning)
	CodeObjectNotNamed       = "object-not-named"      // a read, update or delete that does not say which object it is about (warning)
	CodeConstantCondition    = "constant-condition"    // an until, fail or refused that does not depend on anything (warning)
	CodeLockReleased         = "lock-released"         // a step that writes what an earlier step with the same lock has read, without a lock next to `steps` (warning)
	CodeDefaultNotPermitted  = "default-not-permitted" // a default of a setting with which an action exceeds the permissions (warning)
	CodeBadOrigin            = "bad-origin"            // a host under permissions that is not an origin, such as one without a scheme, or with a scheme that no action has
	CodeFormLost             = "form-lost"             // a value that is sent, and may be typed or untyped: its names and types on the wire are not known
	CodeTypeAsValue          = "type-as-value"         // a type where a value is required
)

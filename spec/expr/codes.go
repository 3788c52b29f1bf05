package expr

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeSyntax: an expression cannot be parsed.
	CodeSyntax = "template-syntax"
	// CodeUnterminated: a `${` has no `}`.
	CodeUnterminated = "template-unterminated"
	// CodeEmpty: `${}` holds nothing.
	CodeEmpty = "template-empty"
	// CodeTooLarge: a template or a pattern is beyond the limits.
	CodeTooLarge = "template-too-large"
	// CodeUnknownName: the scope has no such name.
	CodeUnknownName = "unknown-name"
	// CodeNameNotHere: the language has the name, but not at this place.
	CodeNameNotHere = "name-not-here"
	// CodeUnknownMember: a typed value has no such member.
	CodeUnknownMember = "unknown-member"
	// CodeMissingMember: a struct lacks a member that is required of it.
	CodeMissingMember = "missing-member"
	// CodeTypeMismatch: a value has another type than the one that is expected.
	CodeTypeMismatch = "type-mismatch"
	// CodeNotAllowed: a constant is of the right type, and against its rules.
	CodeNotAllowed = "value-not-allowed"
	// CodeNullUnguarded: a value that may be null is used as if it never were.
	CodeNullUnguarded = "null-unguarded"
	// CodeWrongArgument: an argument of a function is of another type, or there
	// are too many or too few.
	CodeWrongArgument = "wrong-argument"
	// CodeUnknownFunction: there is no function of that name.
	CodeUnknownFunction = "unknown-function"
	// CodeForbiddenFunction: expr has the function, and specs may not use it.
	CodeForbiddenFunction = "forbidden-function"
	// CodeTextPart: a value that is no scalar stands amid text.
	CodeTextPart = "text-part"
	// CodeNeverEqual: the two sides of a comparison can never be equal.
	CodeNeverEqual = "never-equal"
	// CodeBadRegexp: a regular expression is not one.
	CodeBadRegexp = "bad-regexp"
	// CodeConstantFails: an expression without references fails whenever it is
	// evaluated.
	CodeConstantFails = "constant-fails"
)

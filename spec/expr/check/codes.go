package check

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeUnknownName: a name is not defined.
	CodeUnknownName = "unknown-name"
	// CodeNameNotHere: a name of the language is not available in this place.
	CodeNameNotHere = "name-not-here"
	// CodeWrongArgument: an argument of a function has the wrong type, or there are
	// too many or too few arguments.
	CodeWrongArgument = "wrong-argument"
	// CodeUnknownFunction: a function is not defined.
	CodeUnknownFunction = "unknown-function"
	// CodeForbiddenFunction: a function of expr that specs may not use.
	CodeForbiddenFunction = "forbidden-function"
	// CodeTextPart: a value that is not a scalar is inserted into text.
	CodeTextPart = "text-part"
	// CodeNeverEqual: the two sides of a comparison can never be equal.
	CodeNeverEqual = "never-equal"
	// CodeBadRegexp: an invalid regular expression (RE2)
	CodeBadRegexp = "bad-regexp"
	// CodeLiteralTemplate: a ${…} within a string of an expression, or in the name of a member, which is sent as it is
	// (warning)
	CodeLiteralTemplate = "literal-template"
	// CodeConstantFails: an expression without references fails whenever it is
	// evaluated.
	CodeConstantFails = "constant-fails"
)

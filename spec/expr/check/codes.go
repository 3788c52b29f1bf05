package check

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeUnknownName: the scope has no such name.
	CodeUnknownName = "unknown-name"
	// CodeNameNotHere: the language has the name, but not at this place.
	CodeNameNotHere = "name-not-here"
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

package expr

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Value is a compiled tree of templates. It is immutable, and safe for
// concurrent use.
type Value struct {
	typ *spec.Type
}

// Segment is one piece of a string template.
type Segment struct {
	// Text is a literal's.
	Text string
	// Ref is the path of a plain member chain (`inputs.owner`); nil for a
	// literal, and for an expression that is anything else.
	Ref []string
	// Literal says that the piece is the author's own text.
	Literal bool
}

// Part is an evaluated piece of a string template, not yet escaped.
type Part struct {
	Text string
	// Literal says that the text is the author's own.
	Literal bool
	// Unknown says that the piece's value is not known yet; Text is then "".
	Unknown bool
	// Secret says that the piece holds a secret.
	Secret bool
}

// EvalError is what goes wrong when a template is evaluated.
type EvalError struct {
	// Template is the expression as its author wrote it.
	Template string
	// Range is where the fault stands in the document.
	Range   diag.Range
	Message string
}

func (e *EvalError) Error() string { return e.Message + ", in ${" + e.Template + "}" }

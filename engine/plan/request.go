package plan

import (
	"slices"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec/expr"
)

// Request is a file, host or program that a step asks the permissions for, compiled so
// that Check and previews can refuse what the step would be refused.
type Request struct {
	Access grant.Access
	// Name is the path, URL or program; Root the folder at which a path starts, or nil.
	Name, Root *expr.Value
	// Input is the input that is asked for as it is, below a root that inputs do not
	// decide; else "".
	Input string
	// Fixed says that the author and the configuration alone decide it.
	Fixed bool
}

// Refs are what the request refers to, in the order in which they are blamed.
func (n Request) Refs() []expr.Ref {
	if n.Root == nil {
		return n.Name.Refs()
	}
	return slices.Concat(n.Name.Refs(), n.Root.Refs())
}

func IsInputRef(ref expr.Ref) bool { return len(ref.Path) > 1 && ref.Path[0] == "inputs" }

// NamesOfAnswers are the names that steps give a value.
var NamesOfAnswers = append([]string{"id", "steps"}, AnswerNames...)

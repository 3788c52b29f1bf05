package plan

import (
	"slices"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec/expr"
)

// Request is a file, host or program for which a step needs permission. It is
// compiled so that Check and previews can refuse what the step would be refused.
type Request struct {
	Access grant.Access
	// Name is the path, URL or program. Root is the folder for relative paths, or nil.
	Name, Root *expr.Value
	// Input is the name of an input that is used unchanged as the name, if inputs do not
	// affect Root; otherwise it is "".
	Input string
	// Fixed is true if only the author and the configuration determine the request.
	Fixed bool
}

// Refs returns the references of the request, in the order in which messages blame
// them.
func (n Request) Refs() []expr.Ref {
	if n.Root == nil {
		return n.Name.Refs()
	}
	return slices.Concat(n.Name.Refs(), n.Root.Refs())
}

// IsInputRef reports whether a reference is to an input.
func IsInputRef(ref expr.Ref) bool { return len(ref.Path) > 1 && ref.Path[0] == "inputs" }

// NamesOfResponses are the names in templates whose values come from steps.
var NamesOfResponses = append([]string{"id", "steps"}, AnswerNames...)

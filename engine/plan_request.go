package engine

import (
	"slices"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec/expr"
)

// request is a file, host or program that a step asks the permissions for, compiled so
// that Check and previews can refuse what the step would be refused.
type request struct {
	access grant.Access
	// name is the path, URL or program; root the folder at which a path starts, or nil.
	name, root *expr.Value
	// input is the input that is asked for as it is, below a root that inputs do not
	// decide; else "".
	input string
	// fixed says that the author and the configuration alone decide it.
	fixed bool
}

// refs are what the request refers to, in the order in which they are blamed.
func (n request) refs() []expr.Ref {
	if n.root == nil {
		return n.name.Refs()
	}
	return slices.Concat(n.name.Refs(), n.root.Refs())
}

func isInputRef(ref expr.Ref) bool { return len(ref.Path) > 1 && ref.Path[0] == "inputs" }

// namesOfAnswers are the names that steps give a value.
var namesOfAnswers = append([]string{"id", "steps"}, answerNames...)

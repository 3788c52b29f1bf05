package arguments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// StepKeys are the keys of a step that do not belong to a family.
var StepKeys = []string{
	"as", "if", "forEach", "until", "every", "timeout", "retry", "refused", "fail", "progress", "gone", "preview", "onFailure",
	"lock", "restart", "return",
}

// isKeyOfStep reports whether a name in the block of an action is that of a key of its step, and not that of
// an argument.
func (b *Block) isKeyOfStep(name string) bool {
	return b.Step != nil && actions.FindArg(b.Decls, name) == nil && slices.Contains(StepKeys, name)
}

// suggestStep says that a key belongs next to the action. Only the first such key gets an edit, which moves all of
// them: an edit for each would add braces more than once.
func (b *Block) suggestStep(d *diag.Diagnostic, f spec.Field) {
	family, _, _ := strings.Cut(b.Owner, ".")
	d.Detail = fmt.Sprintf("%s is a key of the step: write it next to %s, as in `%s: {…}, %[1]s: …`.", f.Name, family, family)
	first := slices.IndexFunc(b.Field.Value.Fields, func(f spec.Field) bool { return b.isKeyOfStep(f.Name) })
	if b.Field.Value.Fields[first].NameRange == f.NameRange {
		d.Suggest(b.Step.MoveUp(b.Field.Value, b.isKeyOfStep)...)
	}
}

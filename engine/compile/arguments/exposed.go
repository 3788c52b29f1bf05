package arguments

import (
	"cmp"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// compileExposed compiles the parts of an argument that others can read, and reports secrets in
// them. The parts serve Check: a program can make an input secret that the spec does not.
func (b *Block) compileExposed(a *plan.Argument, name string) {
	if a.Decl.Exposed && a.Value != nil {
		a.Exposes = append(a.Exposes, a.Value)
	}
	if a.Node.Kind != spec.ListNode {
		b.compileExposedWithin(a, a.Node, name)
		return
	}
	for i, item := range a.Node.Items {
		b.compileExposedWithin(a, item, fmt.Sprintf("%s.%d", name, i))
	}
}

// compileExposedWithin does that for the parts of a value: of the argument, or of one of its items.
func (b *Block) compileExposedWithin(a *plan.Argument, value *spec.Node, name string) {
	for _, path := range a.Decl.ExposedWithin {
		part := NodeAt(value, path)
		if part == nil || finding.IsReported(part) {
			continue
		}
		v, diags := expr.Compile(part, b.Scope, nil) // what is wrong in it is reported with the whole
		if diags.HasErrors() {
			continue
		}
		if v.Secret() {
			b.failExposed(part, name+"."+path, a.Decl)
		}
		a.Exposes = append(a.Exposes, v)
	}
	for _, path := range a.Decl.ExposedNames {
		part := value
		if path != "" {
			part = NodeAt(value, path)
		}
		if part == nil || part.Kind == spec.MapNode || finding.IsReported(part) {
			continue
		}
		if v, diags := expr.Compile(part, b.Scope, nil); !diags.HasErrors() && v.Hidden() {
			b.Fail(finding.CodeSecretExposed, part.Range, name, fmt.Sprintf("the names in argument %q of %s are secret", a.Decl.Name, b.Owner),
				"Others can read them. Write the names out, or put @secret() on the values alone.")
		}
	}
}

// failExposed reports a secret in an argument that others can read.
func (b *Block) failExposed(n *spec.Node, path string, decl *actions.Arg) {
	b.Fail(finding.CodeSecretExposed, n.Range, path, fmt.Sprintf("argument %q of %s contains a secret", decl.Name, b.Owner),
		cmp.Or(decl.Instead, "Others can read this argument. Pass the secret in one that stays hidden, or remove @secret() from a value that is not secret."))
}

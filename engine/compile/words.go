package compile

import (
	"cmp"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// wordType is what a word may be: text, what is written as text, or a list of
// both, which stands for its items; null is left out.
var wordType = func() *spec.Type {
	scalars := []*spec.Type{{Kind: spec.String}, {Kind: spec.Int}, {Kind: spec.Number}, {Kind: spec.Bool}}
	item := &spec.Type{Kind: spec.Union, Variants: scalars, Nullable: true}
	return &spec.Type{Kind: spec.Union, Nullable: true, Variants: append([]*spec.Type{{Kind: spec.List, Elem: item}}, scalars...)}
}()

// words compiles a list of words, one by one. The value of the whole is for what
// is asked of all arguments: what it refers to, whether it is known.
func (c *compiler) words(a *plan.Argument, f spec.Field, s *expr.Scope, what string) {
	known := len(c.diags)
	if f.Value.Kind != spec.ListNode {
		// A template that yields the list: all of it are values.
		if a.Value = c.argument(f, a.Decl, s, what); a.Value != nil {
			a.Words = []plan.Word{{Value: a.Value, Name: f.Name}}
		}
		return
	}
	for i, item := range f.Value.Items {
		name := fmt.Sprintf("%s[%d]", f.Name, i)
		v := c.template(item, s, wordType, name)
		if v == nil {
			continue
		}
		if v.Secret() {
			c.exposedSecret(item, name, a.Decl, what)
		}
		a.Words = append(a.Words, plan.Word{Value: v, Author: authored(v), Name: name})
	}
	if len(c.diags) == known {
		a.Value = c.template(f.Value, s, nil, f.Name)
	}
}

// authored reports whether a text begins with what the author wrote.
func authored(v *expr.Value) bool {
	if _, fixed := v.Const(); fixed {
		return true
	}
	segments := v.Segments()
	return len(segments) > 0 && segments[0].Literal && segments[0].Text != ""
}

// exposedSecret reports a secret in an argument that others can read.
func (c *compiler) exposedSecret(n *spec.Node, path string, decl *actions.Arg, what string) {
	c.fail(codeSecretExposed, n.Range, path, fmt.Sprintf("a secret goes into argument %q of %s", decl.Name, what),
		cmp.Or(decl.Instead, "Others can read it there. Pass the secret where it stays hidden, or take @secret() off what is none."))
}

package arguments

import (
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// wordType is the type of a word: a string, or a scalar that is written as one, or a list of them,
// which stands for its items. Null is left out.
var wordType = func() *spec.Type {
	scalars := []*spec.Type{{Kind: spec.String}, {Kind: spec.Int}, {Kind: spec.Number}, {Kind: spec.Bool}}
	item := &spec.Type{Kind: spec.Union, Variants: scalars, Nullable: true}
	return &spec.Type{Kind: spec.Union, Nullable: true, Variants: append([]*spec.Type{{Kind: spec.List, Elem: item}}, scalars...)}
}()

// compileWords compiles the words of an argument one by one. The value of the whole argument
// serves for what is asked of all arguments: what it refers to, and whether it is known.
func (b *Block) compileWords(a *plan.Argument, f spec.Field) {
	known := len(b.Diags)
	if f.Value.Kind != spec.ListNode {
		// A template yields the list: every word is a value.
		if a.Value = b.value(f, a.Decl); a.Value != nil {
			a.Words = []plan.Word{{Value: a.Value, Name: f.Name}}
		}
		return
	}
	for i, item := range f.Value.Items {
		name := fmt.Sprintf("%s[%d]", f.Name, i)
		v := b.Template(item, b.Scope, wordType, name)
		if v == nil {
			continue
		}
		if v.Secret() {
			b.failExposed(item, name, a.Decl)
		}
		a.Words = append(a.Words, plan.Word{Value: v, Author: startsWithText(v), Name: name})
	}
	if !b.Diags[known:].HasErrors() {
		a.Value = b.Template(f.Value, b.Scope, nil, f.Name)
	}
}

// startsWithText reports whether a template starts with text that the author wrote.
func startsWithText(v *expr.Value) bool {
	if _, fixed := v.Const(); fixed {
		return true
	}
	segments := v.Segments()
	return len(segments) > 0 && segments[0].Literal && segments[0].Text != ""
}

// Package let replaces local names of a spec (`let: {hash: "${…}"}`) by what they stand
// for, so that later stages do not know them. Replaced text has the positions of the
// definition, so a mistake in it is reported there, for the names that are available
// where it is used.
package let

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
	"github.com/declprov/declprov/spec/stable"
	"github.com/declprov/declprov/spec/template"
)

// reserved are the names of the language, which a local name must not hide.
var reserved = strings.Fields(`inputs config session state made changes id steps result body status headers errors each children resource old new error now request
	null nil true false let if else in not and or matches contains startsWith endsWith`)

// Reserved returns the names of the language that a local name must not hide.
func Reserved() []string { return slices.Clone(reserved) }

// Expand replaces the local names in all operations of a provider.
func Expand(doc *source.Document, p *spec.Provider) {
	x := &expander{Document: doc, done: map[*spec.Node]bool{}}
	for _, r := range p.Resources {
		x.resource(r)
	}
	for _, f := range p.Functions {
		x.function(nil, f, source.PlaceOf([]string{"functions", f.Name}))
	}
	for _, f := range p.Actions {
		x.function(nil, f, source.PlaceOf([]string{"actions", f.Name}))
	}
	for _, e := range p.Ephemerals {
		for _, op := range []*spec.Operation{e.Open, e.Renew, e.Close} {
			x.operation(nil, op, source.PlaceOf([]string{"ephemerals", e.Name}))
		}
	}
	x.operation(nil, p.Configure, source.PlaceOf([]string{"configure"}))
}

// expander replaces the local names of one provider.
type expander struct {
	*source.Document
	// done are the nodes that were replaced: several operations may share one.
	done map[*spec.Node]bool
}

// local is a local name.
type local struct {
	name  string
	at    diag.Range
	value *spec.Node
	// uses are the other local names that the value uses.
	uses []*local
	// meant are the local names that other names in the value may mean.
	meant []string
	used  bool
	// broken means that the name or its value has a mistake: what uses it is not checked. refused means that it is a
	// name of the language, or one of its words: then what has the word is not checked, whatever it means by it.
	broken, refused bool
}

// scope is a list of local names; the last one with a name counts.
type scope []*local

func (s scope) named(name string) *local {
	for _, l := range slices.Backward(s) {
		if l.name == name {
			return l
		}
	}
	return nil
}

func (x *expander) resource(r *spec.Resource) {
	place := source.PlaceOf([]string{"resources", r.Name})
	s, unused := x.extend(nil, r.Let, place)
	defer unused()
	r.Let = nil
	for _, n := range []**spec.Node{&r.ID, &r.Import, &r.Return, &r.Consistency} {
		*n = x.replace(s, *n)
	}
	for name, op := range stable.All(map[string]*spec.Operation{"create": r.Create, "read": r.Read, "update": r.Update, "delete": r.Delete, "find": r.Find}) {
		x.operation(s, op, place.Member(name).AddContext(name))
	}
	for _, c := range r.Checks {
		c.Assert, c.Message = x.replace(s, c.Assert), x.replace(s, c.Message)
	}
	if r.Diff != nil {
		for _, rule := range r.Diff.Rules {
			rule.If = x.replace(s, rule.If)
		}
	}
	if li := r.List; li != nil {
		inner, unused := x.extend(s, li.Let, place.Member("list").AddContext("list"))
		li.Let = nil
		x.step(inner, li.Step)
		li.Items, li.ID, li.Name = x.replace(inner, li.Items), x.replace(inner, li.ID), x.replace(inner, li.Name)
		unused()
	}
	for _, f := range r.Methods {
		x.function(s, f, place.Member("methods").Member(f.Name).AddContext(fmt.Sprintf("method %q", f.Name)))
	}
}

func (x *expander) function(s scope, f *spec.Function, p source.Place) {
	s, unused := x.extend(s, f.Let, p)
	defer unused()
	f.Let = nil
	x.operation(s, f.Operation, p)
	f.Return = x.replace(s, f.Return)
}

func (x *expander) operation(s scope, op *spec.Operation, p source.Place) {
	if op == nil {
		return
	}
	s, unused := x.extend(s, op.Let, p)
	defer unused()
	op.Let = nil
	for _, step := range op.Steps {
		x.step(s, step)
	}
	op.Return, op.Retry, op.Lock = x.replace(s, op.Return), x.replace(s, op.Retry), x.replace(s, op.Lock)
}

func (x *expander) step(s scope, step *spec.Step) {
	if step == nil {
		return
	}
	for _, n := range []**spec.Node{
		&step.If, &step.ForEach, &step.Until, &step.Every, &step.Timeout, &step.Retry,
		&step.Fail, &step.Progress, &step.Gone, &step.Lock, &step.Refused,
	} {
		*n = x.replace(s, *n)
	}
	for i := range step.Actions {
		step.Actions[i].Value = x.replace(s, step.Actions[i].Value)
	}
	for _, undo := range step.OnFailure {
		x.step(s, undo)
	}
}

// extend returns a scope with the names of a block `let`, and a function that reports
// those that nothing has used by then.
func (x *expander) extend(outer scope, block *spec.Node, p source.Place) (inner scope, reportUnused func()) {
	if block == nil || block.Kind == 0 {
		return outer, func() {}
	}
	p = p.Member("let").AddContext("let")
	if block.Kind != spec.MapNode {
		x.Report(source.CodeWrongShape, block.Range, p, "let must be a struct, got "+block.Kind.String(), "Write the names and their expressions: let: {hash: \"${sha256(inputs.content)}\"}.")
		return outer, func() {}
	}
	var own []*local
	for _, f := range block.Fields {
		l := &local{name: f.Name, at: f.NameRange, value: f.Value}
		l.broken, l.refused = !x.isLocal(outer, f, p), slices.Contains(reserved, f.Name)
		own = append(own, l)
	}
	inner = append(slices.Clip(outer), own...)
	for _, l := range own {
		l.uses, l.meant = inner.mentionedIn(l.value), inner.appendMeantIn(nil, l.value)
	}
	for _, l := range own {
		if !l.refused && l.isCyclic() {
			x.reportCycle(l, p.Member(l.name))
			l.broken = true
		}
	}
	return inner, func() {
		for _, l := range own {
			if !l.used && !l.isBroken() {
				x.Report(source.CodeUnusedImport, l.at, p.Member(l.name), fmt.Sprintf("nothing uses the local name %s", l.name), "A local name is checked where it is used. Use it, or remove it.")
			}
		}
	}
}

// reportCycle reports a name that uses itself. One that its value calls hides a function.
func (x *expander) reportCycle(l *local, p source.Place) {
	summary, remedy := fmt.Sprintf("%s refers to itself", l.name), "Remove the reference, or give another name to one of the values."
	if slices.Contains(l.uses, l) && regexp.MustCompile(`\b`+regexp.QuoteMeta(l.name)+`\(`).MatchString(l.value.Text) {
		summary, remedy = fmt.Sprintf("the local name %s hides the function %[1]s", l.name), "Give it another name: a local name replaces what has its name in all expressions."
	}
	x.Report(source.CodeBadValue, l.at, p, summary, remedy)
}

// mentionedIn returns the names of the scope to which a value refers.
func (s scope) mentionedIn(v *spec.Node) (found []*local) {
	for _, l := range s {
		if s.named(l.name) == l && mentions(v, l.name) {
			found = append(found, l)
		}
	}
	return found
}

// isLocal reports whether a member of a block `let` is a local name. It reports its mistakes.
func (x *expander) isLocal(outer scope, f spec.Field, p source.Place) bool {
	p = p.Member(f.Name)
	switch {
	case f.Value.Kind == 0:
		return false
	case !block.Identifiers.Pattern.MatchString(f.Name):
		x.Report(names.CodeName, f.NameRange, p, fmt.Sprintf("%q is not a valid local name", f.Name), "Use letters, digits and underscores, such as "+names.Suggest(f.Name, false)+".")
		return false
	case slices.Contains(reserved, f.Name):
		x.Report(names.CodeReserved, f.NameRange, p, fmt.Sprintf("%s is a name of the language", f.Name), "Choose another name.")
		return false
	case outer.named(f.Name) != nil:
		x.Report(source.CodeDuplicateName, f.NameRange, p, fmt.Sprintf("the name %s is already in use", f.Name), "The resource has a local name like this. Choose another name.")
		return false
	case !x.isExpression(f.Value, p):
		return false
	}
	return true
}

// isExpression reports whether a value can be part of an expression: each string in it is
// one expression, or has none. It reports others.
func (x *expander) isExpression(n *spec.Node, p source.Place) bool {
	if n.Kind == spec.StringNode {
		pieces, bad := template.Scan(n.Text)
		if bad != nil {
			x.Report(bad.Code, n.At(bad.From, bad.To), p, bad.Summary, bad.Detail)
			return false
		}
		if len(pieces) > 1 && template.HasTemplate(n) {
			x.reportText(n, pieces, p)
			return false
		}
		if len(pieces) == 1 && pieces[0].Expr {
			if _, bad := parse.Expression(pieces[0].Text); bad != nil {
				d := parse.Unparsed(n, pieces[0], bad)
				x.Report(d.Code, d.Subject, p, d.Summary, cmp.Or(d.Detail, "Correct the expression of the local name.")).Suggest(d.Edits...)
				return false
			}
		}
	}
	ok := n.Kind != 0 && n.Type == nil
	for i, item := range n.Items {
		ok = x.isExpression(item, p.Item(i)) && ok
	}
	for _, f := range n.Fields {
		ok = x.isExpression(f.Value, p.Member(f.Name)) && ok
	}
	return ok
}

// reportText reports a value that is text with expressions in it.
func (x *expander) reportText(n *spec.Node, pieces []template.Piece, p source.Place) {
	joined, ok := join(pieces)
	if !ok {
		joined = "\"${inputs.name + '-x'}\""
	}
	d := x.Report(source.CodeBadValue, n.Range, p, "a local name must be one expression, without text around it", "Join the parts in the expression: "+joined+".")
	if ok {
		d.Suggest(diag.Edit{At: n.Range, Text: joined})
	}
}

// join returns a template of one expression for text with expressions in it. ok is false if the
// text has characters that would have to be escaped.
func join(pieces []template.Piece) (joined string, ok bool) {
	var parts []string
	for _, p := range pieces {
		switch {
		case !p.Expr && strings.ContainsAny(p.Text, "'\"\\\n$"), p.Expr && strings.ContainsAny(p.Text, "\"\\\n"):
			return "", false
		case !p.Expr:
			parts = append(parts, "'"+p.Text+"'")
		case parse.IsPath(p.Text):
			parts = append(parts, p.Text)
		default:
			parts = append(parts, "("+p.Text+")")
		}
	}
	return `"${` + strings.Join(parts, " + ") + `}"`, true
}

// isCyclic reports whether the value of a name uses the name itself.
func (l *local) isCyclic() bool {
	seen := map[*local]bool{}
	var reaches func(from *local) bool
	reaches = func(from *local) bool {
		return slices.ContainsFunc(from.uses, func(next *local) bool {
			if next == l {
				return true
			}
			known := seen[next]
			seen[next] = true
			return !known && reaches(next)
		})
	}
	return reaches(l)
}

// isBroken reports whether the name, or one that its value uses, has a mistake.
func (l *local) isBroken() bool {
	seen := map[*local]bool{}
	var broken func(l *local) bool
	broken = func(l *local) bool {
		known := seen[l]
		seen[l] = true
		return l.broken || !known && slices.ContainsFunc(l.uses, broken)
	}
	return broken(l)
}

// mentions reports whether a tree of templates uses a name.
func mentions(n *spec.Node, name string) bool {
	members, whole := parse.Members(n, name)
	return whole || len(members) > 0
}

// quote returns a string literal of an expression.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // a string is always encoded
	return string(quoted)
}

package let

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec/stable"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/template"
)

// replace returns a tree of templates in which local names are replaced.
func (x *expander) replace(s scope, n *spec.Node) *spec.Node {
	if n == nil || len(s) == 0 || x.done[n] || !template.HasTemplate(n) {
		return n
	}
	switch n.Kind {
	case spec.StringNode:
		return x.replaceText(s, n)
	case spec.ListNode:
		for i, item := range n.Items {
			n.Items[i] = x.replace(s, item)
		}
	case spec.MapNode:
		for i, f := range n.Fields {
			n.Fields[i].Value = x.replace(s, f.Value)
		}
	}
	x.done[n] = true
	return n
}

// replaceText returns a template in which local names are replaced.
func (x *expander) replaceText(s scope, n *spec.Node) *spec.Node {
	pieces, bad := template.Scan(n.Text)
	if bad != nil {
		s.markNamed(n.Text)
		return n // the compiler reports it
	}
	out := &spec.Splice{File: n.Range.File}
	from, changed := 0, false
	for _, p := range pieces {
		if !p.Expr {
			continue
		}
		n.Locals = s.appendMeant(n.Locals, p.Text)
		if len(s) > 0 && !parse.CanParse(p.Text) {
			s.markNamed(p.Text)
		}
		if !s.isUsed(p.Text) {
			continue
		}
		if s.usesBroken(p.Text) {
			return &spec.Node{Range: n.Range} // the mistake is reported at the name
		}
		out.Copy(n, from, p.From)
		s.writeExpression(out, n, p)
		from, changed = p.To, true
	}
	if !changed {
		return n
	}
	out.Copy(n, from, len([]rune(n.Text)))
	replaced := out.Node(n)
	replaced.Locals = n.Locals
	for _, l := range s {
		replaced.Locals = append(replaced.Locals, l.meant...)
	}
	x.done[replaced] = true
	return replaced
}

// markNamed marks the local names that a text contains, and those that their values use: the text cannot be parsed, which the
// compiler reports, and which of them it uses is not known.
func (s scope) markNamed(text string) {
	for _, l := range s {
		if !l.used && regexp.MustCompile(`\b`+regexp.QuoteMeta(l.name)+`\b`).MatchString(text) {
			l.used = true
			for _, other := range l.uses {
				s.markNamed(other.name)
			}
		}
	}
}

// appendMeant appends the local names that other names in an expression may mean.
func (s scope) appendMeant(meant []string, text string) []string {
	var known []string
	for _, l := range s {
		if !l.refused {
			known = append(known, l.name)
		}
	}
	for _, name := range parse.Names(text) {
		if m := diag.DidYouMean(name, known); m != "" && s.named(name) == nil && !slices.Contains(meant, m) {
			meant = append(meant, m)
			s.named(m).used = true // the mistake is reported once
		}
	}
	for _, m := range asMember().FindAllStringSubmatch(text, -1) {
		if l := s.named(m[1]); l != nil && !slices.Contains(meant, l.name) {
			meant = append(meant, l.name)
			l.used = true
		}
	}
	return meant
}

// asMember matches a local name that is written as a member, as it is elsewhere.
var asMember = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w.])(?:locals?|lets?|vars?|variables)\.([A-Za-z_]\w*)`)
})

// appendMeantIn is appendMeant for the expressions of a value.
func (s scope) appendMeantIn(meant []string, n *spec.Node) []string {
	if n.Kind == spec.StringNode {
		pieces, _ := template.Scan(n.Text)
		for _, p := range pieces {
			if p.Expr {
				meant = s.appendMeant(meant, p.Text)
			}
		}
	}
	for _, item := range n.Items {
		meant = s.appendMeantIn(meant, item)
	}
	for _, f := range n.Fields {
		meant = s.appendMeantIn(meant, f.Value)
	}
	return meant
}

// isUsed reports whether an expression uses a local name.
func (s scope) isUsed(text string) bool {
	return slices.ContainsFunc(s, func(l *local) bool { return l.isUsed(text) })
}

// isUsed reports whether an expression uses the name. A name such as a-b, which is not an
// identifier, is used where it is written.
func (l *local) isUsed(text string) bool {
	if l.refused {
		return regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(l.name) + `\b`).MatchString(text)
	}
	return strings.Contains(text, l.name) && (len(parse.Uses(text, l.name)) > 0 || !block.Identifiers.Pattern.MatchString(l.name))
}

// usesBroken reports whether an expression uses a local name with a mistake.
func (s scope) usesBroken(text string) bool {
	for _, l := range s {
		if l.isUsed(text) && l.isBroken() {
			for _, u := range s {
				u.used = u.used || u.isUsed(text)
			}
			return true
		}
	}
	return false
}

// use is a position at which an expression uses a local name.
type use struct {
	at int
	of *local
}

// usesIn returns the uses of local names in an expression, in order.
func (s scope) usesIn(text string) []use {
	var uses []use
	for i, l := range s {
		if slices.ContainsFunc(s[i+1:], func(later *local) bool { return later.name == l.name }) {
			continue
		}
		for _, at := range parse.Uses(text, l.name) {
			uses = append(uses, use{at, l})
		}
	}
	stable.Sort(uses, func(a, b use) int { return a.at - b.at })
	return uses
}

// writeExpression writes an expression in which local names are replaced: those that are
// members of a name, so that what is known of these holds for them, too. For the others,
// it writes variables of the expression, so that they are evaluated once.
func (s scope) writeExpression(out *spec.Splice, n *spec.Node, p template.Piece) {
	uses := s.usesIn(p.Text)
	declared := map[*local]bool{}
	for _, u := range uses {
		s.declare(out, u.of, declared)
	}
	s.writeUses(out, n, p, uses)
}

// declare writes the variables for a local name and for those that its value uses.
func (s scope) declare(out *spec.Splice, l *local, declared map[*local]bool) {
	l.used = true
	if declared[l] {
		return
	}
	declared[l] = true
	for _, other := range l.uses {
		s.declare(out, other, declared)
	}
	if l.path() == "" {
		out.Generate("let "+l.name+" = (", l.at)
		s.writeValue(out, l.value)
		out.Generate("); ", l.at)
	}
}

// path returns the value of a name if it is a member of another name, and otherwise "".
func (l *local) path() string {
	if l.value.Kind != spec.StringNode {
		return ""
	}
	pieces, _ := template.Scan(l.value.Text)
	if len(pieces) != 1 || !pieces[0].Expr || !parse.IsPath(pieces[0].Text) {
		return ""
	}
	return pieces[0].Text
}

// writeUses copies an expression, with the paths of the names in it that are paths.
func (s scope) writeUses(out *spec.Splice, n *spec.Node, p template.Piece, uses []use) {
	from := p.From
	for _, u := range uses {
		if u.of.path() == "" {
			continue
		}
		at := p.From + u.at
		out.Copy(n, from, at)
		s.writeValue(out, u.of.value)
		from = at + len([]rune(u.of.name))
	}
	out.Copy(n, from, p.To)
}

// writeValue writes the value of a local name as an expression.
func (s scope) writeValue(out *spec.Splice, n *spec.Node) {
	switch n.Kind {
	case spec.ListNode:
		out.Generate("[", n.Range)
		for i, item := range n.Items {
			s.separate(out, i, n.Range)
			s.writeValue(out, item)
		}
		out.Generate("]", n.Range)
	case spec.MapNode:
		out.Generate("{", n.Range)
		for i, f := range n.Fields {
			s.separate(out, i, n.Range)
			out.Generate(quote(f.Name)+": ", f.NameRange)
			s.writeValue(out, f.Value)
		}
		out.Generate("}", n.Range)
	case spec.StringNode:
		pieces, _ := template.Scan(n.Text)
		if len(pieces) != 1 || !pieces[0].Expr {
			text := ""
			for _, p := range pieces {
				text += p.Text
			}
			out.Generate(quote(text), n.Range)
			return
		}
		s.writeUses(out, n, pieces[0], s.usesIn(pieces[0].Text))
		if strings.Contains(pieces[0].Text, "//") {
			out.Generate("\n", n.Range)
		}
	default:
		out.Generate(n.Text, n.Range)
	}
}

func (scope) separate(out *spec.Splice, i int, at diag.Range) {
	if i > 0 {
		out.Generate(", ", at)
	}
}

package expr

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// CodeBareReference: a string contains a reference without ${ and } (warning).
const CodeBareReference = "bare-reference"

// compilation is the state of one Compile.
type compilation struct {
	scope     *Scope
	diags     diag.List
	refs      []Ref
	unchecked []diag.Range
	// pieces are the pieces of the tree's root, if it is a string or a scalar.
	pieces []eval.Piece
	// present are the paths that are not null if the tree's root, an expression, is
	// true.
	present [][]string
	// passed are the paths that are not null if it is false or null.
	passed [][]string
	// truths are the paths that are true if it is true.
	truths [][]string
	// keys are the keys that are written in it.
	keys []Key
}

// report adds an error. The result is valid until the next report.
func (c *compilation) report(code string, at diag.Range, detail, format string, args ...any) *diag.Diagnostic {
	detail = cmp.Or(detail, check.RemedyOf(code))
	c.diags = append(c.diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: fmt.Sprintf(format, args...), Detail: detail, Subject: at,
	})
	return &c.diags[len(c.diags)-1]
}

// compileNode compiles one node of the tree.
func (c *compilation) compileNode(n *spec.Node, want *spec.Type, depth int) (eval.Evaluator, *spec.Type) {
	if depth > decode.MaxDepth {
		c.report(parse.CodeTooLarge, n.Range, "", "the value nests deeper than %d levels", decode.MaxDepth)
		return eval.Constant{}, types.Any()
	}
	switch n.Kind {
	case spec.StringNode:
		return c.compileTemplate(n, want, depth)
	case spec.ListNode:
		return c.compileList(n, want, depth)
	case spec.MapNode:
		if text, ok := c.literalText(n, want); ok {
			return c.compileConstant(n, text, want)
		}
		c.warnFieldPath(n)
		return c.compileFields(n, want, depth)
	default:
		return c.compileConstant(n, plainScalar(n), want)
	}
}

// plainScalar returns a scalar, with numbers in the form that they have at run time.
func plainScalar(n *spec.Node) any {
	v := n.Plain()
	if number, ok := v.(json.Number); ok {
		return decode.Number(number)
	}
	return v
}

// compileConstant checks a literal value.
func (c *compilation) compileConstant(n *spec.Node, v any, want *spec.Type) (eval.Evaluator, *spec.Type) {
	if m := types.Fits(v, want, c.scope.Types); m != nil {
		d := c.report(m.Code, n.Range, check.RemedyForValue(m, v, want, c.scope.Types), "%s", m.Error())
		c.suggestConstant(d, n, m, v, want)
	}
	return eval.Constant{Value: v}, types.OfValue(v)
}

// suggestConstant adds the edit that converts a literal to the expected type.
func (c *compilation) suggestConstant(d *diag.Diagnostic, n *spec.Node, m *types.Mismatch, v any, want *spec.Type) {
	if m.Path != "" {
		return
	}
	t := types.Present(types.Resolve(want, c.scope.Types), c.scope.Types)
	text, isText := v.(string)
	own := ""
	switch {
	case isText && m.Code == types.CodeNotAllowed:
		shapes{c}.numberOf(n, text, t).add(d)
		if meant := check.Meant(m, v, want, c.scope.Types); meant != "" {
			d.Detail = ""
			d.Meant(n.Text, []string{meant})
		} else if upper := strings.ToUpper(text); upper != text && types.Fits(upper, want, c.scope.Types) == nil {
			d.Detail = fmt.Sprintf("Write %q.", upper)
			d.Replace(text, upper)
		}
		return
	case isText && !types.IsString(t) && c.isExpression(text):
		d.Detail = fmt.Sprintf("For the value, write \"${%s}\".", text)
		d.Replace(text, "${"+text+"}")
	case t.Kind == spec.Bool && isText:
		own, _ = foreign.Bool(text)
	case t.Kind == spec.List && isText && foreign.IsCommand(text) && types.Fits([]any{text}, want, c.scope.Types) == nil:
		own = foreign.Words(text)
	case types.IsNumeric(t) && isText && types.Fits(json.Number(text), want, c.scope.Types) == nil && isNumber(text):
		own = text
	case types.IsString(t) && (n.Kind == spec.NumberNode || n.Kind == spec.BoolNode):
		if own = (shapes{c}).quoted(n, want); own != strconv.Quote(n.Text) {
			d.Detail = "Write permission bits in quotes: " + own + "."
		}
	case isText && (shapes{c}).variantOf(t, spec.Object) != nil:
		shapes{c}.structOfString(n, text, t).add(d)
	case n.Kind != spec.MapNode && t.Kind == spec.Union && types.Fits([]any{v}, want, c.scope.Types) == nil:
		shapes{c}.listOfOne(n).add(d)
	case isText && t.Kind == spec.Union:
		shapes{c}.numberOf(n, text, t).add(d)
	case t.Kind == spec.List && types.Fits([]any{v}, want, c.scope.Types) == nil && n.Kind != spec.MapNode:
		from, to := n.Range, n.Range
		from.End, to.Start = from.Start, to.End
		d.Suggest(diag.Edit{At: from, Text: "["}, diag.Edit{At: to, Text: "]"})
	}
	if own != "" {
		d.Suggest(diag.Edit{At: n.Range, Text: own})
	}
}

// isExpression reports whether a text is an expression without ${ and }: it can be parsed, and
// begins with a name of the scope.
func (c *compilation) isExpression(text string) bool {
	name := expressionName().FindString(text)
	if _, bad := parse.Expression(text); bad != nil || name == "" {
		return false
	}
	called := strings.HasPrefix(text[len(name):], "(") && language().Functions.Named[name] != nil
	return called || slices.ContainsFunc(c.scope.Names, func(n check.Name) bool { return n.Name == name && n.Absent == "" })
}

// expressionName matches the name at the beginning of an expression.
var expressionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*`) })

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// literalText returns the text of `{literal: "…"}`. ok is false if a string is not
// expected.
func (c *compilation) literalText(n *spec.Node, want *spec.Type) (string, bool) {
	if len(n.Fields) != 1 || n.Fields[0].Name != "literal" || n.Fields[0].Value.Kind != spec.StringNode {
		return "", false
	}
	t := types.Resolve(want, c.scope.Types)
	for _, v := range append([]*spec.Type{t}, t.Variants...) {
		v = types.Resolve(v, c.scope.Types)
		if v.Kind == spec.Map || v.Kind == spec.Object && v.Field("literal") != nil {
			return "", false
		}
	}
	return n.Fields[0].Value.Text, true
}

func (c *compilation) compileList(n *spec.Node, want *spec.Type, depth int) (eval.Evaluator, *spec.Type) {
	t := c.onlyList(types.Present(types.Resolve(want, c.scope.Types), c.scope.Types))
	var itemWant *spec.Type
	switch {
	case types.IsAny(t):
	case t.Kind == spec.List:
		itemWant = t.Elem
		if m := types.CountFits(len(n.Items), "items", t); m != nil {
			c.report(m.Code, n.Range, "", "%s", m.Error())
		}
	case t.Kind != spec.Union || !hasKind(t, spec.List, c.scope.Types):
		shapes{c}.structOfList(n, t).add(c.report(types.CodeTypeMismatch, n.Range, "", "this must be %s, got a list", types.Describe(t)))
		return eval.Constant{}, types.Any()
	}
	out := &eval.Sequence{Parts: make([]eval.Evaluator, len(n.Items))}
	items := make([]*spec.Type, len(n.Items))
	for i, child := range n.Items {
		out.Parts[i], items[i] = c.compileNode(child, itemWant, depth+1)
	}
	typ := types.ListOfItems(items, c.scope.Types)
	if t.Kind == spec.Union {
		c.checkFit(typ, want, n)
	}
	return eval.Fold(out, out.Parts), typ
}

// onlyList returns the variant of a union that a list must have, if there is only one; else t.
func (c *compilation) onlyList(t *spec.Type) *spec.Type {
	if t.Kind != spec.Union || !hasKind(t, spec.List, c.scope.Types) {
		return t
	}
	only := t
	for _, v := range t.Variants {
		switch v = types.Resolve(v, c.scope.Types); {
		case v.Kind == spec.List && only == t:
			only = v
		case v.Kind == spec.List || v.Kind == spec.Any || v.Kind == spec.Union:
			return t
		}
	}
	return only
}

func hasKind(t *spec.Type, kind spec.Kind, named spec.Types) bool {
	return slices.ContainsFunc(t.Variants, func(v *spec.Type) bool {
		k := types.Resolve(v, named).Kind
		return k == kind || k == spec.Any || k == spec.Union
	})
}

// compileFields compiles a literal map or struct.
func (c *compilation) compileFields(n *spec.Node, want *spec.Type, depth int) (eval.Evaluator, *spec.Type) {
	named := c.scope.Types
	t := types.Present(types.Resolve(want, named), named)
	isUnion := t.Kind == spec.Union && (hasKind(t, spec.Object, named) || hasKind(t, spec.Map, named))
	if isUnion {
		if v := types.Narrow(t, types.ShapeOfNode(n), named); v != nil {
			t, isUnion = v, false
		}
	}
	if !types.IsAny(t) && t.Kind != spec.Object && t.Kind != spec.Map && !isUnion {
		shapes{c}.listOfStruct(n, t).add(c.report(types.CodeTypeMismatch, n.Range, "", "this must be %s, got a struct", types.Describe(t)))
		return eval.Constant{}, types.Any()
	}
	out := &eval.Dict{Keys: make([]string, len(n.Fields)), Parts: make([]eval.Evaluator, len(n.Fields))}
	typ := &spec.Type{Kind: spec.Object}
	for i, f := range n.Fields {
		var ft *spec.Type
		out.Keys[i] = f.Name
		if t.Kind != spec.Object {
			c.warnName(n, f)
		}
		before := len(c.refs)
		out.Parts[i], ft = c.compileNode(f.Value, c.fieldWant(f, t), depth+1)
		check.SetField(typ, check.WrittenProperty(f.Name, ft, eval.Hidden(out.Parts[i], c.scope, c.refs[before:])))
	}
	c.reportMissing(n, t)
	if isUnion {
		c.checkFit(typ, want, n)
	}
	return eval.Fold(out, out.Parts), typ
}

// fieldWant returns the expected type of a member, and reports a member that the
// struct does not declare.
func (c *compilation) fieldWant(f spec.Field, t *spec.Type) *spec.Type {
	switch t.Kind {
	case spec.Map:
		if m := types.KeyFits(f.Name, t); m != nil {
			c.report(m.Code, f.NameRange, "", "%q %s", f.Name, m.Reason)
		}
		return t.Elem
	case spec.Object:
		if p := t.Field(f.Name); p != nil {
			if !p.Required {
				return types.Nullable(p.Type)
			}
			return p.Type
		}
		if !t.Open {
			d := c.report(types.CodeUnknownMember, f.NameRange, memberRemedy(f.Name, t, c.scope.Types), "unknown member %q", f.Name)
			if meant := diag.DidYouMean(f.Name, t.FieldNames()); meant != "" {
				d.Replace(f.Name, meant)
			}
		} else if m := types.KeyFits(f.Name, t); m != nil {
			c.report(m.Code, f.NameRange, "", "%q %s", f.Name, m.Reason)
		}
		return t.Elem
	default:
		return nil
	}
}

// memberRemedy says which member of a struct is meant, or which of its structs have one of that name.
func memberRemedy(name string, t *spec.Type, known spec.Types) string {
	remedy := diag.Remedy(name, t.FieldNames())
	var within []string
	for _, p := range t.Fields {
		if inner := types.Resolve(p.Type, known); inner != nil && inner.Kind == spec.Object && inner.Field(name) != nil {
			within = append(within, p.Name)
		}
	}
	if len(within) == 0 || diag.DidYouMean(name, t.FieldNames()) != "" {
		return remedy
	}
	return fmt.Sprintf("It is a member of %s: write `%s: {%s: …}`. %s", diag.Or(within), within[0], name, remedy)
}

func (c *compilation) reportMissing(n *spec.Node, t *spec.Type) {
	if t.Kind != spec.Object {
		return
	}
	for _, p := range t.Fields {
		if p.Required && n.Get(p.Name) == nil {
			c.report(types.CodeMissingMember, n.Range, fmt.Sprintf("Add it: {%s: …}.", p.Name), "member %q is required", p.Name)
		}
	}
}

// checkFit checks a value whose parts could not be checked one by one.
func (c *compilation) checkFit(t, want *spec.Type, n *spec.Node) {
	if m := types.Assignable(t, want, c.scope.Types); m != nil {
		detail := ""
		if m.Path == "" {
			detail = check.RemedyFor(types.Resolve(types.Present(t, c.scope.Types), c.scope.Types), types.Resolve(want, c.scope.Types))
		}
		d := c.report(m.Code, n.Range, detail, "%s", m.Error())
		if t := types.Present(types.Resolve(want, c.scope.Types), c.scope.Types); t.Kind == spec.List && n.Kind == spec.StringNode && foreign.IsCommand(n.Text) {
			d.Detail = "Write each word as an item: " + foreign.Words(n.Text) + "."
			d.Suggest(diag.Edit{At: n.Range, Text: foreign.Words(n.Text)})
		}
	}
}

// compileTemplate compiles a string.
func (c *compilation) compileTemplate(n *spec.Node, want *spec.Type, depth int) (eval.Evaluator, *spec.Type) {
	if len(n.Text) > parse.MaxTemplate {
		c.report(parse.CodeTooLarge, n.Range, "", "a template may have at most %d KiB", parse.MaxTemplate>>10)
		return eval.Constant{}, types.Any()
	}
	raw, bad := template.Scan(n.Text)
	if bad != nil {
		d := c.report(bad.Code, n.At(bad.From, bad.To), bad.Detail, "%s", bad.Summary)
		if open := unclosed().FindStringSubmatch(string([]rune(n.Text)[bad.From:])); bad.Code == template.CodeUnterminated && open != nil {
			runes := []rune(open[1])
			d.Suggest(diag.Edit{At: n.At(bad.From, bad.From+len(runes)), Old: open[1], Text: open[1] + "}"})
		}
		return eval.Constant{}, types.Any()
	}
	if len(raw) == 0 || len(raw) == 1 && !raw[0].Expr {
		var whole string
		if len(raw) == 1 {
			whole = raw[0].Text
		}
		if depth == 0 {
			c.pieces = []eval.Piece{{Literal: whole}}
		}
		known := len(c.diags)
		out, t := c.compileConstant(n, whole, want)
		if len(c.diags) == known {
			c.warnBare(n)
			c.warnPlaceholders(n, whole)
			words{c}.warn(n)
		}
		return out, t
	}
	if len(raw) == 1 && !c.joinsSegments(raw[0], want) {
		p, checked := c.compileExpression(n, raw[0], want, false)
		if depth == 0 {
			c.pieces, c.present, c.passed = []eval.Piece{p}, checked.Present, checked.Passed
			c.truths = checked.True
			c.keys = keysOf(&checked)
		}
		return p.Part, checked.Type
	}
	return c.compileMixed(n, raw, want, depth)
}

// keysOf returns the keys that are written in an expression, with their positions in the document.
func keysOf(checked *check.Result) []Key {
	return lists.Map(checked.Keys, func(k parse.Key) Key { return Key{k.Path, checked.Place.At(k.At)} })
}

// unclosed matches a reference whose closing brace is missing. One that is followed by a bracket or
// an operator is a part of an expression, whose end is not known.
var unclosed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\$\{\s*[A-Za-z_][\w.?]*)(?:$|[^\w.?\s(\[]|\s+(?:$|[\w$]))`)
})

// bareReference matches a text that is a reference without ${ and }.
var bareReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(inputs|config|state|session|steps|result|body|changes|children|each)(?:\.[A-Za-z_]\w*|\[\d+\]|\['[^'\n]*'\]|\["[^"\n]*"\])+$`)
})

// warnBare warns about a text that is a reference without ${ and }.
func (c *compilation) warnBare(n *spec.Node) {
	m := bareReference().FindStringSubmatch(n.Text)
	if m == nil || !slices.ContainsFunc(c.scope.Names, func(name check.Name) bool { return name.Name == m[1] && name.Absent == "" }) {
		return
	}
	d := c.report(CodeBareReference, n.Range, fmt.Sprintf("For the value, write \"${%s}\".", n.Text), "this is the text %q", n.Text)
	d.Severity = diag.Warning
	d.Replace(n.Text, "${"+n.Text+"}")
}

// joinsSegments reports whether an expression is a call of segments(…) and a string
// is expected. The segments are then joined, as they are in text.
func (c *compilation) joinsSegments(raw template.Piece, want *spec.Type) bool {
	if !strings.Contains(raw.Text, "segments(") || !types.IsString(types.Resolve(want, c.scope.Types)) {
		return false
	}
	tree, bad := parse.Expression(raw.Text)
	return bad == nil && parse.IsSegments(tree)
}

// compileMixed compiles text with expressions in it.
func (c *compilation) compileMixed(n *spec.Node, raw []template.Piece, want *spec.Type, depth int) (eval.Evaluator, *spec.Type) {
	words{c}.warn(n)
	out := &eval.Text{Pieces: make([]eval.Piece, len(raw))}
	known := true
	for i, r := range raw {
		if !r.Expr {
			out.Pieces[i] = eval.Piece{Literal: r.Text}
			c.warnPlaceholders(n, r.Text)
			continue
		}
		out.Pieces[i], _ = c.compileExpression(n, r, nil, true)
		_, isFixed := out.Pieces[i].Part.(eval.Constant)
		known = known && isFixed
	}
	if depth == 0 {
		c.pieces = out.Pieces
	}
	if known && !c.diags.HasErrors() {
		if v, err := out.Eval(nil, eval.NewRun(nil, eval.MaxFoldWork)); err == nil {
			return c.compileConstant(n, v, want)
		}
	}
	t, before := types.String(), len(c.diags)
	c.checkFit(t, want, n)
	if len(c.diags) > before {
		shapes{c}.oneExpression(n, raw, want).add(&c.diags[before])
	}
	return out, t
}

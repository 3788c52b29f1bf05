package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// maxAliased is the maximum number of nodes that the aliases of a document expand to.
const maxAliased = 10_000

// yamlReader converts a YAML document to CUE's syntax tree. It replaces CUE's own
// decoder, which does not report columns in lines with non-ASCII letters, duplicate
// keys, or the position of each character of a scalar.
type yamlReader struct {
	doc     *Document
	src     *sourceText
	file    *token.File
	aliases map[*yaml.Node]bool // those being expanded
	aliased int                 // number of nodes that aliases expanded to
	depth   int
}

// readYAML reads a YAML document.
func (r *reader) readYAML(shown string, content []byte) *build.Instance {
	y := &yamlReader{doc: r.Document, src: r.Files.byName[shown], aliases: map[*yaml.Node]bool{}}
	y.file = token.NewFile(shown, -1, len(content)+1)
	y.file.SetLinesForContent(content)
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var doc, next yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			y.reportSyntax(err)
			return nil
		}
		doc = yaml.Node{Kind: yaml.DocumentNode}
	}
	if err := decoder.Decode(&next); err == nil {
		at := y.start(&next)
		if rest := content[y.offset(&next):]; bytes.HasPrefix(rest, []byte("---")) {
			at.End.Column += 2
		}
		r.Report(CodeSyntaxError, at, Place{}, "a spec must be a single YAML document", "Remove the documents after ---.")
	} else if !errors.Is(err, io.EOF) {
		y.reportSyntax(err)
		return nil
	}
	root := &ast.StructLit{}
	if len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		root = y.convertMapping(doc.Content[0], Place{})
	} else if len(doc.Content) == 1 {
		r.Report(CodeWrongShape, y.start(doc.Content[0]), Place{}, "the document must be a struct: name, version, resources, …", "Begin with name: and version:.")
		return nil
	}
	f := &ast.File{Filename: shown}
	if text := topComment(&doc); text != "" {
		ast.AddComment(f, comment(text))
	}
	return r.dataInstance(f, root)
}

// topComment returns the comment at the top of a document, which describes it.
func topComment(doc *yaml.Node) string {
	if text := withoutModelines(doc.HeadComment); text != "" {
		return text
	}
	for _, root := range doc.Content {
		if text := withoutModelines(root.HeadComment); text != "" {
			return text
		}
		if len(root.Content) > 0 {
			text := root.Content[0].HeadComment
			root.Content[0].HeadComment = ""
			return withoutModelines(text)
		}
	}
	return ""
}

// withoutModelines returns a comment without the lines that name a schema for editors.
func withoutModelines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "# yaml-language-server:") }), "")
}

// comment converts the last group of YAML comments to a doc comment of CUE.
func comment(text string) *ast.CommentGroup {
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		text = text[i+2:]
	}
	g := &ast.CommentGroup{Doc: true}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		g.List = append(g.List, &ast.Comment{Text: "//" + strings.TrimPrefix(strings.TrimSpace(line), "#")})
	}
	return g
}

// offset returns the byte offset of a node.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.src.lines) {
		return len(r.src.content)
	}
	at := r.src.lines[n.Line-1]
	rest := string(r.src.content[at:])
	column := 1
	for i := range rest {
		if column >= n.Column {
			return at + i
		}
		column++
	}
	return len(r.src.content)
}

func (r *yamlReader) start(n *yaml.Node) diag.Range {
	at := r.offset(n)
	return r.src.span(at, at+1)
}

func (r *yamlReader) pos(offset int) token.Pos {
	return r.file.Pos(min(offset, len(r.src.content)), token.Newline)
}

// convertNode converts a YAML node to an expression.
func (r *yamlReader) convertNode(n *yaml.Node, p Place) ast.Expr {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > MaxDepth {
		if r.depth == MaxDepth+1 {
			r.doc.Report(CodeTooDeep, r.start(n), p, "the document nests too deeply here", fmt.Sprintf("Blocks may nest %d deep.", MaxDepth))
		}
		return r.holeAt(n)
	}
	if len(r.aliases) > 0 {
		if r.aliased++; r.aliased > maxAliased {
			if r.aliased == maxAliased+1 {
				r.doc.Report(CodeYamlAnchor, r.start(n), p, fmt.Sprintf("the aliases expand to more than %d nodes", maxAliased), "Write the values without aliases, or write the spec in CUE.")
			}
			return r.holeAt(n)
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.convertMapping(n, p)
	case yaml.SequenceNode:
		return r.convertSequence(n, p)
	case yaml.AliasNode:
		return r.convertAlias(n, p)
	default:
		return r.convertScalar(n, p)
	}
}

func (r *yamlReader) convertAlias(n *yaml.Node, p Place) ast.Expr {
	if r.aliases[n.Alias] {
		r.doc.Report(CodeYamlAnchor, r.start(n), p, fmt.Sprintf("the anchor %q contains itself", n.Value), "Write the value without the alias.")
		return r.holeAt(n)
	}
	r.aliases[n.Alias] = true
	defer delete(r.aliases, n.Alias)
	return r.convertNode(n.Alias, p)
}

// holeAt returns a placeholder for a node that was reported.
func (r *yamlReader) holeAt(n *yaml.Node) ast.Expr {
	return r.doc.newHole(r.pos(r.offset(n)))
}

func (r *yamlReader) convertSequence(n *yaml.Node, p Place) ast.Expr {
	list := &ast.ListLit{Lbrack: r.pos(r.offset(n))}
	at := r.start(n)
	for i, c := range n.Content {
		e := r.convertNode(c, p.Item(i))
		list.Elts = append(list.Elts, e)
		at.End = r.doc.Files.RangeOf(e).End
	}
	list.Rbrack = list.Lbrack
	r.doc.Files.exact[list] = r.flowEnd(n, at)
	return list
}

func (r *yamlReader) convertMapping(n *yaml.Node, p Place) *ast.StructLit {
	s := &ast.StructLit{Lbrace: r.pos(r.offset(n))}
	s.Rbrace = s.Lbrace
	at := r.start(n)
	seen, merged := map[string]*ast.Field{}, map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			r.merge(s, seen, merged, value, p)
			continue
		}
		f := r.convertField(key, value, p)
		if f == nil {
			continue
		}
		name, _, _ := ast.LabelName(f.Label)
		if old := seen[name]; old != nil && !merged[name] {
			at := r.doc.Files.RangeOf(f.Label)
			if key.Kind == yaml.AliasNode {
				at = r.start(key)
			}
			r.doc.Report(CodeDuplicateKey, at, p.Member(name), fmt.Sprintf("duplicate key %q", name),
				fmt.Sprintf("The first is at %s. Remove one.", r.doc.Files.RangeOf(old.Label))).Suggest(r.src.removeRepeated(n, i)...)
			continue
		} else if old != nil {
			*old = *f // its place, comment and value
			delete(merged, name)
			continue
		}
		seen[name] = f
		s.Elts = append(s.Elts, f)
		at.End = r.doc.Files.RangeOf(f.Value).End
	}
	r.doc.Files.exact[s] = r.flowEnd(n, at)
	return s
}

// removeRepeated returns the edit that removes the line of a member, if a member above has the
// same key and the same value of one line.
func (s *sourceText) removeRepeated(n *yaml.Node, at int) []diag.Edit {
	key, value := n.Content[at], n.Content[at+1]
	line := key.Line - 1
	if n.Style&yaml.FlowStyle != 0 || value.Kind != yaml.ScalarNode || value.Line != key.Line || line+1 >= len(s.lines) {
		return nil
	}
	for i := 0; i < at; i += 2 {
		if first := n.Content[i+1]; n.Content[i].Value == key.Value && first.Kind == value.Kind && first.ShortTag() == value.ShortTag() && first.Value == value.Value {
			return []diag.Edit{{At: s.exactSpan(s.lines[line], s.lines[line+1])}}
		}
	}
	return nil
}

// merge adds the fields of `<<: *anchor` that the mapping has not defined so far, to merged as well.
func (r *yamlReader) merge(s *ast.StructLit, seen map[string]*ast.Field, merged map[string]bool, value *yaml.Node, p Place) {
	sources := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		sources = value.Content
	}
	for _, src := range sources {
		lit, ok := r.convertNode(src, p).(*ast.StructLit)
		if !ok {
			r.doc.Report(CodeWrongShape, r.start(src), p, "<< requires a struct or a list of structs", "Write a merge key as <<: *anchor.")
			continue
		}
		for _, e := range lit.Elts {
			f, ok := e.(*ast.Field)
			if !ok {
				continue
			}
			name, _, _ := ast.LabelName(f.Label)
			if seen[name] == nil {
				seen[name], merged[name] = f, true
				s.Elts = append(s.Elts, f)
			}
		}
	}
}

// convertField converts one key with its value.
func (r *yamlReader) convertField(key, value *yaml.Node, p Place) *ast.Field {
	if key.Kind == yaml.AliasNode && key.Alias != nil {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		r.reportKey(key, p)
		return nil
	}
	label := &ast.BasicLit{Kind: token.STRING, Value: literal.String.Quote(key.Value), ValuePos: r.pos(r.offset(key))}
	node := r.text(key)
	r.doc.Files.exact[label] = node.Range
	r.reportComment(key, value, p)
	f := &ast.Field{Label: label, Value: r.convertNode(value, p.Member(key.Value))}
	if key.HeadComment != "" {
		ast.AddComment(f, comment(key.HeadComment))
	}
	return f
}

// flowEnd sets the end of the range of a list or struct to the position after the
// closing bracket, if it has one.
func (r *yamlReader) flowEnd(n *yaml.Node, at diag.Range) diag.Range {
	if n.Style&yaml.FlowStyle == 0 {
		return at
	}
	from := r.byteAt(at.End)
	for i := from; i < len(r.src.content); i++ {
		if c := r.src.content[i]; c == '}' || c == ']' {
			return r.src.span(r.offset(n), i+1)
		} else if c == '\n' && i > from+200 {
			break
		}
	}
	return at
}

func (r *yamlReader) byteAt(p diag.Position) int {
	return r.offset(&yaml.Node{Line: p.Line, Column: p.Column})
}

// octal matches a number that YAML reads as octal or as decimal, depending on its
// version.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// convertScalar converts a scalar to a literal.
func (r *yamlReader) convertScalar(n *yaml.Node, p Place) ast.Expr {
	lit := &ast.BasicLit{ValuePos: r.pos(r.offset(n))}
	node := r.text(n)
	r.doc.Files.exact[lit] = node.Range
	tag := n.ShortTag()
	if r.reportCutTemplate(n, p) {
		return r.holeAt(n)
	}
	if n.Style == 0 && octal.MatchString(n.Value) {
		r.doc.Report(CodeOctalNumber, node.Range, p, fmt.Sprintf("%s is a number, which loses its leading zero", n.Value),
			fmt.Sprintf("For a string, quote it: %q. For a number, remove the zero.", n.Value)).
			Suggest(diag.Edit{At: node.Range, Text: fmt.Sprintf("%q", n.Value)})
		return r.holeAt(n)
	}
	switch tag {
	case "!!bool":
		switch {
		case strings.EqualFold(n.Value, "true"):
			lit.Kind, lit.Value = token.TRUE, "true"
		case strings.EqualFold(n.Value, "false"):
			lit.Kind, lit.Value = token.FALSE, "false"
		default: // with the tag !!bool
			r.doc.Report(CodeBadValue, node.Range, p, n.Value+" is not a boolean", "Write true or false.")
			return r.holeAt(n)
		}
		return lit
	case "!!null":
		lit.Kind, lit.Value = token.NULL, "null"
		return lit
	case "!!int", "!!float":
		return r.convertNumber(n, lit, node)
	case "!!binary":
		r.doc.Report(CodeBytesValue, node.Range, p, "a spec cannot contain bytes", "Write base64 in a string, and decode it: ${base64decode(…)}.")
		return r.holeAt(n)
	default:
		lit.Kind, lit.Value = token.STRING, literal.String.Quote(n.Value)
		r.doc.Files.scalars[lit] = node
		return lit
	}
}

// convertNumber returns the literal of a number. A number that CUE has no literal for
// becomes a string.
func (r *yamlReader) convertNumber(n *yaml.Node, lit *ast.BasicLit, node *spec.Node) ast.Expr {
	text := strings.TrimPrefix(n.Value, "+")
	digits, negative := strings.CutPrefix(text, "-")
	var info literal.NumInfo
	if err := literal.ParseNum(digits, &info); err != nil {
		lit.Kind, lit.Value = token.STRING, literal.String.Quote(n.Value)
		r.doc.Files.scalars[lit] = node
		return lit
	}
	lit.Kind, lit.Value = token.FLOAT, digits
	if info.IsInt() {
		lit.Kind = token.INT
	}
	if !negative {
		return lit
	}
	minus := &ast.UnaryExpr{Op: token.SUB, OpPos: lit.ValuePos, X: lit}
	r.doc.Files.exact[minus] = node.Range
	return minus
}

package mistakes

import (
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// part says what a piece of a spec is.
type part string

const (
	aKey       part = "key"
	anAttr     part = "attribute"
	aType      part = "type"       // string, int, bool
	text       part = "text"       // a string, with its quotes if it has any
	scalar     part = "scalar"     // true, 7
	composite  part = "composite"  // a struct or a list, whole
	identifier part = "identifier" // within ${…}
	expression part = "expression" // what stands between ${ and }
	packageKey part = "package"
)

// site is a piece of a spec that can be broken: bytes from From up to To.
type site struct {
	Part     part
	From, To int
	// Path are the keys that lead there, with its own, if it is a key.
	Path []string
	// Unary is the operator before a text or scalar: "*" or "=~", if any.
	Unary string
	// Escaped says that it stands within double quotes.
	Escaped bool
}

// cueSites are those of a CUE document, or of a type that is CUE text: base is
// where the text begins in the whole, path leads there.
func cueSites(src string, base int, path []string) ([]site, error) {
	file, err := parser.ParseFile("spec.cue", src)
	if err != nil {
		return nil, err
	}
	w := &cueWalk{src: src, base: base}
	for _, decl := range file.Decls {
		if p, ok := decl.(*ast.Package); ok {
			w.add(packageKey, p.Name, path, "")
			continue
		}
		w.decl(decl, path)
	}
	return w.sites, nil
}

type cueWalk struct {
	src   string
	base  int
	sites []site
}

func (w *cueWalk) add(p part, n ast.Node, path []string, unary string) {
	from, to := n.Pos().Offset(), n.End().Offset()
	w.sites = append(w.sites, site{Part: p, From: w.base + from, To: w.base + to, Path: path, Unary: unary})
	if p == text {
		w.sites = append(w.sites, templateSites(w.src[from:to], w.base+from, path)...)
	}
}

func (w *cueWalk) decl(decl ast.Decl, path []string) {
	switch d := decl.(type) {
	case *ast.Field:
		name, _, err := ast.LabelName(d.Label)
		if err != nil {
			return
		}
		own := append(path[:len(path):len(path)], name)
		w.add(aKey, d.Label, own, "")
		w.value(d.Value, own, "")
		for _, a := range d.Attrs {
			w.attribute(a, own)
		}
	case *ast.Attribute:
		w.attribute(d, path)
	case *ast.EmbedDecl:
		w.value(d.Expr, path, "")
	}
}

func (w *cueWalk) attribute(a *ast.Attribute, path []string) {
	from := w.base + a.Pos().Offset() + len("@")
	name, _, _ := strings.Cut(a.Text[1:], "(")
	w.sites = append(w.sites, site{Part: anAttr, From: from, To: from + len(name), Path: path})
}

func (w *cueWalk) value(e ast.Expr, path []string, unary string) {
	switch e := e.(type) {
	case *ast.StructLit:
		w.add(composite, e, path, "")
		for _, d := range e.Elts {
			w.decl(d, path)
		}
	case *ast.ListLit:
		w.add(composite, e, path, "")
		for _, item := range e.Elts {
			w.value(item, path, "")
		}
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			w.add(text, e, path, unary)
		} else {
			w.add(scalar, e, path, unary)
		}
	case *ast.Ident:
		w.add(aType, e, path, unary)
	case *ast.UnaryExpr:
		w.value(e.X, path, e.Op.String())
	case *ast.BinaryExpr:
		w.value(e.X, path, "")
		w.value(e.Y, path, "")
	case *ast.ParenExpr:
		w.value(e.X, path, unary)
	}
}

var (
	template = regexp.MustCompile(`\$\{([^}]*)\}`)
	word     = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// templateSites are the expressions in a string, and the names in them.
func templateSites(text string, base int, path []string) []site {
	var list []site
	for _, m := range template.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		list = append(list, site{Part: expression, From: base + from, To: base + to, Path: path})
		for _, name := range word.FindAllStringIndex(text[from:to], -1) {
			list = append(list, site{Part: identifier, From: base + from + name[0], To: base + from + name[1], Path: path})
		}
	}
	return list
}

package source

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/encoding/json"

	"github.com/declprov/declprov/spec/diag"
)

// readJSON reads a JSON document, which is valid CUE syntax.
func (r *reader) readJSON(shown string, content []byte) *build.Instance {
	if at, what := findTooDeep(shown, content); what != "" {
		r.Report(CodeTooDeep, r.Files.Span(at, token.NoPos), Place{}, what, fmt.Sprintf("Blocks may nest %d deep.", MaxDepth))
		return nil
	}
	expr, err := json.Extract(shown, content)
	if err != nil {
		for _, e := range errors.Errors(errors.Promote(err, "")) {
			format, args := e.Msg()
			at := diag.Point(shown, 1, 1)
			for _, pos := range errors.Positions(e) {
				at = r.Files.Span(pos, pos)
				break
			}
			r.Report(CodeSyntaxError, at, Place{}, fmt.Sprintf(format, args...), "JSON has no comments and no trailing commas; keys are quoted.")
		}
		return nil
	}
	root, ok := expr.(*ast.StructLit)
	if !ok {
		r.Report(CodeWrongShape, r.Files.RangeOf(expr), Place{}, "the document must be a struct: name, version, resources, …", `Write {"name": "…", "version": "…", "resources": {…}}.`)
		return nil
	}
	r.reportDuplicates(root, Place{})
	return r.dataInstance(&ast.File{Filename: shown}, root)
}

// reportDuplicates reports duplicate keys of a JSON object, and drops the second.
func (r *reader) reportDuplicates(e ast.Expr, p Place) {
	switch e := e.(type) {
	case *ast.StructLit:
		seen := map[string]*ast.Field{}
		var kept []ast.Decl
		for _, d := range e.Elts {
			f, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			name, _, _ := ast.LabelName(f.Label)
			if old := seen[name]; old != nil {
				r.Report(CodeDuplicateKey, r.Files.RangeOf(f.Label), p.Member(name), fmt.Sprintf("duplicate key %q", name),
					fmt.Sprintf("The first is at %s. Remove one.", r.Files.RangeOf(old.Label)))
				continue
			}
			seen[name] = f
			kept = append(kept, f)
			r.reportDuplicates(f.Value, p.Member(name))
		}
		e.Elts = kept
	case *ast.ListLit:
		for i, x := range e.Elts {
			r.reportDuplicates(x, p.Item(i))
		}
	}
}

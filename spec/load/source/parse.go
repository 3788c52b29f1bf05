package source

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
)

// MaxDepth is the maximum nesting depth of the blocks of a document.
const MaxDepth = 100

// maxOperators is the maximum number of operators in one expression. Parsing and
// compiling recurse over them.
const maxOperators = 5000

func contentOf(src any) ([]byte, error) {
	switch s := src.(type) {
	case []byte:
		return s, nil
	case string:
		return []byte(s), nil
	case io.Reader:
		return io.ReadAll(io.LimitReader(s, MaxFile+1))
	default:
		return nil, fmt.Errorf("a source of type %T", src)
	}
}

// parseCUE parses one CUE file, unless it nests too deeply.
func (r *reader) parseCUE(t *tree, name string, content []byte, cfg parser.Config) (*ast.File, error) {
	shown := t.display(strings.TrimPrefix(name, "/"))
	if r.Files.byName[name] == nil {
		text, ok := r.decodeText(shown, content)
		if !ok {
			return &ast.File{Filename: name}, nil
		}
		content = text
		r.Files.byName[name] = r.Files.byName[shown]
	}
	if at, what := findTooDeep(name, content); what != "" {
		r.Report(CodeTooDeep, r.Files.Span(at, token.NoPos), Place{}, what, fmt.Sprintf("Blocks may nest %d deep.", MaxDepth))
		return &ast.File{Filename: name}, nil
	}
	f, err := parser.ParseFile(name, content, cfg, parser.ParseComments)
	if f != nil {
		t.redirectImports(f)
	}
	return f, err
}

// redirectImports redirects imports of the module declprov.dev/spec to the overlay in the
// spec's own module. The author does not have to declare it as a dependency.
func (t *tree) redirectImports(f *ast.File) {
	for s := range f.ImportSpecs() {
		if path, err := strconv.Unquote(s.Path.Value); err == nil && (path == block.ModulePath || strings.HasPrefix(path, block.ModulePath+"@")) {
			s.Path.Value = strconv.Quote(t.module + "/" + block.ModulePath)
		}
	}
}

// findTooDeep finds nesting that is too deep for a recursive parser. It counts brackets,
// consecutive labels (`a: b: c:`) and consecutive operators.
func findTooDeep(name string, content []byte) (at token.Pos, what string) {
	file := token.NewFile(name, -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, func(token.Pos, string, []any) {}, 0)
	var depth, labels, operators, prefixes int
	for {
		pos, tok, _ := s.Scan()
		operator := false
		switch tok {
		case token.EOF:
			return token.NoPos, ""
		case token.LPAREN, token.LBRACK, token.LBRACE, token.INTERPOLATION:
			depth++
			labels, operators = 0, 0
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
			labels = 0
		case token.COMMA:
			labels, operators = 0, 0
		case token.COLON:
			labels++
		default:
			operator = tok.IsOperator()
		}
		if operator {
			operators++
			prefixes++
		} else if tok != token.COLON {
			prefixes = 0
		}
		switch {
		case depth+labels > MaxDepth || prefixes > MaxDepth:
			return pos, "the document nests too deeply here"
		case operators > maxOperators:
			return pos, "the expression is too long here"
		}
	}
}

// reportInstanceErrors reports the errors of finding and parsing files, and returns whether
// loading cannot continue.
func (r *reader) reportInstanceErrors(inst *build.Instance) (fatal bool) {
	fatal = r.Diags.HasErrors() // a file exceeds the limits
	r.Syntax = NewSyntax(inst.Files)
	errs := append(errors.Errors(inst.Err), errors.Errors(inst.ResolutionErr)...)
	if inst.Err == nil {
		for _, dep := range inst.Dependencies() {
			errs = append(errs, errors.Errors(dep.Err)...)
		}
	}
	unparsed := map[string]bool{}
	for _, e := range errs {
		// After a syntax error, a parser reports further errors that are not real.
		code, _, _ := explain(messageOf(e))
		if code == CodeCueEvaluation && e.Position().IsValid() {
			code = CodeSyntaxError
		}
		if code == CodeSyntaxError {
			if unparsed[e.Position().Filename()] {
				continue
			}
			unparsed[e.Position().Filename()] = true
		}
		if at, ok := r.findUnclosed(e); ok {
			r.Report(CodeSyntaxError, at, Place{}, "this bracket is not closed", "Add the closing bracket.")
			fatal = true
			continue
		}
		if code == CodeUnusedImport && r.Syntax.isShadowedImport(e.Position()) {
			continue
		}
		r.reportCUEErrorAs(e, Place{}, r.Start(), code)
		fatal = fatal || code != CodeUnusedImport
	}
	return fatal
}

// findUnclosed returns the last bracket that is still open at the end of the file, if e
// reports an unexpected end of the file.
func (r *reader) findUnclosed(e errors.Error) (diag.Range, bool) {
	src := r.Files.byName[e.Position().Filename()]
	if src == nil || !strings.Contains(messageOf(e), "found 'EOF'") {
		return diag.Range{}, false
	}
	file := token.NewFile(src.name, -1, len(src.content))
	var s scanner.Scanner
	s.Init(file, src.content, func(token.Pos, string, []any) {}, 0)
	var open []int
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, pos.Offset())
		case token.RPAREN, token.RBRACK, token.RBRACE:
			open = open[:max(0, len(open)-1)]
		case token.EOF:
			if len(open) == 0 {
				return diag.Range{}, false
			}
			last := open[len(open)-1]
			return src.span(last, last+1), true
		}
	}
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// code is a declared code of diagnostics.
type code struct {
	name    string // "unknown-name"
	meaning string // Markdown, one or more sentences
	pkg     string // the folder that reports it
}

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// collect returns the codes that diagnostics can have, in the order of folders and
// positions. A code is any value that is assigned to the Code of a diagnostic, or
// passed as the parameter `code` of a reporting function. Each must be a constant
// whose comment says what it means.
func collect(root string) ([]code, error) {
	s := &sources{root: root, files: token.NewFileSet(), constants: map[string]map[string]*ast.ValueSpec{}, takers: map[string]int{}, exported: map[string]int{}, functions: map[string]*ast.FuncDecl{}, resolving: map[*ast.FuncDecl]bool{}}
	for _, top := range []string{"spec", "actions", "engine", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			return s.parse(path)
		})
		if err != nil {
			return nil, err
		}
	}
	return s.codes()
}

// sources are the files that may report diagnostics.
type sources struct {
	root   string
	files  *token.FileSet
	parsed []source
	// constants are the string constants, by folder and name.
	constants map[string]map[string]*ast.ValueSpec
	// takers are the functions with a parameter `code`, by folder and name. The value
	// is the index of the parameter.
	takers map[string]int
	// exported are the takers that other folders may call, by name.
	exported map[string]int
	// functions are all functions, by folder and name.
	functions map[string]*ast.FuncDecl
	// resolving are the functions whose results are currently being resolved.
	resolving map[*ast.FuncDecl]bool
}

type source struct {
	folder string
	file   *ast.File
}

func (s *sources) parse(path string) error {
	file, err := parser.ParseFile(s.files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(s.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	folder = filepath.ToSlash(folder)
	s.parsed = append(s.parsed, source{folder, file})
	if s.constants[folder] == nil {
		s.constants[folder] = map[string]*ast.ValueSpec{}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.functions[folder+"."+d.Name.Name] = d
			if i := codeParameter(d.Type); i >= 0 {
				s.takers[folder+"."+d.Name.Name] = i
				if d.Name.IsExported() {
					s.exported[d.Name.Name] = i
				}
			}
		case *ast.GenDecl:
			if d.Tok == token.CONST {
				s.addConstants(folder, d)
			}
		}
	}
	return nil
}

// addConstants adds the constants of a declaration that have a value of their own.
func (s *sources) addConstants(folder string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
			continue
		}
		if v.Doc == nil && !d.Lparen.IsValid() {
			v.Doc = d.Doc
		}
		s.constants[folder][v.Names[0].Name] = v
	}
}

// codeParameter returns the index of a function's parameter `code string`, or -1.
func codeParameter(f *ast.FuncType) int {
	i := 0
	for _, field := range f.Params.List {
		kind, _ := field.Type.(*ast.Ident)
		for _, name := range field.Names {
			if name.Name == "code" && kind != nil && kind.Name == "string" {
				return i
			}
			i++
		}
	}
	return -1
}

// codes returns all codes that are used.
func (s *sources) codes() ([]code, error) {
	var all []code
	for _, src := range s.parsed {
		for _, decl := range src.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			found, err := s.codesIn(src.folder, fn)
			if err != nil {
				return nil, err
			}
			for _, c := range found {
				if !slices.Contains(all, c) {
					all = append(all, c)
				}
			}
		}
	}
	return all, nil
}

// codesIn returns the codes that a function uses.
func (s *sources) codesIn(folder string, fn *ast.FuncDecl) ([]code, error) {
	var all []code
	for _, given := range s.codeExpressions(folder, fn) {
		found, err := s.resolve(folder, fn, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.files.Position(given.Pos()), err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// codeExpressions returns the expressions in a function that become a code.
func (s *sources) codeExpressions(folder string, fn *ast.FuncDecl) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if value := codeMember(e); value != nil {
					list = append(list, value)
				}
			}
		case *ast.CallExpr:
			i, ok := s.takers[folder+"."+calledName(n)]
			if !ok {
				i, ok = s.exported[calledName(n)]
			}
			if ok && i < len(n.Args) && s.mayBeCode(n.Args[i]) {
				list = append(list, n.Args[i])
			}
		}
		return true
	})
	return list
}

// codeMember returns the value of a literal's member `Code` or `code`, nil for another member.
func codeMember(e ast.Expr) ast.Expr {
	kv, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return nil
	}
	if key, ok := kv.Key.(*ast.Ident); ok && (key.Name == "Code" || key.Name == "code") {
		return kv.Value
	}
	return nil
}

// mayBeCode excludes arguments in calls of other functions that have the name of a
// taker.
func (s *sources) mayBeCode(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		return true
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return err == nil && kebab.MatchString(text)
	}
	return false
}

// resolve returns the codes that an expression may evaluate to.
func (s *sources) resolve(folder string, fn *ast.FuncDecl, e ast.Expr) ([]code, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return nil, fmt.Errorf("the code %s is a literal: declare a constant, with a comment that says what it means", e.Value)
	case *ast.Ident:
		if v := s.constants[folder][e.Name]; v != nil {
			return s.constantCode(folder, v)
		}
		return s.assignedCodes(folder, fn, e)
	case *ast.CallExpr:
		return s.returnedCodes(folder, e, 0)
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			for other, constants := range s.constants {
				if v := constants[e.Sel.Name]; v != nil && filepath.Base(other) == of.Name {
					return s.constantCode(other, v)
				}
			}
		}
		if strings.EqualFold(e.Sel.Name, "code") {
			return nil, nil // a field, which is set elsewhere
		}
	}
	return nil, nil // not a string: the status of a call, an exit code
}

// assignedCodes returns the codes that are assigned to a variable of a function. It
// returns none for a parameter, because the calls of the function are examined
// separately.
func (s *sources) assignedCodes(folder string, fn *ast.FuncDecl, name *ast.Ident) (all []code, err error) {
	ast.Inspect(fn, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range a.Lhs {
			if to, ok := left.(*ast.Ident); !ok || to.Name != name.Name {
				continue
			}
			var found []code
			var bad error
			switch call, isCall := a.Rhs[0].(*ast.CallExpr); {
			case isCall && len(a.Rhs) == 1:
				found, bad = s.returnedCodes(folder, call, i)
			case len(a.Lhs) == len(a.Rhs) && !sameName(a.Rhs[i], name.Name) && s.mayBeCode(a.Rhs[i]):
				found, bad = s.resolve(folder, fn, a.Rhs[i])
			}
			all = append(all, found...)
			if err == nil {
				err = bad
			}
		}
		return true
	})
	return all, err
}

func sameName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// returnedCodes returns the codes that a function of the folder returns as its result with
// that index.
func (s *sources) returnedCodes(folder string, call *ast.CallExpr, index int) (all []code, err error) {
	fn := s.functions[folder+"."+calledName(call)]
	if fn == nil || s.resolving[fn] {
		return nil, nil // no function of another package returns a code
	}
	s.resolving[fn] = true
	defer delete(s.resolving, fn)
	ast.Inspect(fn, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		if !ok || index >= len(r.Results) || !s.mayBeCode(r.Results[index]) {
			return true
		}
		if inner, ok := r.Results[index].(*ast.CallExpr); ok && calledName(inner) == fn.Name.Name {
			return true
		}
		if text, ok := r.Results[index].(*ast.BasicLit); ok && text.Value == `""` {
			return true
		}
		found, bad := s.resolve(folder, fn, r.Results[index])
		all = append(all, found...)
		if err == nil {
			err = bad
		}
		return true
	})
	return all, err
}

// calledName returns the name of the called function, without its package or receiver.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// constantCode returns the code that a constant declares.
func (s *sources) constantCode(folder string, v *ast.ValueSpec) ([]code, error) {
	literal, ok := v.Values[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return nil, nil
	}
	name, err := strconv.Unquote(literal.Value)
	if err != nil {
		return nil, err
	}
	if !kebab.MatchString(name) {
		return nil, fmt.Errorf("the code %q is not in kebab-case", name)
	}
	doc := v.Doc.Text()
	if doc == "" {
		doc = v.Comment.Text()
	}
	c := code{name: name, meaning: meaningOf(v.Names[0].Name, doc), pkg: folder}
	if c.meaning == "" {
		return nil, fmt.Errorf("the code %q has no comment that says what it means", name)
	}
	return []code{c}, nil
}

// meaningOf returns a constant's comment without the name of the constant: "CodeX: a
// `${` has no `}`." becomes "A `${` has no `}`."
func meaningOf(name, doc string) string {
	text := strings.Join(strings.Fields(doc), " ")
	text = strings.TrimPrefix(text, name)
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), ":"))
	for _, verb := range []string{"is ", "are ", "says that "} {
		text = strings.TrimPrefix(text, verb)
	}
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

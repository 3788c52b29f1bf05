package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/tools"
)

// leastLimit is the least time after which a test may fail because something has not happened. A machine that runs
// several programs on each processor is ten times slower than an idle one, and must not fail tests.
const leastLimit = 30 * time.Second

// TestNoTestFailsOnASlowMachine checks the time limits of tests: the cases of a select statement that wait for a timer and
// fail the test, the conditions that compare what something took, the deadlines of loops, and calls of methods named Ends.
func TestNoTestFailsOnASlowMachine(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	limits := 0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, filepath.Join(root, "tests")):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, l := range limitsOf(file) {
			limits++
			if l.time < leastLimit {
				t.Errorf("%s: a test fails if this takes %s: give a busy machine at least %s", files.Position(l.pos), l.time, leastLimit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if limits < 50 {
		t.Errorf("only %d limits were found", limits)
	}
}

// limit is a time after which a test fails.
type limit struct {
	pos  token.Pos
	time time.Duration
}

// limitsOf returns the limits of a file whose values are written in the file.
func limitsOf(file *ast.File) []limit {
	constants := map[string]ast.Expr{}
	for _, d := range file.Decls {
		if group, ok := d.(*ast.GenDecl); ok && group.Tok == token.CONST {
			for _, s := range group.Specs {
				for i, name := range s.(*ast.ValueSpec).Names {
					if values := s.(*ast.ValueSpec).Values; i < len(values) {
						constants[name.Name] = values[i]
					}
				}
			}
		}
	}
	var out []limit
	add := func(e ast.Expr) {
		if d, ok := duration(e, constants); ok {
			out = append(out, limit{e.Pos(), d})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommClause:
			if receive, ok := n.Comm.(*ast.ExprStmt); ok && fails(n.Body) {
				if of := argument(receive.X, "After"); of != nil {
					add(of)
				}
			}
		case *ast.IfStmt:
			if fails(n.Body.List) {
				for _, of := range compared(n.Cond) {
					add(of)
				}
			}
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && name.Name == "deadline" {
				if of := argument(n.Rhs[0], "Add"); of != nil {
					add(of)
				}
			}
		}
		return true
	})
	return out
}

// fails reports whether statements fail the test.
func fails(body []ast.Stmt) bool {
	found := false
	for _, s := range body {
		ast.Inspect(s, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if method, ok := call.Fun.(*ast.SelectorExpr); ok {
					switch method.Sel.Name {
					case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
						found = true
					}
				}
			}
			return true
		})
	}
	return found
}

// argument returns the argument of the call of a function or method with that name in an expression, or nil.
func argument(in ast.Expr, name string) (of ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == name {
				of = call.Args[0]
			}
		}
		return true
	})
	return of
}

// compared returns what a condition compares the time of something with: `took > of`, `time.Since(began) > of`, and
// `!p.Ends(of)`.
func compared(cond ast.Expr) (of []ast.Expr) {
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			name, _ := n.X.(*ast.Ident)
			if (n.Op == token.GTR || n.Op == token.GEQ) && (name != nil && name.Name == "took" || argument(n.X, "Since") != nil) {
				of = append(of, n.Y)
			}
		case *ast.UnaryExpr:
			if ends := argument(n.X, "Ends"); n.Op == token.NOT && ends != nil {
				of = append(of, ends)
			}
		}
		return true
	})
	return of
}

// duration is the value of a constant expression such as `2 * time.Second`.
func duration(e ast.Expr, constants map[string]ast.Expr) (time.Duration, bool) {
	units := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return duration(e.X, constants)
	case *ast.Ident:
		if value, ok := constants[e.Name]; ok {
			return duration(value, nil)
		}
	case *ast.BasicLit:
		n, err := strconv.ParseInt(e.Value, 10, 64)
		return time.Duration(n), err == nil
	case *ast.SelectorExpr:
		unit, ok := units[e.Sel.Name]
		return unit, ok
	case *ast.BinaryExpr:
		x, known := duration(e.X, constants)
		y, both := duration(e.Y, constants)
		if !known || !both {
			return 0, false
		}
		switch e.Op {
		case token.MUL:
			return x * y, true
		case token.ADD:
			return x + y, true
		}
	}
	return 0, false
}

package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// The sizes that a reader can keep in mind.
const (
	maxFiles   = 25
	maxLines   = 4000
	maxMethods = 25
)

// larger lists what may be larger, with the reason.
func larger() map[string]string {
	return map[string]string{
		"engine/pulumi": "a file for each RPC",
	}
}

// TestPackagesAndTypesAreSmall counts files and lines of packages and methods of types in both
// modules, without _test.go and generated files.
func TestPackagesAndTypesAreSmall(t *testing.T) {
	for _, p := range append(list(t, "./..."), listTests(t)...) {
		dir, files, lines, methods := packageSize(t, p)
		check := func(name, what string, got, most int) {
			if got > most && larger()[name] == "" {
				t.Errorf("%s has %d %s, more than %d: find the second subject in it", name, got, what, most)
			}
		}
		check(dir, "files", files, maxFiles)
		check(dir, "lines", lines, maxLines)
		for typ, n := range methods {
			check(dir+"."+typ, "methods", n, maxMethods)
		}
	}
}

// packageSize returns the folder of a package, the numbers of its files and lines, and the
// number of methods by type.
func packageSize(t *testing.T, p pkg) (dir string, files, lines int, methods map[string]int) {
	t.Helper()
	dir = p.ImportPath[min(len(module), len(p.ImportPath)):]
	methods = map[string]int{}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		files, lines = files+1, lines+bytes.Count(text, []byte("\n"))
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	return dir, files, lines, methods
}

// receiver returns the name of the type of a method's receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	default:
		return ""
	}
}

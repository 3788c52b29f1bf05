package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// hop is a row of the table "The path of a create".
type hop struct{ file, function string }

var hopRow = regexp.MustCompile("(?m)^\\| [0-9]+ \\| `([^`]+)` \\| `([^`]+)` \\|")

// TestHowACreateTravels checks the table in CONTRIBUTING: the files and functions exist, and
// each function is reachable from an earlier one.
func TestHowACreateTravels(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var hops []hop
	for _, m := range hopRow.FindAllStringSubmatch(string(page), -1) {
		hops = append(hops, hop{file: m[1], function: m[2]})
	}
	if len(hops) < 4 {
		t.Fatalf("CONTRIBUTING has %d hops", len(hops))
	}
	led := map[string]bool{method(hops[0].function): true}
	for _, h := range hops {
		name := method(h.function)
		if strings.HasPrefix(h.file, "actions/") {
			// The engine calls an action through the Run of its declaration.
			name = "Run"
			if !declaresRun(t, root, h) {
				t.Errorf("%s: no kind has Run: %s", h.file, h.function)
			}
		}
		if !led[name] {
			t.Errorf("%s, %s is not reachable from an earlier function", h.file, h.function)
		}
		maps.Copy(led, reachable(t, root, h))
	}
}

func method(function string) string { return function[strings.LastIndex(function, ".")+1:] }

// reachable returns the names of the functions that a function calls, directly or through
// functions of its package.
func reachable(t *testing.T, root string, h hop) map[string]bool {
	t.Helper()
	bodies := map[string][]*ast.FuncDecl{}
	var start *ast.FuncDecl
	paths, err := filepath.Glob(filepath.Join(root, filepath.Dir(h.file), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, f := range functions(t, path) {
			bodies[f.Name.Name] = append(bodies[f.Name.Name], f)
			if filepath.Base(path) == filepath.Base(h.file) && qualified(f) == h.function {
				start = f
			}
		}
	}
	if start == nil {
		t.Fatalf("%s has no function %s", h.file, h.function)
	}
	seen := map[string]bool{}
	work := []*ast.FuncDecl{start}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for name := range called(f) {
			if !seen[name] {
				seen[name] = true
				work = append(work, bodies[name]...)
			}
		}
	}
	return seen
}

func functions(t *testing.T, path string) []*ast.FuncDecl {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ast.FuncDecl
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, f)
		}
	}
	return all
}

// qualified returns the name of a function with its receiver: "Server.Create".
func qualified(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if name, ok := kind.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// called returns the names of the functions and methods that a body calls.
func called(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	if f.Body == nil {
		return names
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			names[fun.Name] = true
		case *ast.SelectorExpr:
			names[fun.Sel.Name] = true
		}
		return true
	})
	return names
}

// declaresRun reports whether the file has a kind whose Run is the function.
func declaresRun(t *testing.T, root string, h hop) bool {
	t.Helper()
	found := false
	for _, f := range functions(t, filepath.Join(root, h.file)) {
		ast.Inspect(f, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				key, isKey := kv.Key.(*ast.Ident)
				value, isValue := kv.Value.(*ast.Ident)
				found = found || isKey && isValue && key.Name == "Run" && value.Name == h.function
			}
			return true
		})
	}
	return found
}

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/tools"
)

// surroundings lists the calls that read the environment of a process: variables, temporary
// folders, programs on the PATH, proxies.
func surroundings() []string {
	return []string{
		"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.TempDir", "os.MkdirTemp", "os.CreateTemp", "os.UserHomeDir", "os.UserCacheDir",
		"os.UserConfigDir", "exec.LookPath", "http.ProxyFromEnvironment", "syscall.Getenv", "syscall.Environ", "unix.Getenv", "unix.Environ",
	}
}

// exceptions lists the files that may use these calls, because what they read does not
// depend on the spec.
func exceptions() []string {
	return []string{
		"actions/assets/fetch.go http.ProxyFromEnvironment", // used where Network.CheckProxy finds a grant
		"actions/sys/files/system_temporary.go os.CreateTemp",
		"actions/sys/files/system_temporary.go os.MkdirTemp",
		"actions/sys/process/environment.go os.Environ",
		"actions/sys/process/environment.go os.Getenv",
		"actions/sys/process/pool_unix.go os.Getenv",       // whether this process is the supervisor
		"actions/sys/process/supervisor/main.go os.Getenv", // likewise
		"engine/journal/file.go os.CreateTemp",             // in the folder of the entry that it replaces
		"engine/journal/journal.go os.UserHomeDir",         // where the journal is
		"engine/journal/key.go os.CreateTemp",              // linked to its name when it is complete
		"spec/container/cache.go os.CreateTemp",            // in the folder of the entry that it replaces
		"spec/container/cache.go os.Getenv",                // where the cache is
		"spec/container/cache.go os.UserCacheDir",          // likewise
	}
}

// TestOneReaderOfTheEnvironment checks that no code bypasses the permissions of a spec by
// reading the environment of the process directly.
func TestOneReaderOfTheEnvironment(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, room := range []string{"actions", "engine", "spec"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			for _, call := range readsSurroundings(t, path) {
				found[filepath.ToSlash(name)+" "+call] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for use := range found {
		got = append(got, use)
	}
	slices.Sort(got)
	if diff := cmp.Diff(exceptions(), got); diff != "" {
		t.Errorf("calls that read the environment (-want +got); use actions.Env instead:\n%s", diff)
	}
}

// readsSurroundings returns these calls in a file.
func readsSurroundings(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && slices.Contains(surroundings(), pkg.Name+"."+s.Sel.Name) {
				calls = append(calls, pkg.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return calls
}

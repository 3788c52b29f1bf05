package schema_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"

	"github.com/declprov/declprov/engine/schema/schematest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// write puts generated files into a folder of their own, and says how many have
// the ending.
func write(t *testing.T, files map[string][]byte, ending string) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ending) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("nothing ending in %s was generated", ending)
	}
	return dir, paths
}

// TestGoSDKCompiles is number 18 of the conformance list, for Go: names that
// the generator makes of ours (FileArgs, KindArray) do not meet.
func TestGoSDKCompiles(t *testing.T) {
	files, err := gogen.GeneratePackage("test", bind(t, schematest.Everything()), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := write(t, files, ".go")
	// The versions of this module, so that nothing is downloaded for it.
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	// The generator derives the import path from the spec's repository.
	own := strings.Replace(string(mod), "module github.com/declprov/declprov/tests", "module example.com/repo/sdk/go", 1)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	own = strings.Replace(own, "declprov => ../", "declprov => "+root, 1)
	for name, text := range map[string]string{"go.mod": own, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-mod=mod", "./everything")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the generated SDK does not compile: %v\n%s", err, out)
	}
}

// TestPythonSDKCompiles is the same for Python, as far as compiling goes there.
func TestPythonSDKCompiles(t *testing.T) {
	files, err := python.GeneratePackage("test", bind(t, schematest.Everything()), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, paths := write(t, files, ".py")
	interpreter := filepath.Join(tools.Need(t, tools.PythonProvider), "bin", "python")
	const compile = "import sys\nfor path in sys.argv[1:]: compile(open(path).read(), path, 'exec')"
	if out, err := exec.Command(interpreter, append([]string{"-c", compile}, paths...)...).CombinedOutput(); err != nil {
		t.Errorf("the generated SDK does not compile: %v\n%s", err, out)
	}
}

// TestNodeSDKGenerates shows that the generator finds nothing to refuse.
func TestNodeSDKGenerates(t *testing.T) {
	files, err := nodejs.GeneratePackage("test", bind(t, schematest.Everything()), nil, nil, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, files, ".ts")
}

package sdk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"

	// Generated SDKs import it. With this import, go.mod lists every module that they require;
	// otherwise, the go command would look for one in modules that are not downloaded.
	_ "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

// Go returns the language Go.
func Go() *Language {
	return &Language{
		Name: "Go", Program: "main.go",
		Generate: func(t testing.TB, text []byte, dir string) {
			t.Helper()
			files, err := gogen.GeneratePackage(generator, bind(t, text), nil)
			write(t, dir, files, err)
		},
		Checkers: []Checker{
			{
				Name: "compiler", Builds: true, single: true, message: regexp.MustCompile(`(?m)^([^\s:]+):(\d+):\d+: (unknown field|cannot use|undefined|[^:\n]+ undefined)`),
				command: func(t testing.TB, dir string, files ...string) *exec.Cmd {
					return command(t, dir, append([]string{"go", "build", "-mod=mod", "-gcflags=-e", "-o", os.DevNull}, files...)...)
				},
			},
			{
				Name: "vet", single: true, message: regexp.MustCompile(`(?m)^vet: ([^\s:]+):(\d+):\d+: ()`),
				command: func(t testing.TB, dir string, files ...string) *exec.Cmd {
					return command(t, dir, append([]string{"go", "vet", "-mod=mod"}, files...)...)
				},
			},
		},
		install: installGo,
		build: func(t testing.TB, dir, program string) []string {
			t.Helper()
			at := filepath.Join(dir, "driven")
			// pulumi.Run connects to the engine that the language host names.
			writeFile(t, filepath.Join(at, "main.go"), strings.Replace(program, "pulumi.Run(", "drive(", 1))
			writeFile(t, filepath.Join(at, "driver.go"), Driver(t, "driver.go.txt"))
			run(t, dir, "go", "build", "-mod=mod", "-ldflags=-s -w", "-o", "bin/driver", "./driven")
			return []string{filepath.Join(dir, "bin", "driver")}
		},
	}
}

// installGo makes a module with the versions of this module, so that nothing is downloaded.
func installGo(t testing.TB, schema []byte, dir string) {
	t.Helper()
	generated := filepath.Join(dir, "sdks", "generated")
	Go().Generate(t, schema, generated)
	sdk, err := os.ReadFile(filepath.Join(generated, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(sdk), "\n")
	imported := strings.TrimPrefix(first, "module ")
	mod, err := os.ReadFile(filepath.Join(root(t), "tests", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root(t), "tests", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	own := strings.NewReplacer(
		"module github.com/declprov/declprov/tests", "module program",
		"declprov => ../", "declprov => "+root(t),
	).Replace(string(mod))
	own += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => ./sdks/generated\n", imported, imported)
	writeFile(t, filepath.Join(dir, "go.mod"), own)
	writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
}

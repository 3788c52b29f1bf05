package sdk

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TypeScript returns the language TypeScript, on Node.
func TypeScript() *Language {
	return &Language{
		Name: "TypeScript", Program: "index.ts",
		Generate: func(t testing.TB, text []byte, dir string) {
			t.Helper()
			files, err := nodejs.GeneratePackage(generator, bind(t, text), nil, nil, true, noLoader{})
			write(t, dir, files, err)
		},
		Checkers: []Checker{{
			Name: "tsc", Builds: true, single: true, message: regexp.MustCompile(`(?m)^([^\s(]+)\((\d+),\d+\): error (TS\d+):`),
			command: func(t testing.TB, dir string, files ...string) *exec.Cmd {
				config := files[0] + ".json"
				writeFile(t, config, `{"extends": "./tsconfig.json", "compilerOptions": {"noEmit": true}, "files": ["`+filepath.Base(files[0])+`"]}`)
				return command(t, dir, "node", tsc, "-p", config)
			},
		}},
		install: installTypeScript,
		build: func(t testing.TB, dir, program string) []string {
			t.Helper()
			writeFile(t, filepath.Join(dir, "index.ts"), program)
			writeFile(t, filepath.Join(dir, "driver.ts"), Driver(t, "driver.ts"))
			run(t, dir, "node", tsc, "-p", "tsconfig.json")
			return []string{"node", filepath.Join(dir, "bin", "driver.js")}
		},
	}
}

const tsc = "node_modules/typescript/bin/tsc"

// installTypeScript makes a folder with the packages of the tests, by links, and with the
// SDK, which its postinstall script compiles. There must be one copy of @pulumi/pulumi only.
func installTypeScript(t testing.TB, schema []byte, dir string) {
	t.Helper()
	packages := tools.Need(t, tools.NodePackages)
	modules := filepath.Join(dir, "node_modules")
	for _, name := range []string{"@pulumi/pulumi", "@types/node", "typescript"} {
		link := filepath.Join(modules, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(packages, filepath.FromSlash(name)), link); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "tsconfig.json"), Driver(t, "tsconfig.json"))
	generated := filepath.Join(dir, "sdks", "generated")
	TypeScript().Generate(t, schema, generated)
	text, err := os.ReadFile(filepath.Join(generated, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var described struct{ Name string }
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(modules, filepath.FromSlash(described.Name))
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(generated, installed); err != nil {
		t.Fatal(err)
	}
	postinstall := command(t, installed, "node", "scripts/postinstall.js")
	postinstall.Env = append(os.Environ(), "PATH="+filepath.Join(packages, ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := postinstall.CombinedOutput(); err != nil {
		t.Fatalf("compiling the SDK: %v\n%s", err, out)
	}
}

package sdk

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"

	"github.com/declprov/declprov/tests/internal/tools"
)

// Python returns the language Python.
func Python() *Language {
	return &Language{
		Name: "Python", Program: "__main__.py",
		Generate: func(t testing.TB, text []byte, dir string) {
			t.Helper()
			files, err := python.GeneratePackage(generator, bind(t, text), nil, noLoader{})
			write(t, dir, files, err)
		},
		Checkers: []Checker{
			{
				Name: "mypy", message: regexp.MustCompile(`(?m)^([^\s:]+):(\d+): error: .*\[([a-z-]+)\]$`),
				command: func(t testing.TB, dir string, files ...string) *exec.Cmd {
					return command(t, dir, append([]string{PythonTool(t, "mypy"), "--strict", "--no-error-summary", "--python-executable", Interpreter(dir)}, files...)...)
				},
			},
			{
				Name: "pyright", message: regexp.MustCompile(`(?m)([^\s:]+):(\d+):\d+ - error: [^(]*(?:\([^r][^(]*)*\((report\w+)\)`),
				command: func(t testing.TB, dir string, files ...string) *exec.Cmd {
					packages := tools.Need(t, tools.NodePackages)
					return command(t, dir, append([]string{"node", filepath.Join(packages, "pyright", "index.js"), "--pythonpath", Interpreter(dir)}, files...)...)
				},
			},
		},
		install: func(t testing.TB, schema []byte, dir string) {
			t.Helper()
			env := tools.Need(t, tools.PythonEnvironment)
			generated := filepath.Join(dir, "sdks", "generated")
			Python().Generate(t, schema, generated)
			uv := []string{PythonTool(t, "uv"), "--quiet", "--offline", "--cache-dir", filepath.Join(env, "uv-cache")}
			run(t, dir, append(uv, "venv", "--python", filepath.Join(env, "bin", "python"), "venv")...)
			run(t, dir, append(uv, "pip", "install", "--python", Interpreter(dir), "--no-index", "--find-links", filepath.Join(env, "wheels"), generated, "pytest")...)
		},
		build: func(t testing.TB, dir, program string) []string {
			t.Helper()
			writeFile(t, filepath.Join(dir, "__main__.py"), program)
			writeFile(t, filepath.Join(dir, "driver.py"), Driver(t, "driver.py"))
			return []string{Interpreter(dir), filepath.Join(dir, "driver.py")}
		},
	}
}

// Interpreter returns the interpreter of a workspace.
func Interpreter(dir string) string { return filepath.Join(dir, "venv", "bin", "python") }

// PythonTool returns a program of the tests' Python environment.
func PythonTool(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(tools.Need(t, tools.PythonEnvironment), "bin", name)
}

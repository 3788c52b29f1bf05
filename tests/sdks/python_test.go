package sdks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/sdk"
)

// TestPythonMocks runs tests that a user writes with pytest and unittest, without an engine.
func TestPythonMocks(t *testing.T) {
	t.Parallel()
	l := sdk.Python()
	w := gardenIn(t, l)
	dir := t.TempDir()
	for name, text := range map[string]string{"__main__.py": program(t, l, "garden"), "test_garden.py": program(t, l, "test_garden")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pytest := exec.CommandContext(t.Context(), sdk.Interpreter(w.Dir), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_garden.py")
	pytest.Dir = dir
	if out, err := pytest.CombinedOutput(); err != nil || !strings.Contains(string(out), "7 passed") {
		t.Errorf("pytest: %v\n%s", err, out)
	}
}

// TestPythonPackageManagers installs the SDK as users do, from an empty environment, with
// each package manager that Pulumi supports.
func TestPythonPackageManagers(t *testing.T) {
	t.Parallel()
	index := sdk.PackageIndex(t)
	schema := sdk.Schema(t, "testdata/garden.cue")
	project := func(t *testing.T, files map[string]string) (dir string, run func(argv ...string)) {
		t.Parallel()
		dir = t.TempDir()
		sdk.Python().Generate(t, schema, filepath.Join(dir, "sdks", "garden"))
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir, func(argv ...string) {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
			cmd.Dir = dir
			cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
				return strings.HasPrefix(kv, "PIP_") || strings.HasPrefix(kv, "UV_") || strings.HasPrefix(kv, "POETRY_")
			}), "HOME="+dir, "PIP_INDEX_URL="+index, "PIP_NO_CACHE_DIR=1", "PIP_NO_COMPILE=1", "UV_DEFAULT_INDEX="+index, "UV_CACHE_DIR="+filepath.Join(dir, "cache"),
				"UV_PYTHON_DOWNLOADS=never", "POETRY_VIRTUALENVS_IN_PROJECT=true", "POETRY_CACHE_DIR="+filepath.Join(dir, "cache"), "PIP_DISABLE_PIP_VERSION_CHECK=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
			}
		}
	}
	// The SDK is installed if it can be imported together with its dependencies, and if it
	// says that it has types.
	const uses = "import example_garden, pathlib; assert pathlib.Path(example_garden.__file__).with_name('py.typed').exists()"
	const described = "[project]\nname = \"program\"\nversion = \"0.1.0\"\nrequires-python = \">=3.11\"\ndependencies = []\n"
	t.Run("pip", func(t *testing.T) {
		dir, run := project(t, map[string]string{"requirements.txt": "./sdks/garden\n"})
		run(sdk.PythonTool(t, "python"), "-m", "venv", "--without-pip", "venv")
		run(sdk.PythonTool(t, "python"), "-m", "pip", "--quiet", "--python", "venv/bin/python", "install", "-r", "requirements.txt")
		run(filepath.Join(dir, "venv", "bin", "python"), "-c", uses)
	})
	t.Run("uv", func(t *testing.T) {
		_, run := project(t, map[string]string{"pyproject.toml": described})
		run(sdk.PythonTool(t, "uv"), "--quiet", "add", "./sdks/garden")
		run(sdk.PythonTool(t, "uv"), "--quiet", "run", "--offline", "python", "-c", uses)
	})
	t.Run("poetry", func(t *testing.T) {
		source := "\n[tool.poetry]\npackage-mode = false\n\n[[tool.poetry.source]]\nname = \"loopback\"\nurl = \"" + index + "\"\npriority = \"primary\"\n"
		_, run := project(t, map[string]string{"pyproject.toml": described + source})
		run(sdk.PythonTool(t, "poetry"), "--quiet", "add", "./sdks/garden")
		run(sdk.PythonTool(t, "poetry"), "--quiet", "run", "python", "-c", uses)
	})
}

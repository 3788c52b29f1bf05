package mistakes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

// finding is a diagnostic as `vet --format json` prints it.
type finding struct {
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Detail    string `json:"detail"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Path      string `json:"path"`
	Edits     []edit `json:"edits"`
}

// edit is a suggested edit of a finding.
type edit struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text"`
}

// vet gives the findings in each of the files, which are looked at one by one by a few processes,
// without one for each file (see vetall). TestProcesses compares the two.
func vet(t *testing.T, paths []string, options ...string) map[string][]finding {
	t.Helper()
	binary, err := vetall()
	if err != nil {
		t.Fatal(err)
	}
	return vetBy(t, append([]string{binary}, options...), paths)
}

// vetall builds the program that vets many specs in one process.
var vetall = sync.OnceValues(func() (string, error) {
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "vetall-")
	if err != nil {
		return "", err
	}
	built = dir
	return filepath.Join(dir, "vetall"), release.BuildPackage(context.Background(), root, "./cmd/declprov/internal/evaluate/vetall", filepath.Join(dir, "vetall"))
})

// built is the folder of vetall, "" if no test has built it.
var built string

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// vetBy gives what a command finds in the files. It runs once for each processor.
func vetBy(t *testing.T, command, paths []string) map[string][]finding {
	t.Helper()
	found := map[string][]finding{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for batch := range slices.Chunk(paths, max(1, (len(paths)+runtime.NumCPU()-1)/runtime.NumCPU())) {
		all.Go(func() {
			out, err := run(command[0], slices.Concat(command[1:], batch)...)
			var list []finding
			if err == nil {
				err = json.Unmarshal(out, &list)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("%s of %d files, from %s on: %v\n%s", command[0], len(batch), batch[0], err, out)
			}
			for _, f := range list {
				found[f.File] = append(found[f.File], f)
			}
		})
	}
	all.Wait()
	return found
}

// vetted gives the corpus in a language, and what vet finds in it. Vet evaluates each spec in a process
// of its own, which takes time, so tests share the findings.
func vetted(t *testing.T, lang string) ([]spec, map[string][]finding) {
	t.Helper()
	cases := corpus(t, lang)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.found[lang] == nil {
		shared.found[lang] = vetBy(t, []string{provider.Binary(t), "vet", "--format", "json"}, pathsOf(cases))
	}
	return cases, shared.found[lang]
}

func pathsOf(cases []spec) (paths []string) {
	for _, c := range cases {
		paths = append(paths, c.Path)
	}
	return paths
}

// TestProcesses compares what vet finds with what vetall does, which other tests here run. The edits
// of both result in the same, with the same findings left.
func TestProcesses(t *testing.T) {
	for _, lang := range []string{"cue", "yaml"} {
		cases, want := vetted(t, lang)
		if diff := cmp.Diff(want, vet(t, pathsOf(cases))); diff != "" {
			t.Errorf("(-vet +vetall):\n%s", diff)
		}
	}
	all := changes(t, "author.txt")
	one, other := writeWrong(t, all), writeWrong(t, all)
	left, leftHere := vetBy(t, []string{provider.Binary(t), "vet", "--format", "json", "--fix"}, one), fix(t, other)
	for i := range all {
		same := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".File" }, cmp.Ignore())
		if diff := cmp.Diff(left[one[i]], leftHere[other[i]], same); diff != "" {
			t.Errorf("%s (-vet +vetall):\n%s", all[i].Name, diff)
		}
		if diff := cmp.Diff(contents(t, one)[one[i]], contents(t, other)[other[i]]); diff != "" {
			t.Errorf("%s (-vet +vetall):\n%s", all[i].Name, diff)
		}
	}
}

var shared = struct {
	mu    sync.Mutex
	found map[string]map[string][]finding
}{found: map[string]map[string][]finding{}}

// run runs a command, whose findings are no failure of its own.
func run(binary string, args ...string) ([]byte, error) {
	cmd := exec.Command(binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return append(stdout.Bytes(), stderr.Bytes()...), err
	}
	return stdout.Bytes(), nil
}

// mistake is a finding as far as expectations speak of it.
func (f finding) mistake() expectation {
	e := expectation{Severity: f.Severity, Code: f.Code, Line: f.Line, Column: f.Column, EndColumn: f.EndColumn}
	if f.EndLine != f.Line {
		e.EndColumn = -1 // over several lines, where no expectation is
	}
	return e
}

// of are the findings in a file, however vet calls it.
func of(found map[string][]finding, path string) []finding {
	return append(slices.Clone(found[path]), found["./"+filepath.ToSlash(path)]...)
}

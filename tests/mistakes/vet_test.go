package mistakes

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
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

// vet gives the findings in each of the files, which are looked at one by one
// by a few processes.
func vet(t *testing.T, paths []string, options ...string) map[string][]finding {
	t.Helper()
	binary := provider.Binary(t)
	found := map[string][]finding{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for batch := range slices.Chunk(paths, max(1, (len(paths)+runtime.NumCPU()-1)/runtime.NumCPU())) {
		all.Go(func() {
			out, err := run(binary, slices.Concat([]string{"vet", "--format", "json"}, options, batch)...)
			var list []finding
			if err == nil {
				err = json.Unmarshal(out, &list)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("vet of %d files, from %s on: %v\n%s", len(batch), batch[0], err, out)
			}
			for _, f := range list {
				found[f.File] = append(found[f.File], f)
			}
		})
	}
	all.Wait()
	return found
}

// vetted gives the corpus in a language, and the findings in it. Evaluating a spec takes a process, so
// tests share them.
func vetted(t *testing.T, lang string) ([]spec, map[string][]finding) {
	t.Helper()
	cases := corpus(t, lang)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.found[lang] == nil {
		var paths []string
		for _, c := range cases {
			paths = append(paths, c.Path)
		}
		shared.found[lang] = vet(t, paths)
	}
	return cases, shared.found[lang]
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

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePageIsFresh(t *testing.T) {
	root := filepath.Join("..", "..")
	codes, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := findExamples(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(renderPage(codes, shown), string(got)); diff != "" {
		t.Errorf("docs/errors.md is stale, run `make generate` (-want +got):\n%s", diff)
	}
}

// The collected codes are compared with the files in which packages declare them, and
// with the diagnostics that vet is known to report. Neither depends on how codes are
// collected.
func TestThePageHasEveryCode(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{}
	for pattern, re := range map[string]*regexp.Regexp{
		"*/*/*/codes.go":              regexp.MustCompile(`(?m)^\t\w+ *= "([a-z-]+)"`),
		"tests/mistakes/testdata/*/*": regexp.MustCompile("(?:mistake|warning): ([a-z-]+) `"),
	} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range re.FindAllStringSubmatch(string(source), -1) {
				wanted[m[1]] = path
			}
		}
	}
	if len(wanted) < 100 {
		t.Errorf("only %d codes are known", len(wanted))
	}
	for name, path := range wanted {
		if !strings.Contains(string(text), "\n| `"+name+"` |") {
			t.Errorf("%s, of %s, is not on the page", name, path)
		}
	}
}

// Codes without an example: no short spec can cause them.
func TestEveryCodeHasAnExample(t *testing.T) {
	root := filepath.Join("..", "..")
	codes, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := findExamples(root)
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]string{
		"internal": "a fault of declprov", "stopped": "the caller gives up", "spec-too-costly": "needs minutes", "schema": "what vet passes has a schema",
		"file-too-large": "needs megabytes", "too-deep": "needs thousands of levels", "template-too-large": "needs thousands of bytes",
		"not-text": "no editor writes it", "unreadable-file": "there is no file", "unknown-format": "a file of another kind", "endless-type": "the loader says recursive-type before",
		"unchecked-access": "a note, which vet shows when it is asked to",
	}
	for _, c := range codes {
		if c.pkg == "cmd/declprov/internal/try" {
			continue // no spec alone causes a finding of try, only a server
		}
		if _, ok := shown[c.name]; !ok && without[c.name] == "" {
			t.Errorf("%s has no example: write one in tests/mistakes/testdata", c.name)
		}
	}
}

func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"CodeX", "CodeX: a thing\nis wrong.", "A thing is wrong."},
		{"CodeX", "CodeX is a thing that is wrong.", "A thing that is wrong."},
		{"CodeX", "a thing is wrong", "A thing is wrong"},
		{"CodeX", "CodeX", ""},
		{"CodeX", "", ""},
	} {
		if got := meaningOf(c.name, c.doc); got != c.want {
			t.Errorf("meaning(%q, %q) = %q, want %q", c.name, c.doc, got, c.want)
		}
	}
}

func TestOneCodeOfTwoPackagesIsOneRow(t *testing.T) {
	got := renderPage([]code{{name: "b", meaning: "B."}, {name: "a", meaning: "One."}, {name: "a", meaning: "Two | three."}, {name: "a", meaning: "One."}}, map[string]example{"b": {"x/b.cue", "a: `b`|c"}})
	want := head + "| `a` | One. Or: Two \\| three. |  |\n| `b` | B. | [`` a: `b`\\|c ``](../x/b.cue) |\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

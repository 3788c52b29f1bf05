// Package structure breaks the structure of specs: any key dropped, emptied,
// retyped, duplicated or moved. Whatever comes of it, vet neither panics nor
// hangs, and what it passes compiles, serves and answers GetSchema.
package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// original is a spec that is broken here, by its path in the repository.
type original struct {
	Path   string
	Format string
	Text   []byte
}

// originals are the specs of the repository: examples, those of other tests, and
// whole, which has every key there is.
func originals(t *testing.T) []original {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	var list []original
	for _, dir := range []string{"examples", "spec", "tests"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			switch format := strings.TrimPrefix(filepath.Ext(path), "."); {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "mistakes"):
				return filepath.SkipDir // mistakes has one spec, broken in a hundred ways already
			case d.IsDir() || format != "cue" && format != "yaml":
				return nil
			default:
				text, err := os.ReadFile(path)
				if err == nil && isSpec(string(text)) {
					list = append(list, original{Path: filepath.ToSlash(name), Format: format, Text: text})
				}
				return err
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d specs found in %s", len(list), root)
	}
	slices.SortFunc(list, func(a, b original) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// isSpec tells specs from other documents of their formats.
func isSpec(text string) bool {
	lines := "\n" + text
	return strings.Contains(lines, "\nname:") && strings.Contains(lines, "\nversion:")
}

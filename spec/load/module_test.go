package load_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// TestModuleChangesNothing loads specs as files that use no module, and the same with a comment for which a module is
// set up, whole and with a part cut out: the provider is the same, and so are the mistakes.
func TestModuleChangesNothing(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.cue")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d specs, %v", len(paths), err)
	}
	broken := 0
	for _, path := range append(paths, "testdata/whole.cue") {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		if strings.Contains(text, "import") {
			text = strings.ReplaceAll(text, "import", "imp0rt")
		}
		lines := strings.Split(text, "\n")
		for cut := -1; cut < len(lines); cut += 7 {
			text := text
			if cut >= 0 {
				text = strings.Join(lines[:cut], "\n") + "\n" + strings.Join(lines[cut+1:], "\n")
			}
			read := func(text string) (*spec.Provider, diag.List) {
				doc, diags := load.Load(context.Background(), load.Source{Path: "-", Format: "cue", Stdin: []byte(text)})
				return doc.Provider, diags
			}
			bare, without := read(text)
			whole, with := read(text + "\n// import")
			if without.HasErrors() {
				broken++
			}
			if !reflect.DeepEqual(without, with) {
				t.Errorf("%s without line %d: %+v\nwith a module: %+v", path, cut+1, without, with)
			} else if !reflect.DeepEqual(bare, whole) {
				t.Errorf("%s without line %d: the provider is another one", path, cut+1)
			}
		}
	}
	if broken < 20 {
		t.Errorf("only %d specs have mistakes", broken)
	}
}

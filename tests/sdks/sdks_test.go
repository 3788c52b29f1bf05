// Package sdks generates the SDKs of a provider, and checks programs that use them: with the
// type checkers of their language, and with the real engine.
//
// Pulumi's language hosts are in no registry that the tests may use. So the programs run
// inline, through the Automation API.
package sdks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/sdk"
)

// garden is the workspace of a language with the SDK of garden.cue. The tests of this package
// share it; each writes other files.
type garden struct {
	mu        sync.Mutex
	workspace *sdk.Workspace
}

// gardens are the workspaces, by language.
var gardens sync.Map

// gardenIn returns the workspace of a language, which the first test makes. A test that lacks a
// tool is skipped, and the next one tries again.
func gardenIn(t *testing.T, l *sdk.Language) *sdk.Workspace {
	t.Helper()
	shared, _ := gardens.LoadOrStore(l.Name, &garden{})
	g := shared.(*garden)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace == nil {
		g.workspace = l.Open(t, sdk.Schema(t, "testdata/garden.cue"), filepath.Join(scratch, l.Name))
	}
	return g.workspace
}

// scratch is the folder of the shared workspaces.
var scratch string

func TestMain(m *testing.M) { os.Exit(runIn(m)) }

func runIn(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "declprov-sdks-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	return m.Run()
}

// program returns the program in testdata of a language.
func program(t *testing.T, l *sdk.Language, name string) string {
	t.Helper()
	ending := filepath.Ext(l.Program)
	if ending == ".go" {
		ending = ".go.txt" // it is not of this module
	}
	text, err := os.ReadFile(filepath.Join("testdata", name+ending))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLife runs the same program in each language: preview, up, an empty second up, a change,
// destroy.
func TestLife(t *testing.T) {
	t.Parallel()
	for _, l := range sdk.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			p := gardenIn(t, l).Start(t, "testdata/garden.cue", program(t, l, "garden"), "GARDEN_ROOT="+root)
			holds := func(want map[string]string) {
				t.Helper()
				got, err := pulumitest.ReadTree(root)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			}
			p.Do("preview", "create=6")
			holds(map[string]string{})
			outputs := p.Do("up", "create=6")
			bed, ok := outputs["bedName"].Value.(string)
			if !ok || !strings.HasPrefix(bed, "roses-") {
				t.Fatalf("the generated name is %v", outputs["bedName"].Value)
			}
			want := map[string]string{
				"beds/" + bed: "peat", "my-rose.txt": "beds/" + bed + ": 1.5 l, shade",
				"beds/mint": "loam", "mint.txt": "beds/mint: 1 l, sun",
			}
			holds(want)
			hash, _ := outputs["sha256"].Value.(string)
			if len(hash) != 64 {
				t.Errorf("the output of the component is %q", hash)
			}
			if diff := cmp.Diff(map[string]sdk.Output{
				"bedId": {Value: "beds/" + bed}, "bedUrn": {Value: "urn:pulumi:dev::test::garden:index:Bed::roses"}, "bedName": {Value: bed},
				"buried": {Value: "under the rose", Secret: true}, "water": {Value: 3.0}, "thirst": {Value: 6.0}, "sha256": {Value: hash},
			}, outputs); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			p.Do("up", "same=6")
			p.Do("set soil sand", "")
			p.Do("up", "same=5 update=1")
			want["beds/"+bed] = "sand"
			holds(want)
			p.Do("destroy", "delete=6")
			holds(map[string]string{})
		})
	}
}

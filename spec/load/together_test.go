package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
)

// TestMistakesTogether loads a spec with many marked mistakes. The comment of each
// line has the code. All must be found in one run, each once.
func TestMistakesTogether(t *testing.T) {
	for _, c := range []struct{ format, src string }{{"cue", togetherCUE}, {"yaml", togetherYAML}} {
		t.Run(c.format, func(t *testing.T) {
			clean, places := loadtest.Marked(c.src)
			var want []loadtest.Finding
			for i, line := range strings.Split(c.src, "\n") {
				_, comment, ok := strings.Cut(line, "want ")
				if !ok {
					continue
				}
				prefix := fmt.Sprintf("%d:", i+1)
				codes := strings.Fields(comment)
				for _, at := range places {
					if strings.HasPrefix(at, prefix) {
						want = append(want, loadtest.Finding{Code: codes[0], At: at})
						codes = codes[1:]
					}
				}
			}
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(clean), Format: c.format})
			if diff := cmp.Diff(want, loadtest.Findings(diags)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
				for _, d := range diags {
					t.Logf("%s %s: %s (%s)", d.Subject, d.Code, d.Summary, d.Path)
				}
			}
			if len(doc.Provider.Resources) != 3 {
				t.Errorf("%d resources were understood", len(doc.Provider.Resources))
			}
		})
	}
}

const togetherCUE = `name: «"Bad"» // want bad-name
version: «"1"» // want bad-version
«resorces»: {} // want unknown-key
config: {
	region: *"eu" | string «@envv(X)» // want unknown-attribute
	zone: «bytes» // want bytes-type
	port: «nowhere» // want unknown-reference
}
permissions: {«wirte»: [], read: «"x"»} // want unknown-key wrong-shape
file: root: «config.region» // want frozen-reference
resources: {
	Good: {inputs: path: string, id: "${inputs.path}", create: file: write: path: "${inputs.path}"}
	«bad»: { // want bad-name
		inputs: {
			a: *«"x"» | =~"^a" // want default-violates
			b: «int» & "x" // want conflict
			c: string «@stable()» // want misplaced-attribute
			if «c» == "x" {d: int} // want conditional-type
			e: «[int, int]» // want tuple-type
		}
		id: "x"
		create: {retry: «3», file: write: path: «string»} // want wrong-shape type-as-value
		«creat»: {} // want unknown-key
		update: steps: «[]» // want empty-steps
		delete: {steps: [{as: "a", file: {}}, {as: «"a"», file: {}}], «if»: true} // want duplicate-name step-beside-steps
		schemaVersion: «2» // want upgrade-gap
	}
	«Worse»: {id: "x", outputs: {x: string «@replace()», «urn»: string}} // want missing-key misplaced-attribute reserved-name
}
_hidden: «1» & 2 // want conflict
#Def: x: «"a"» & "b" // want conflict
`

const togetherYAML = `name: «Bad» # want bad-name
version: «1.0» # want bad-version
«resorces»: {} # want unknown-key
config:
  region: '*"eu" | string «@envv(X)»' # want unknown-attribute
  zone: «bytes» # want bytes-type
  port: «nowhere» # want unknown-reference
permissions: { «wirte»: [], read: «x» } # want unknown-key wrong-shape
resources:
  Good: { inputs: { path: string }, id: "${inputs.path}", create: { file: { write: { path: "${inputs.path}" } } } }
  «bad»: # want bad-name
    inputs:
      a: '*«"x"» | =~"^a"' # want default-violates
      b: '«int» & "x"' # want conflict
      c: string «@stable()» # want misplaced-attribute
      e: «[int, int]» # want tuple-type
      f: 'int &«)»' # want bad-type
      g: «0755» # want octal-number
    id: x
    create: { retry: «3», file: { write: { mode: «0644» } } } # want wrong-shape octal-number
    «creat»: {} # want unknown-key
    update: { steps: «[]» } # want empty-steps
    schemaVersion: «2» # want upgrade-gap
  «Worse»: { id: x, outputs: { x: string «@replace()», «urn»: string } } # want missing-key misplaced-attribute reserved-name
`

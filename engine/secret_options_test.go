package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine/run/scope"
)

// TestSecretsInOptions: states show the options of a child. No option takes a secret that the
// program has marked, that another child has marked, or that another child has returned as plain text.
func TestSecretsInOptions(t *testing.T) {
	t.Parallel()
	const word = "hunter22hunter22"
	sources := map[string]string{
		"marked by the program": "inputs.pin",
		"marked by a child":     "children.first.marked",
		"returned by a child":   "children.first.echo",
	}
	options := map[string]string{
		"version": `version: "${X}"`, "download": `pluginDownloadURL: "https://plugins.example.com/${X}"`, "import": `import: "a-${X}"`,
		"ignored": `ignoreChanges: ["a", "${X}"]`, "replaced": `replaceOnChanges: ["a[\"${X}\"]"]`, "outputs": `additionalSecretOutputs: ["${X}"]`,
		"alias": `aliases: ["${X}"]`, "alias name": `aliases: [{name: "${X}"}]`, "alias type": `aliases: [{type: "other:index:${X}"}]`,
		"alias parent": `aliases: [{parent: "${X}"}]`, "alias stack": `aliases: [{stack: "${X}"}]`, "alias project": `aliases: [{project: "${X}"}]`,
		"create": `customTimeouts: create: "${X}"`, "update": `customTimeouts: update: "${X}"`, "delete": `customTimeouts: delete: "${X}"`,
	}
	for name, option := range options {
		for source, ref := range sources {
			t.Run(name+", "+source, func(t *testing.T) {
				t.Parallel()
				m := newFakeMonitor()
				m.adds["web-first"] = object("marked", secret(word+"m"), "echo", "it is "+word)
				e, _ := newWorld().engine(t, `components: Site: {
					inputs: pin: string
					children: {
						first: {type: "other:Pet", inputs: pin: "${inputs.pin}"}
						second: {type: "other:Pet", inputs: {}, options: {`+strings.ReplaceAll(option, "X", ref)+`}}
					}
				}`)
				_, err := e.Construct(t.Context(), constructing("Site", m, "pin", secret(word)))
				if !errors.Is(err, scope.ErrExposed) {
					t.Errorf("got %v, want %v", err, scope.ErrExposed)
				}
				if text := fmt.Sprint(err); strings.Contains(text, word) {
					t.Errorf("the error shows it: %s", text)
				}
				if second := m.all["web-second"]; second.Name != "" {
					t.Errorf("it was registered: %+v", second.Options)
				}
			})
		}
	}
}

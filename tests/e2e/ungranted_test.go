package e2e

import (
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

const asking = `package asking
name: "asking", version: "0.1.0"
permissions: {write: ["mine/**"], hosts: ["https://api.test"], run: ["tool"]}
resources: {
	Note: {
		inputs: {path: string @replace(), copy?: string}
		id: "${inputs.path}"
		create: file: write: {path: "${inputs.path}", content: "x"}
		update: {if: "${inputs.copy != null}", file: write: {path: "${inputs.copy}", content: "x"}}
		delete: file: delete: path: "${id}"
	}
	Order: {
		inputs: at: {url: string}
		id: "it"
		create: http: {url: "${inputs.at.url}/orders", effect: "write"}
		delete: http: {url: "${inputs.at.url}/orders", method: "DELETE"}
	}
	Job: {
		inputs: programs: [...string]
		id: "it"
		create: {forEach: "${inputs.programs}", exec: command: ["${each.value}"]}
		delete: exec: command: ["tool"]
	}
}`

// TestUngranted: what a program asks for and its provider is not granted fails in the
// preview, at the property that asks for it.
func TestUngranted(t *testing.T) {
	t.Parallel()
	s := pulumitest.New(t, pulumitest.Providers{"asking": provider.FolderWith(t, "asking", ".cue", asking)})
	note := func(lines ...string) { s.Program(resources(resource("note", "asking:Note", lines...))) }
	refused := func(property, grant string) {
		t.Helper()
		says(t, s.Fails(s.Project.Preview(t.Context())), property, "`permissions: "+grant+"`", "not permitted")
	}
	s.Program(resources(resource("order", "asking:Order", "at: {url: 'https://elsewhere.test'}")))
	refused("at.url", "hosts")
	s.Program(resources(resource("job", "asking:Job", "programs: [tool, sh]")))
	refused("programs[1]", "run")
	note("path: theirs/a")
	refused("path", "write")
	note("path: mine/a")
	s.Preview("create=1")
	s.Up("create=1")
	note("path: theirs/a") // which replaces it
	refused("path", "write")
	note("path: mine/a", "copy: theirs/a")
	refused("copy", "write")
	holds(t, s, map[string]string{"mine/a": "x"})
}

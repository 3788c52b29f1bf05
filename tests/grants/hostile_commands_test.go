package grants

import (
	"os"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// commands are the attacks by what a command does, and by what a server says: the spec
// itself asks for nothing that it is not granted.
func commands() map[string]attack {
	const shell = `run: ["/bin/bash"], write: ["allowed/**"]`
	script := func(text string) string {
		return thing(`p: *"x" | string`, `exec: {shell: "`+text+`", interpreter: ["/bin/bash", "-c"], env: {P: "${inputs.p}"}, exitCodes: ok: [0, 1, 2, 126, 127]}`)
	}
	return map[string]attack{
		"a secret by a command": {
			shell, shell + `, read: ["OUT/**"]`, script(`cat OUT/secret >allowed/found`), "", "nothing",
		},
		"a file by a command": {
			shell, shell + `, write: ["OUT/**"]`, script(`touch OUT/made`), "", "nothing",
		},
		"a file by a command that starts there": {
			shell, shell + `, write: ["OUT/**"]`, thing(`p: *"OUT" | string`, `exec: {command: ["/bin/bash", "-c", "touch made"], dir: "${inputs.p}", exitCodes: ok: [0, 1]}`), "", "nothing",
		},
		"a file by what a command leaves behind": {
			shell, shell + `, write: ["OUT/**"]`, script(`(setsid bash -c 'sleep 0.2; touch OUT/made; echo done >allowed/after' >/dev/null 2>&1 &) ; while ! test -e allowed/after; do sleep 0.05; done`), "", "nothing",
		},
		"a file by a program that a command makes": {
			shell, shell + `, write: ["OUT/**"]`, script(`cp /usr/bin/touch allowed/mine; allowed/mine OUT/made; /lib64/ld-linux-x86-64.so.2 allowed/mine OUT/made; touch OUT/made`), "", "nothing",
		},
		"another server by a command": {
			shell + `, hosts: ["HOME"]`, shell + `, hosts: ["HOME", "EVIL"]`, script(`exec 3<>/dev/tcp/127.0.0.1/PORT && printf 'GET /x HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`), "", "",
		},
		"a server by a command that is granted none": {
			shell, shell + `, hosts: ["EVIL"]`, script(`exec 3<>/dev/tcp/127.0.0.1/PORT && printf 'GET /x HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`), "", "",
		},
		"a variable of the provider by a command": {
			shell, shell + `, env: ["CANARY"]`, script(`echo $CANARY >allowed/found; tr '\\0' '\\n' </proc/$PPID/environ >>allowed/found`), "", "nothing",
		},
		"the next page elsewhere": {
			`hosts: ["HOME"]`, `hosts: ["HOME", "EVIL"]`,
			thing(`p: *"x" | string`, `steps: [{as: "page", http: {url: "HOME/list", effect: "none"}}, {http: {url: "${steps.page.body.url}", effect: "write"}}]`), "", "",
		},
	}
}

// TestHostileCommands is TestHostileSpecs for what commands do, and servers say.
func TestHostileCommands(t *testing.T) {
	t.Parallel()
	tools.Need(t, tools.Landlock)
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Fatal(err)
	}
	playAll(t, commands())
}

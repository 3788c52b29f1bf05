package roads

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// sleeper is a provider whose create lasts until it is killed.
const sleeper = `
name:    "sleeper"
version: "0.1.0"
permissions: run: ["sleep"]
resources: Nap: {
	inputs: seconds: string @replace()
	id: "${inputs.seconds}"
	create: exec: {command: ["sleep", "${inputs.seconds}"], sandbox: "off"}
	delete: exec: {command: ["sleep", "0"], sandbox: "off"}
}
`

// TestKilledFolder kills processes of a checked-out project during a create. Nothing may be
// left: not the language host, not the provider, not its command.
func TestKilledFolder(t *testing.T) {
	t.Parallel()
	const cli, host, plugin = "pulumi up", "pulumi-language-declprov", "__serve"
	for i, killed := range [][]string{{cli}, {host}, {plugin}, {host, plugin}, {cli, host, plugin}} {
		t.Run(strings.Join(killed, ", "), func(t *testing.T) {
			t.Parallel()
			s := pulumitest.New(t, nil)
			s.Write("sleeper/PulumiPlugin.yaml", "runtime: declprov\n")
			s.Write("sleeper/sleeper.cue", sleeper)
			install := exec.CommandContext(t.Context(), provider.Binary(t), "install", "--runtime")
			install.Env = s.Environment()
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			nap := fmt.Sprintf("%d.%d", 1000+i, os.Getpid()) // no other process has it
			s.Program("packages:\n  sleeper: ./sleeper\nresources:\n  a:\n    type: sleeper:Nap\n    properties: {seconds: '" + nap + "'}\n")
			road := marks{s.Home(), nap}
			up := exec.CommandContext(t.Context(), tools.Need(t, tools.Pulumi), "up", "--yes", "--skip-preview")
			up.Args[0] = "pulumi"
			up.Dir, up.Env = s.Dir, s.Environment()
			var out strings.Builder
			up.Stdout, up.Stderr = &out, &out
			if err := up.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(out.String())
				}
			})
			ended := make(chan struct{})
			go func() {
				_ = up.Wait() // it was killed or interrupted, or its provider was
				close(ended)
			}()
			await(t, func() bool {
				return slices.Contains(slices.Collect(maps.Values(road.processes())), "sleep "+nap)
			})
			for pid, line := range road.processes() {
				if slices.ContainsFunc(killed, func(part string) bool { return strings.Contains(line, part) }) {
					if err := provider.Signal(os.Kill, pid); err != nil {
						t.Error(err)
					}
				}
			}
			select {
			case <-ended:
			case <-time.After(endLimit):
				t.Error("the CLI did not end")
				up.Process.Kill()
			}
			for pid, line := range road.processes() {
				if strings.Contains(line, "pulumi-language-yaml") { // Pulumi's own checks for its engine every five minutes
					if err := provider.Signal(os.Kill, pid); err != nil {
						t.Error(err)
					}
				}
			}
			if left := road.left(); len(left) > 0 {
				t.Errorf("these processes are left: %v", left)
			}
		})
	}
}

// await waits until a condition holds.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command was not started")
		}
	}
}

package secrets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/hostile"
)

// verbosities returns flags of the CLI: none, those for debugging a program, and those for
// debugging Pulumi.
func verbosities() map[string][]string {
	return map[string][]string{"debug": {"--debug"}, "verbose": {"--debug", "-v=9", "--logtostderr", "--logflow"}}
}

// functionProgram is the part of a program that calls a function and exports its result.
const functionProgram = `variables:
  revealed: {"fn::invoke": {function: "secretive:reveal", arguments: {thing: "${bearer.id}", pass: "${pass}"}}}
outputs: {revealed: "${revealed.answer}", given: "${revealed.given}", answer: "${login.answer}", serial: "${revealed.serial}"}
`

// TestSecretsThroughTheCLI runs the life of resources of every kind without faults, with the
// real CLI.
func TestSecretsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for name, flags := range verbosities() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newUserStack(t, flags...)
			var things []thing
			for kind := range kinds {
				things = append(things, thing{kind, strings.ToLower(kind)})
			}
			done := func(ops, command string, args ...string) {
				t.Helper()
				if r := d.run(command, args...); r.ExitCode != 0 || r.Ops() != ops {
					t.Fatalf("pulumi %s: %d, %s\n%s", command, r.ExitCode, r.Ops(), r.Stdout)
				}
			}
			d.program(1, things, functionProgram)
			n := fmt.Sprint(len(kinds))
			done("create="+n, "preview", "--diff")
			done("create="+n, "up")
			d.program(2, things, functionProgram)
			done("update="+n, "preview", "--diff")
			done("update="+n, "up", "--diff")
			done("refresh="+n, "refresh")
			d.checkState()
			if r := d.run("import", "secretive:index:Bearer", "again", "t1", "--yes", "--protect=false", "--debug"); !strings.Contains(r.Stdout, "again") {
				t.Errorf("the import failed: %s%s", r.Stdout, r.Stderr)
			}
			d.run("destroy")
			for _, places := range kinds {
				d.checkArrived(append(places, "header", "body")...)
			}
			d.searchFolders()
		})
	}
}

// checkState checks that secrets are in the state, and encrypted.
func (d *userStack) checkState() {
	d.Helper()
	r := d.run("stack", "output")
	// In YAML, the whole result of a function is secret if a part of it is.
	if n := strings.Count(r.Stdout, "[secret]"); n != 4 {
		d.Errorf("%d secret outputs: %s", n, r.Stdout)
	}
	d.run("stack", "export")
	for kind := range kinds {
		o := d.stack.Recorded(strings.ToLower(kind))
		for what, v := range map[string]any{"input pass": o.Inputs["pass"], "output answer": o.Outputs["answer"]} {
			m, ok := v.(map[string]any)
			if !ok || m["ciphertext"] == nil {
				d.Errorf("%s of %s is recorded as %v", what, kind, v)
			}
		}
	}
	shown, err := d.stack.Run(d.Context(), "stack", "export", "--show-secrets")
	if err != nil || shown.ExitCode != 0 {
		d.Fatal(err, shown.Failure())
	}
	for _, place := range append(settings(), "body", "answer") {
		if !slices.ContainsFunc(findShapes(d.shapes, shown.Stdout), func(f string) bool { return strings.HasPrefix(f, place+" ") }) {
			d.Errorf("the %s is not in the state", place)
		}
	}
}

// TestSecretsOnErrorPathsThroughTheCLI breaks the API at every verb of many resources, and
// then repairs it.
func TestSecretsOnErrorPathsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for name, flags := range verbosities() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newUserStack(t, append(flags, "--parallel=1000")...)
			faults := chosenFaults()
			var things []thing
			order := slices.Sorted(maps.Keys(kinds))
			for i := range max(len(faults), len(order)) {
				kind := order[i%len(order)]
				things = append(things, thing{kind, fmt.Sprintf("%s%d", strings.ToLower(kind), i)})
			}
			d.program(1, things, "")
			d.server.Arm("POST /token", faults[0])
			d.server.Arm("POST /login", faults[0])
			d.runWithFaults("POST", "up", things, faults, "--continue-on-error")
			d.runWithFaults("GET", "refresh", things, faults)
			d.program(2, things, "")
			d.runWithFaults("PATCH", "up", things, faults, "--continue-on-error")
			d.callFunctions(things, faults)
			d.runWithFaults("DELETE", "destroy", things, faults, "--continue-on-error")
			d.checkArrived(append(sent(), "body", "issued")...)
			d.searchFolders()
		})
	}
}

// chosenFaults returns the faults whose responses contain most, and those without a response.
func chosenFaults() []hostile.Fault {
	var out []hostile.Fault
	for _, f := range hostile.Echoes() {
		if strings.Contains(f.Name, "401") || strings.Contains(f.Name, "422") || strings.Contains(f.Name, "500") {
			out = append(out, f)
		}
	}
	known := hostile.Faults("http://127.0.0.1:1/elsewhere")
	for _, name := range []string{"reset after commit", "slow after commit", "truncated JSON", "500 after commit", "302 to elsewhere"} {
		out = append(out, known[name])
	}
	return out
}

// runWithFaults runs a command with faults, each for another resource, and then again
// without.
func (d *userStack) runWithFaults(method, command string, things []thing, faults []hostile.Fault, args ...string) {
	d.Helper()
	for i, th := range things {
		// Use another fault for each verb, so that kinds and faults are combined in many
		// ways.
		d.server.ArmFor(th.name, method, faults[(i+len(method))%len(faults)])
	}
	began := time.Now()
	r := d.run(command, args...)
	if r.ExitCode == 0 || len(r.Errors()) < len(things)/2 {
		d.Errorf("pulumi %s with faults: %d, %d errors", command, r.ExitCode, len(r.Errors()))
	}
	d.Logf("pulumi %s: %d errors in %s", command, len(r.Errors()), time.Since(began).Round(time.Second))
	d.server.Disarm()
	for range 3 { // on a busy machine, requests without faults may be slow, too
		if r = d.run(command, args...); r.ExitCode == 0 {
			return
		}
	}
	d.Errorf("pulumi %s again: %s", command, r.Stdout)
}

// callFunctions calls a function whose response is an error that contains everything.
func (d *userStack) callFunctions(things []thing, faults []hostile.Fault) {
	d.Helper()
	for _, f := range faults[:3] {
		d.program(2, things, fmt.Sprintf("outputs: {revealed: {\"fn::invoke\": {function: \"secretive:reveal\", arguments: {thing: \"${%s.id}\", pass: \"${pass}\"}, return: answer}}}\n", things[0].name))
		d.server.ArmFor(things[0].name, "GET", f)
		if r := d.run("up"); r.ExitCode == 0 {
			d.Errorf("a function that meets %s: %s", f.Name, r.Stdout)
		}
	}
}

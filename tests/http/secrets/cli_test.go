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

// loudness are the ways to read along: as somebody does who looks for a mistake
// in a program, and as somebody does who looks for one in Pulumi.
func loudness() map[string][]string {
	return map[string][]string{"debug": {"--debug"}, "verbose": {"--debug", "-v=9", "--logtostderr", "--logflow"}}
}

// asking is the part of a program that asks a function, and shows what it says.
const asking = `variables:
  revealed: {"fn::invoke": {function: "secretive:reveal", arguments: {thing: "${bearer.id}", pass: "${pass}"}}}
outputs: {revealed: "${revealed.answer}", given: "${revealed.given}", answer: "${login.answer}", serial: "${revealed.serial}"}
`

// TestSecretsThroughTheCLI is a life of resources of every kind, in which all is
// well, under the real CLI.
func TestSecretsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for name, flags := range loudness() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, flags...)
			var things []thing
			for kind := range kinds {
				things = append(things, thing{kind, strings.ToLower(kind)})
			}
			done := func(ops, command string, args ...string) {
				t.Helper()
				if r := d.runs(command, args...); r.ExitCode != 0 || r.Ops() != ops {
					t.Fatalf("pulumi %s: %d, %s\n%s", command, r.ExitCode, r.Ops(), r.Stdout)
				}
			}
			d.program(1, things, asking)
			done("create=7", "preview", "--diff")
			done("create=7", "up")
			d.program(2, things, asking)
			done("update=7", "preview", "--diff")
			done("update=7", "up", "--diff")
			done("refresh=7", "refresh")
			d.kept()
			if r := d.runs("import", "secretive:index:Bearer", "again", "t1", "--yes", "--protect=false", "--debug"); !strings.Contains(r.Stdout, "again") {
				t.Errorf("the import: %s%s", r.Stdout, r.Stderr)
			}
			d.runs("destroy")
			for _, places := range kinds {
				d.arrived(append(places, "header", "body")...)
			}
			d.leaves()
		})
	}
}

// kept looks at the state, where secrets must be, and be encrypted.
func (d *desk) kept() {
	d.Helper()
	r := d.runs("stack", "output")
	// In YAML all that a function says is secret once some of it is.
	if n := strings.Count(r.Stdout, "[secret]"); n != 4 {
		d.Errorf("%d secret outputs: %s", n, r.Stdout)
	}
	d.runs("stack", "export")
	for kind := range kinds {
		o := d.stack.Recorded(strings.ToLower(kind))
		for what, v := range map[string]any{"its pass": o.Inputs["pass"], "its answer": o.Outputs["answer"]} {
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
		if !slices.ContainsFunc(found(d.shapes, shown.Stdout), func(f string) bool { return strings.HasPrefix(f, place+" ") }) {
			d.Errorf("the %s is not in the state at all", place)
		}
	}
}

// TestSecretsOnErrorPathsThroughTheCLI breaks the API at every verb of many
// resources, and repairs it, while the user reads along.
func TestSecretsOnErrorPathsThroughTheCLI(t *testing.T) {
	t.Parallel()
	for name, flags := range loudness() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, append(flags, "--parallel=1000")...)
			faults := telling()
			var things []thing
			order := slices.Sorted(maps.Keys(kinds))
			for i := range max(len(faults), 2*len(order)) {
				kind := order[i%len(order)]
				things = append(things, thing{kind, fmt.Sprintf("%s%d", strings.ToLower(kind), i)})
			}
			d.program(1, things, "")
			d.server.Arm("POST /token", faults[0])
			d.server.Arm("POST /login", faults[0])
			d.broken("POST", "up", things, faults, "--continue-on-error")
			d.broken("GET", "refresh", things, faults)
			d.program(2, things, "")
			d.broken("PATCH", "up", things, faults, "--continue-on-error")
			d.functions(things, faults)
			d.broken("DELETE", "destroy", things, faults, "--continue-on-error")
			d.arrived(append(settings(), "body", "issued")...)
			d.leaves()
		})
	}
}

// telling are the faults whose answers say most, and those that have none.
func telling() []hostile.Fault {
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

// broken runs a command into the faults, each at another resource, and again.
func (d *desk) broken(method, command string, things []thing, faults []hostile.Fault, args ...string) {
	d.Helper()
	for i, th := range things {
		// Another one for each verb, so that kinds and faults meet in many ways.
		d.server.ArmFor(th.name, method, faults[(i+len(method))%len(faults)])
	}
	began := time.Now()
	r := d.runs(command, args...)
	if r.ExitCode == 0 || len(r.Errors()) < len(things)/2 {
		d.Errorf("pulumi %s into the faults: %d, %d errors", command, r.ExitCode, len(r.Errors()))
	}
	d.Logf("pulumi %s: %d errors in %s", command, len(r.Errors()), time.Since(began).Round(time.Second))
	d.server.Disarm()
	for range 3 { // on a busy machine an honest server is slow, too
		if r = d.runs(command, args...); r.ExitCode == 0 {
			return
		}
	}
	d.Errorf("pulumi %s again: %s", command, r.Stdout)
}

// functions asks a function whose answer is an error that says everything.
func (d *desk) functions(things []thing, faults []hostile.Fault) {
	d.Helper()
	for _, f := range faults[:3] {
		d.program(2, things, fmt.Sprintf("outputs: {revealed: {\"fn::invoke\": {function: \"secretive:reveal\", arguments: {thing: \"${%s.id}\", pass: \"${pass}\"}, return: answer}}}\n", things[0].name))
		d.server.ArmFor(things[0].name, "GET", f)
		if r := d.runs("up"); r.ExitCode == 0 {
			d.Errorf("a function that meets %s: %s", f.Name, r.Stdout)
		}
	}
}

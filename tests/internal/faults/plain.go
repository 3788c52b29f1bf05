package faults

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/unlucky"
)

// Plain is the additional part of a life without faults, after the steps of the table. Name
// is replaced by its resource name.
type Plain struct {
	// Change changes objects on the server, without Pulumi. A refresh then finds Changed, and
	// the next up repairs it.
	Change  func(t testing.TB, name string)
	Changed []string
	// Remove removes all objects on the server. The next up creates them again.
	Remove func(t testing.TB, name string)
	// Imports are objects that were created by others, and that the program imports.
	Imports []Import
	// Imported is the program after the import, for which there is nothing to do.
	Imported string
}

// Import is an object to import.
type Import struct {
	// Token is the type of the resource, and Resource its name in the program.
	Token, Resource string
	// Make creates the object, and returns its id for `pulumi import`.
	Make func(t testing.TB, name string) string
}

// runPlain runs the steps, changes on the server and an import, and destroys the stack.
func (l *life) runPlain() {
	l.Helper()
	var last Step
	for _, last = range l.table.Steps {
		l.stack.Program(l.program(last.Program))
		l.stack.Up(last.Ops, last.Args...)
		l.checkAgreement(last)
	}
	l.runReadOnly("refresh", func() (*pulumicli.Result, error) { return l.stack.Project.Refresh(l.Context()) })
	l.checkAgreement(last)
	p := l.table.Plain
	p.Change(l, plain)
	found, err := l.stack.Project.Refresh(l.Context())
	if err != nil || found.ExitCode != 0 {
		l.Fatal(err, found.Failure())
	}
	if diff := cmp.Diff(p.Changed, found.Outcomes()); diff != "" {
		l.Errorf("a refresh after changes by hand (-want +got):\n%s", diff)
	}
	l.checkRepair(last, "changed")
	p.Remove(l, plain)
	l.checkRepair(last, "removed")

	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.checkServer("destroy", nil)
	for _, i := range p.Imports {
		name, id := strings.ReplaceAll(i.Resource, Name, plain), i.Make(l, plain)
		l.runReadOnly("import", func() (*pulumicli.Result, error) {
			return l.stack.Project.Import(l.Context(), i.Token, name, id)
		})
	}
	l.stack.Program(l.program(p.Imported))
	l.checkAgreement(Step{Name: "import", Things: l.ownLines()})
	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.checkServer("destroy after import", nil)
	l.checkJournal("plain")
}

// runReadOnly runs a command that only reads, while the first requests fail. It may fail once
// per fault, and must not change the server.
func (l *life) runReadOnly(what string, command func() (*pulumicli.Result, error)) {
	l.Helper()
	before := l.ownLines()
	any := func(unlucky.Request) bool { return true }
	l.proxy.Arm(unlucky.ServerErrorBefore(), 1, any)
	l.proxy.Arm(unlucky.DroppedAfter(), 1, any)
	var told strings.Builder
	for runs := 1; ; runs++ {
		r, err := command()
		if err != nil {
			l.Fatal(err)
		}
		l.describe(&told, what, runs, r)
		if r.ExitCode == 0 {
			break
		}
		if runs == 3 {
			l.Log(told.String())
			l.Fatalf("%s: still failing after %d runs", what, runs)
		}
	}
	if left := l.proxy.Disarm(); len(left) > 0 {
		l.Errorf("%s: these faults did not happen: %v", what, left)
	}
	if diff := cmp.Diff(before, l.ownLines()); diff != "" {
		l.Errorf("%s: the objects on the server changed (-before +after):\n%s", what, diff)
	}
}

// checkRepair runs an up with a refresh, after which everything must be as the step says.
func (l *life) checkRepair(last Step, what string) {
	l.Helper()
	r, err := l.stack.Project.Up(l.Context(), "--refresh")
	if err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	last.Name += ", " + what + " by hand"
	l.checkAgreement(last)
}

// ownLines returns the lines of the server about this life.
func (l *life) ownLines() []string {
	var out []string
	for _, line := range l.table.Things(l.T) {
		if strings.Contains(line, plain) && !slices.Contains(l.foreign, line) {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

package faults

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/unlucky"
)

// Plain is what a life without faults has beside the steps of the table, once
// all of them were done. Name stands for its name everywhere.
type Plain struct {
	// Change changes things by hand, behind Pulumi's back; a refresh then finds
	// Changed, and the next up repairs it.
	Change  func(t testing.TB, name string)
	Changed []string
	// Remove removes all of them by hand; the next up makes them anew.
	Remove func(t testing.TB, name string)
	// Imports are things that somebody else made, which a program takes over.
	Imports []Import
	// Imported is the program that then has nothing to do.
	Imported string
}

// Import is a thing that is made by hand, and imported.
type Import struct {
	// Token is the resource's type, and Resource its name in the program.
	Token, Resource string
	// Make makes the thing, and returns its id for `pulumi import`.
	Make func(t testing.TB, name string) string
}

// plain leads the stack through the steps, through changes by hand and an
// import, and destroys it.
func (l *life) plain() {
	l.Helper()
	var last Step
	for _, last = range l.table.Steps {
		l.stack.Program(l.program(last.Program))
		l.stack.Up(last.Ops, last.Args...)
		l.agrees(last)
	}
	l.looksThrough("refresh", func() (*pulumicli.Result, error) { return l.stack.Project.Refresh(l.Context()) })
	l.agrees(last)
	p := l.table.Plain
	p.Change(l, plain)
	found, err := l.stack.Project.Refresh(l.Context())
	if err != nil || found.ExitCode != 0 {
		l.Fatal(err, found.Failure())
	}
	if diff := cmp.Diff(p.Changed, found.Outcomes()); diff != "" {
		l.Errorf("what a refresh finds after changes by hand (-want +got):\n%s", diff)
	}
	l.repaired(last, "changed")
	p.Remove(l, plain)
	l.repaired(last, "removed")

	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.has("destroy", nil)
	for _, i := range p.Imports {
		name, id := strings.ReplaceAll(i.Resource, Name, plain), i.Make(l, plain)
		l.looksThrough("import", func() (*pulumicli.Result, error) {
			return l.stack.Project.Import(l.Context(), i.Token, name, id)
		})
	}
	l.stack.Program(l.program(p.Imported))
	l.agrees(Step{Name: "import", Things: l.mine()})
	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.has("destroy after import", nil)
	l.journal("plain")
}

// looksThrough runs a command that only looks, while the first requests fail. It
// may fail once for each, and changes nothing on the server.
func (l *life) looksThrough(what string, command func() (*pulumicli.Result, error)) {
	l.Helper()
	before := l.mine()
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
			l.Fatalf("%s: it still fails after %d runs", what, runs)
		}
	}
	if left := l.proxy.Disarm(); len(left) > 0 {
		l.Errorf("%s: these faults struck nothing: %v", what, left)
	}
	if diff := cmp.Diff(before, l.mine()); diff != "" {
		l.Errorf("%s: what the server has changed (-before +after):\n%s", what, diff)
	}
}

// repaired runs an up with a refresh, after which everything must be as the
// step says.
func (l *life) repaired(last Step, what string) {
	l.Helper()
	r, err := l.stack.Project.Up(l.Context(), "--refresh")
	if err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	last.Name += ", " + what + " by hand"
	l.agrees(last)
}

// mine are the lines of the server that are about this life.
func (l *life) mine() []string {
	var out []string
	for _, line := range l.table.Things(l.T) {
		if strings.Contains(line, plain) && !slices.Contains(l.foreign, line) {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

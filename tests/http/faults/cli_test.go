package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// TestFaultsThroughTheCLI tries every cell of the same table with the real CLI:
// all faults of a verb strike in one `pulumi up` (or refresh, or destroy), each
// its own resource. The next run is the same command again.
func TestFaultsThroughTheCLI(t *testing.T) {
	for verb, commands := range map[string]commands{
		"create": {(*batch).up, 1}, "read": {(*batch).refresh, 1}, "update": {(*batch).up, 2}, "delete": {(*batch).destroy, 1},
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			newBatch(t, verb).try(commands)
		})
	}
}

// commands are what a user types for a verb, and the size that is in the program
// then.
type commands struct {
	run  func(*batch) *pulumicli.Result
	size int
}

// batch is all cells of one verb, in one program.
type batch struct {
	*testing.T
	verb    string
	stack   *pulumitest.Stack
	servers map[string]*hostile.Server // by the name of the provider that talks to it
	cells   []*placed
}

// placed is a cell and the resource that it is tried on.
type placed struct {
	cell
	fault          hostile.Fault
	name, provider string
	server         *hostile.Server
}

func newBatch(t *testing.T, verb string) *batch {
	b := &batch{T: t, verb: verb, servers: map[string]*hostile.Server{"plain": hostile.Start(t), "secure": hostile.StartTLS(t)}}
	folder := provider.Folder(t, "hostile", "tests/http/faults/testdata/hostile.cue")
	b.stack = pulumitest.New(t, pulumitest.Providers{"hostile": folder}, "DECLPROV_JOURNAL="+os.Getenv("DECLPROV_JOURNAL"))
	known := hostile.Faults(elsewhere(t))
	for _, r := range table {
		for _, c := range r.cells() {
			if c.verb == verb {
				b.place(c, known[r.fault])
			}
		}
	}
	return b
}

// place gives a cell a resource, and a server: one with TLS where that is what
// breaks, and one alone where the fault strikes before anybody can tell whom.
func (b *batch) place(c cell, fault hostile.Fault) {
	name := strings.ReplaceAll(fault.Name, " ", "-") + "-" + c.kind
	at := "plain"
	switch {
	case fault.Handshake:
		at = "of-" + name
		b.servers[at] = hostile.StartTLS(b.T)
	case strings.Contains(fault.Name, "TLS"):
		at = "secure"
	}
	b.cells = append(b.cells, &placed{cell: c, fault: fault, name: name, provider: at, server: b.servers[at]})
}

// program writes the program with every resource at that size.
func (b *batch) program(size int) {
	resources := map[string]any{}
	for name, server := range b.servers {
		settings := map[string]any{"endpoint": server.URL}
		if server.CA != "" {
			settings["ca"] = server.CA
		}
		resources[name] = map[string]any{"type": "pulumi:providers:hostile", "properties": settings}
	}
	for _, p := range b.cells {
		resources[p.name] = map[string]any{
			"type":       "hostile:" + p.kind,
			"properties": map[string]any{"name": p.name, "size": size},
			"options":    map[string]any{"provider": "${" + p.provider + "}"},
		}
	}
	text, err := json.Marshal(resources)
	if err != nil {
		b.Fatal(err)
	}
	b.stack.Program("resources: " + string(text) + "\n") // JSON is YAML
}

// atOnce lets every operation run beside all others, so that none waits for one
// that breaks.
const atOnce = "--parallel=1000"

func (b *batch) up() *pulumicli.Result {
	return b.ran(b.stack.Project.Up(b.Context(), atOnce, "--continue-on-error"))
}

func (b *batch) refresh() *pulumicli.Result {
	return b.ran(b.stack.Project.Refresh(b.Context(), atOnce))
}

func (b *batch) destroy() *pulumicli.Result {
	return b.ran(b.stack.Project.Destroy(b.Context(), atOnce, "--continue-on-error"))
}

func (b *batch) ran(r *pulumicli.Result, err error) *pulumicli.Result {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// try runs what the verb is for twice, the first time into the faults, and
// compares each cell with its promise.
func (b *batch) try(c commands) {
	b.program(1)
	if b.verb != "create" {
		b.stack.Up(fmt.Sprintf("create=%d", len(b.cells)), atOnce)
		b.program(c.size)
	}
	for _, p := range b.cells {
		if p.fault.Handshake {
			p.server.Abort(1)
			continue
		}
		p.server.ArmFor(p.name, p.method, p.fault)
	}
	first := b.outcomes(c.run)
	for _, p := range b.cells {
		if left := p.server.Left(p.name, p.method); !p.fault.Handshake && left != unstruck(p.fault, first[p.name].String()) {
			b.Errorf("%s: the first run: %s, and the fault could have struck %d times more", p.name, first[p.name], left)
		}
	}
	for _, s := range b.servers {
		s.Disarm()
	}
	next := b.outcomes(c.run)
	for _, p := range b.cells {
		got := first[p.name].String() + " > " + next[p.name].String()
		if p.verb == "create" {
			got += fmt.Sprintf(" > %d", len(p.objects()))
		}
		if got != p.want {
			b.Errorf("%s: %s, and %s was promised; it said %q, then %q", p.name, got, p.want, first[p.name].said, next[p.name].said)
		}
	}
	b.settled(c.size)
}

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

// TestFaultsThroughTheCLI tests every cell of the same table with the real CLI. All faults of
// a verb happen in one `pulumi up` (or refresh, or destroy), each to its own resource. The
// next run is the same command.
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

// commands are the commands for a verb, and the size in the program.
type commands struct {
	run  func(*batch) *pulumicli.Result
	size int
}

// batch has all cells of one verb, in one program.
type batch struct {
	*testing.T
	verb    string
	stack   *pulumitest.Stack
	servers map[string]*hostile.Server // by the name of their provider
	cells   []*target
}

// target is a cell and its resource.
type target struct {
	cell
	fault          hostile.Fault
	name, provider string
	server         *hostile.Server
}

func newBatch(t *testing.T, verb string) *batch {
	b := &batch{T: t, verb: verb, servers: map[string]*hostile.Server{"plain": hostile.Start(t), "secure": hostile.StartTLS(t)}}
	folder := provider.Folder(t, "hostile", "tests/http/faults/testdata/hostile.cue")
	b.stack = pulumitest.New(t, pulumitest.Providers{"hostile": folder}, append(pulumicli.SaveAtEnd(), "DECLPROV_JOURNAL="+os.Getenv("DECLPROV_JOURNAL"))...)
	known := hostile.Faults(untouchedServer(t))
	for _, r := range table {
		for _, c := range r.cells() {
			if c.verb == verb {
				b.place(c, known[r.fault])
			}
		}
	}
	return b
}

// place assigns a resource and a server to a cell: a server with TLS for TLS faults, and a
// separate server if the fault happens before the request can be attributed to a resource.
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
	b.cells = append(b.cells, &target{cell: c, fault: fault, name: name, provider: at, server: b.servers[at]})
}

// program writes the program with this size for every resource.
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

// atOnce runs all operations concurrently, so that none waits for one with a fault.
const atOnce = "--parallel=1000"

func (b *batch) up() *pulumicli.Result {
	return b.checkRan(b.stack.Project.Up(b.Context(), atOnce, "--continue-on-error"))
}

func (b *batch) refresh() *pulumicli.Result {
	return b.checkRan(b.stack.Project.Refresh(b.Context(), atOnce))
}

func (b *batch) destroy() *pulumicli.Result {
	return b.checkRan(b.stack.Project.Destroy(b.Context(), atOnce, "--continue-on-error"))
}

func (b *batch) checkRan(r *pulumicli.Result, err error) *pulumicli.Result {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// try runs the commands twice, the first time with faults, and compares each cell with the
// table.
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
		if left := p.server.Left(p.name, p.method); !p.fault.Handshake && left != expectedLeft(p.fault, first[p.name].String()) {
			b.Errorf("%s: the first run: %s, but the fault was left %d times", p.name, first[p.name], left)
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
			b.Errorf("%s: %s, but %s was promised; the messages are %q and %q", p.name, got, p.want, first[p.name].said, next[p.name].said)
		}
	}
	b.checkSettled(c.size)
}

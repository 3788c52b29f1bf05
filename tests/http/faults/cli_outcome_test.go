package faults

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/pulumicli"
)

// outcome is the result of a command for one resource, in the notation of the table.
type outcome struct {
	how      string
	requests int
	said     []string
}

func (o outcome) String() string { return fmt.Sprintf("%s %d", o.how, o.requests) }

// outcomes runs a command and returns the outcome for each resource.
func (b *batch) outcomes(run func(*batch) *pulumicli.Result) map[string]outcome {
	b.Helper()
	before, listed := map[string]int{}, map[string]int{}
	for _, p := range b.cells {
		before[p.name], listed[p.name] = p.requests(), len(p.intents(b, p.server, p.name))
	}
	had := b.recorded()
	r := run(b)
	has := b.recorded()
	said := map[string][]string{}
	for _, d := range r.Diagnostics() {
		if d.Severity == "error" {
			name := d.URN[strings.LastIndex(d.URN, ":")+1:]
			said[name] = append(said[name], d.Text)
		}
	}
	out, failed := map[string]outcome{}, false
	for _, p := range b.cells {
		o := outcome{how: "ok", requests: p.requests() - before[p.name], said: said[p.name]}
		state, was := has[p.name], had[p.name]
		switch {
		case state != nil && len(state.InitErrors) > 0:
			o.how = "kept"
		case o.said != nil && len(p.intents(b, p.server, p.name)) > listed[p.name]:
			o.how = "open"
		case o.said != nil:
			o.how = "error"
		}
		if (o.how == "ok") != (o.said == nil) {
			b.Errorf("%s: the state says %s, but the user saw %q", p.name, o.how, o.said)
		}
		if there := state != nil; there != p.mustBeInState(o.how, was != nil) {
			b.Errorf("%s: after %s, in the state: %t", p.name, o.how, there)
		}
		failed = failed || o.how != "ok"
		out[p.name] = o
	}
	if failed != (r.ExitCode != 0) {
		b.Errorf("pulumi %v ended with %d", r.Typed, r.ExitCode)
	}
	return out
}

// mustBeInState reports whether a resource must be in the state after this outcome.
func (c cell) mustBeInState(how string, was bool) bool {
	switch {
	case how == "error" || how == "open":
		return was
	case how == "ok" && c.verb == "delete":
		return false
	default:
		return true
	}
}

// recorded returns the resources of the state by name. The state must have no pending
// operations or deletions.
func (b *batch) recorded() map[string]*apitype.ResourceV3 {
	b.Helper()
	state, err := b.stack.Export()
	if err != nil {
		b.Fatal(err)
	}
	if len(state.PendingOperations) > 0 {
		b.Errorf("pending: %+v", state.PendingOperations)
	}
	out := map[string]*apitype.ResourceV3{}
	for i, r := range state.Resources {
		if strings.HasPrefix(string(r.Type), "pulumi:") {
			continue
		}
		if name := r.URN.Name(); out[name] != nil || r.Delete {
			b.Errorf("%s is in the state twice", name)
		}
		out[r.URN.Name()] = &state.Resources[i]
	}
	return out
}

// requests returns the number of requests that the table counts. For a read, these are all
// requests about the resource.
func (p *target) requests() int {
	if p.method == "GET" {
		return p.server.About(p.name, "")
	}
	return p.server.About(p.name, p.method)
}

// objects returns the objects of a resource on the server.
func (p *target) objects() map[string]hostile.Object {
	out := p.server.Objects()
	for id, o := range out {
		if o["name"] != p.name {
			delete(out, id)
		}
	}
	return out
}

// checkSettled checks the state and the servers after both runs: each resource in the state
// has its object, there are no other objects than the table counts, and a third run changes
// nothing.
func (b *batch) checkSettled(size int) {
	b.Helper()
	recorded := b.recorded()
	known := map[*hostile.Server]int{}
	for _, p := range b.cells {
		objects, state := p.objects(), recorded[p.name]
		known[p.server] += len(objects)
		if b.verb == "delete" {
			if len(objects) != 0 || state != nil {
				b.Errorf("%s: left: %v, recorded: %v", p.name, objects, state)
			}
			continue
		}
		if state == nil {
			continue // reported before
		}
		o := objects[string(state.ID)]
		if o == nil || o["size"] != float64(size) || o["serial"] != state.Outputs["serial"] {
			b.Errorf("%s: Pulumi has %s %v, but the server has %v", p.name, state.ID, state.Outputs, objects)
		}
	}
	for name, s := range b.servers {
		if n := len(s.Objects()); n != known[s] {
			b.Errorf("%s has %d objects, %d of them of the program", name, n, known[s])
		}
	}
	if b.verb == "delete" {
		return
	}
	before := b.allRequests()
	b.stack.Up(fmt.Sprintf("same=%d", len(b.cells)), atOnce)
	if n := b.allRequests() - before; n != 0 {
		b.Errorf("a third run sent %d requests", n)
	}
	b.stack.Destroy(fmt.Sprintf("delete=%d", len(b.cells)), atOnce)
	for _, p := range b.cells {
		if left := p.intents(b, p.server, p.name); len(left) != p.unresolvedIntents() {
			b.Errorf("%s: the journal still has %d intents: %+v", p.name, len(left), left)
		}
		if left, lone := len(p.objects()), strings.HasSuffix(p.want, "> 2"); left > 1 || (left == 1) != lone {
			b.Errorf("%s: after destroy the server has %v", p.name, p.objects())
		}
	}
}

func (b *batch) allRequests() int {
	n := 0
	for _, s := range b.servers {
		n += len(s.Requests())
	}
	return n
}

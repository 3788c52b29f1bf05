// Package faults leads resources of a real server through their lives behind an
// unlucky proxy: each operation meets each fault, the command is run again as a
// user would, and then the server must have exactly what the program says.
package faults

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/unlucky"
)

// Name stands in programs and expectations for the name of a resource, which is
// that of the fault that it meets: "before", "after", "dropped", and "plain" of
// one that meets none.
const Name = "NAME"

// Server is a real server, and the spec that it is driven by.
type Server struct {
	// Provider is the provider's name, Spec the path of its spec in the
	// repository, URL where the server listens.
	Provider, Spec, URL string
	// Env is the environment that makes the provider use an endpoint.
	Env func(endpoint string) []string
	// Things returns everything on the server that the table is about, a line
	// each, in any order.
	Things func(t testing.TB) []string
}

// Step is one edit of the program, and the faults that its effects meet.
type Step struct {
	// Name is what the step is called in messages: "update".
	Name string
	// Program has the resources for one fault, in YAML, without `resources:`.
	Program string
	// Args are further arguments of `pulumi up`.
	Args []string
	// DeletesFirst says that the step replaces what has to go first. Told to
	// continue on errors, Pulumi waits for ever after such a deletion has failed;
	// so it is not told to, and each run may stop at the first fault.
	DeletesFirst bool
	// Ops is what the step does where nothing goes wrong: "update=2".
	Ops string
	// Things are the lines that the server has of these resources afterwards.
	Things []string
	// Strikes choose the requests that are struck, one for each effect. name is
	// the resource's.
	Strikes []Match
}

// Match chooses the requests of the resource of that name.
type Match func(name string, r unlucky.Request) bool

// Request matches a method, and a text in the URI or the body, escaped or not,
// in which Name stands for the resource's name.
func Request(method, text string) Match {
	return func(name string, r unlucky.Request) bool {
		sent := r.URI + "\n" + r.Body + "\n"
		if plain, err := url.QueryUnescape(sent); err == nil {
			sent += plain
		}
		return r.Method == method && strings.Contains(sent, strings.ReplaceAll(text, Name, name))
	}
}

// named are the three faults, by the name of the resource that meets each.
func named() map[string]unlucky.Misfortune {
	return map[string]unlucky.Misfortune{
		"before": unlucky.ServerErrorBefore(), "after": unlucky.ServerErrorAfter(), "dropped": unlucky.DroppedAfter(),
	}
}

func faulty() []string { return []string{"before", "after", "dropped"} }

const plain = "plain"

// Table is a life, step by step.
type Table struct {
	Server
	Steps []Step
	// Delete chooses the requests of the destruction at the end.
	Delete []Match
	// Taken is a program whose resources have the names of foreign things, and
	// Takes the requests that would make them.
	Taken string
	Takes []Match
	// Plain is what the life without faults has beside the steps.
	Plain Plain
}

// Run leads one stack through the steps without faults, and one with them, side
// by side. What else is on the server must stay as it is.
func (table Table) Run(t *testing.T) {
	t.Helper()
	foreign := table.Things(t)
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		l := table.begin(t, foreign, plain)
		l.plain()
	})
	t.Run("faults", func(t *testing.T) {
		t.Parallel()
		l := table.begin(t, foreign, faulty()...)
		l.faults()
	})
}

func (table Table) begin(t *testing.T, foreign []string, names ...string) *life {
	t.Helper()
	proxy := unlucky.Start(t, table.URL)
	folder := provider.Folder(t, table.Provider, table.Spec)
	l := &life{T: t, table: table, proxy: proxy, foreign: foreign, names: names}
	l.stack = pulumitest.New(t, pulumitest.Providers{table.Provider: folder}, table.Env(proxy.URL)...)
	return l
}

// faults leads the stack through the steps, and destroys it.
func (l *life) faults() {
	l.Helper()
	for _, step := range l.table.Steps {
		l.stack.Program(l.program(step.Program))
		runs, args := 1+len(step.Strikes), append([]string{"--continue-on-error"}, step.Args...)
		if step.DeletesFirst {
			runs, args = 1+len(step.Strikes)*len(l.names), step.Args
		}
		l.struck(step.Name, step.Strikes, runs, func() (*pulumicli.Result, error) {
			return l.stack.Project.Up(l.Context(), args...)
		})
		l.agrees(step)
	}
	l.struck("destroy", l.table.Delete, 2, func() (*pulumicli.Result, error) {
		return l.stack.Project.Destroy(l.Context(), "--continue-on-error")
	})
	l.has("destroy", nil)
	l.taken()
}

// taken makes what somebody else has. Each must be refused, whatever the proxy
// does; nothing of it may be in the state, nor be destroyed with it.
func (l *life) taken() {
	l.Helper()
	const name = "foreign"
	l.stack.Program("resources:\n" + strings.ReplaceAll(l.table.Taken, Name, name))
	for _, match := range l.table.Takes {
		l.proxy.Arm(unlucky.DroppedAfter(), 1, func(r unlucky.Request) bool { return match(name, r) })
	}
	var told strings.Builder
	for run := 1; run <= 2; run++ {
		r, err := l.stack.Project.Up(l.Context(), "--continue-on-error")
		if err != nil {
			l.Fatal(err)
		}
		l.describe(&told, "taken", run, r)
		if made := made(r); len(made) > 0 || r.ExitCode == 0 {
			l.Errorf("taken: exit code %d, made: %v", r.ExitCode, made)
		}
	}
	l.Log(told.String())
	l.proxy.Disarm()
	l.has("taken", nil)
	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.has("destroy of what was taken", nil)
	l.journal("taken")
}

// made are the resources that a run recorded.
func made(r *pulumicli.Result) []string {
	var out []string
	for _, line := range r.Outcomes() {
		if strings.HasPrefix(line, "create ") || strings.HasPrefix(line, "update ") || strings.HasPrefix(line, "same ") {
			out = append(out, line)
		}
	}
	return out
}

// life is a table that is being run.
type life struct {
	*testing.T
	table   Table
	proxy   *unlucky.Proxy
	stack   *pulumitest.Stack
	foreign []string // what the server had before
	names   []string // of the resources
}

// struck runs a command into the faults, and then again until it works, in so many
// runs at most.
func (l *life) struck(step string, strikes []Match, most int, command func() (*pulumicli.Result, error)) {
	l.Helper()
	for _, name := range l.names {
		for _, match := range strikes {
			l.proxy.Arm(named()[name], 1, func(r unlucky.Request) bool { return match(name, r) })
		}
	}
	l.proxy.Exchanges()
	var told strings.Builder
	for runs := 1; ; runs++ {
		r, err := command()
		if err != nil {
			l.Fatal(err)
		}
		l.describe(&told, step, runs, r)
		if r.ExitCode == 0 {
			l.Log(told.String())
			break
		}
		switch {
		case runs == most:
			l.Errorf("%s: it still fails after %d runs; refreshing", step, runs)
			l.refresh()
		case runs == most+1:
			l.Log(told.String())
			l.Fatalf("%s: it still fails after a refresh", step)
		case strings.Contains(strings.Join(r.Errors(), "\n"), "pulumi refresh"):
			l.refresh() // as a message asks for
		}
	}
	if left := l.proxy.Disarm(); len(left) > 0 {
		l.Errorf("%s: these faults struck nothing: %v", step, left)
	}
	l.journal(step)
}

// describe writes what a run did: the requests, and the errors.
func (l *life) describe(b *strings.Builder, step string, run int, r *pulumicli.Result) {
	fmt.Fprintf(b, "%s, run %d: exit code %d, %s\n", step, run, r.ExitCode, r.Ops())
	for _, e := range l.proxy.Exchanges() {
		fmt.Fprintf(b, "  %.200q -> %d %s\n", e.Request.String(), e.Status, e.Misfortune)
	}
	for _, d := range r.Diagnostics() {
		if d.Severity != "info" {
			fmt.Fprintf(b, "  %s: %s: %s\n", d.Severity, d.URN[strings.LastIndex(d.URN, ":")+1:], d.Text)
		}
	}
}

func (l *life) refresh() {
	l.Helper()
	r, err := l.stack.Project.Refresh(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	if err := r.Failure(); err != nil {
		l.Error(err)
	}
}

// agrees fails unless the server has what the step says, and a refresh and a
// further up find nothing to do.
func (l *life) agrees(step Step) {
	l.Helper()
	l.has(step.Name, step.Things)
	r, err := l.stack.Project.Up(l.Context(), "--refresh")
	if err == nil {
		err = r.Failure()
	}
	if err != nil {
		l.Fatal(err)
	}
	for _, found := range append(drift(r), changes(r)...) {
		l.Errorf("%s: the state and the server did not agree: %s", step.Name, found)
	}
}

// drift is what the refresh of an `up --refresh` found. An id that an update
// gave is no drift: Pulumi takes a new id from nothing but a refresh.
func drift(r *pulumicli.Result) []string {
	var out []string
	for _, e := range r.Events {
		if e.ResOutputsEvent == nil || e.ResOutputsEvent.Metadata.Op != apitype.OpRefresh {
			continue
		}
		m := e.ResOutputsEvent.Metadata
		if m.New == nil {
			out = append(out, m.URN+" is gone")
		} else if diff := cmp.Diff(public(m.Old.Outputs), public(m.New.Outputs)); diff != "" {
			out = append(out, m.URN+" (-recorded +found):\n"+diff)
		}
	}
	return out
}

// public are the outputs without what the engine keeps for itself.
func public(outputs map[string]any) map[string]any {
	outputs = maps.Clone(outputs)
	delete(outputs, "__declprov")
	return outputs
}

// changes are the steps of a run that changed something.
func changes(r *pulumicli.Result) []string {
	var out []string
	for _, step := range r.Steps() {
		if step.Op != "same" && step.Op != "refresh" {
			out = append(out, step.String())
		}
	}
	return out
}

// has fails unless the server has the lines for each name, and what it had
// before.
func (l *life) has(step string, things []string) {
	l.Helper()
	want := slices.Clone(l.foreign)
	for _, line := range things {
		for _, name := range l.names {
			want = append(want, strings.ReplaceAll(line, Name, name))
		}
	}
	got := slices.DeleteFunc(l.table.Things(l.T), l.others)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s: what the server has (-want +got):\n%s", step, diff)
	}
}

// others reports whether a line is about the other life that runs.
func (l *life) others(line string) bool {
	return slices.ContainsFunc(append(faulty(), plain), func(name string) bool {
		return strings.Contains(line, name) && !slices.Contains(l.names, name) && !slices.Contains(l.foreign, line)
	})
}

// journal fails if something is open in the journal.
func (l *life) journal(step string) {
	l.Helper()
	printed, err := provider.Journal(l.T, l.stack.Environment())
	if err != nil {
		l.Fatal(err)
	}
	if len(printed) > 0 {
		l.Errorf("%s: the journal still lists %v", step, printed)
	}
}

// program is a step's for each name.
func (l *life) program(resources string) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	for _, name := range l.names {
		b.WriteString(strings.ReplaceAll(resources, Name, name))
	}
	return b.String()
}

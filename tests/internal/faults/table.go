// Package faults runs the lives of resources on a real server behind a proxy with faults.
// Each operation meets each fault, the command is repeated as a user would, and then the
// server must have exactly what the program says.
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

// Name stands for the name of a resource in programs and expectations. The name is that of
// its fault: "before", "after", "dropped", or "plain" without a fault.
const Name = "NAME"

// Server is a real server, and the spec of its provider.
type Server struct {
	// Provider is the name of the provider, Spec the path of its spec in the repository, and
	// URL the URL of the server.
	Provider, Spec, URL string
	// Env returns the environment that makes the provider use an endpoint.
	Env func(endpoint string) []string
	// Things returns everything on the server that the table is about, one line per object,
	// in any order.
	Things func(t testing.TB) []string
}

// Step is one edit of the program, and the faults of its effects.
type Step struct {
	// Name is the name of the step in messages: "update".
	Name string
	// Program has the resources for one fault, in YAML, without `resources:`.
	Program string
	// Args are additional arguments of `pulumi up`.
	Args []string
	// DeletesFirst says that the step replaces by deleting first. With --continue-on-error,
	// Pulumi waits forever after such a deletion has failed. So the flag is not used, and
	// each run may stop at the first fault.
	DeletesFirst bool
	// Ops are the operations of the step without faults: "update=2".
	Ops string
	// Things are the lines of these resources on the server afterwards.
	Things []string
	// Strikes choose the requests that meet a fault, one for each effect. name is the name of
	// the resource.
	Strikes []Match
}

// Match reports whether a request belongs to the resource with the name.
type Match func(name string, r unlucky.Request) bool

// Request matches a method, and a text in the URI or body, escaped or not. Name in the text
// stands for the name of the resource.
func Request(method, text string) Match {
	return func(name string, r unlucky.Request) bool {
		sent := r.URI + "\n" + r.Body + "\n"
		if plain, err := url.QueryUnescape(sent); err == nil {
			sent += plain
		}
		return r.Method == method && strings.Contains(sent, strings.ReplaceAll(text, Name, name))
	}
}

// misfortunes returns the three faults, by the name of the resource that meets each.
func misfortunes() map[string]unlucky.Misfortune {
	return map[string]unlucky.Misfortune{
		"before": unlucky.ServerErrorBefore(), "after": unlucky.ServerErrorAfter(), "dropped": unlucky.DroppedAfter(),
	}
}

func faultNames() []string { return []string{"before", "after", "dropped"} }

const plain = "plain"

// Table is a life, step by step.
type Table struct {
	Server
	Steps []Step
	// Delete chooses the requests of the destroy at the end.
	Delete []Match
	// Taken is a program whose resources have the names of objects of others. Takes chooses
	// the requests that would create them.
	Taken string
	Takes []Match
	// Plain is the additional part of the life without faults.
	Plain Plain
}

// Run runs one stack without faults and one with faults, concurrently. Other objects on the
// server must not change.
func (table Table) Run(t *testing.T) {
	t.Helper()
	foreign := table.Things(t)
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		l := table.begin(t, foreign, plain)
		l.runPlain()
	})
	t.Run("faults", func(t *testing.T) {
		t.Parallel()
		l := table.begin(t, foreign, faultNames()...)
		l.runFaults()
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

// runFaults runs the steps with faults, and destroys the stack.
func (l *life) runFaults() {
	l.Helper()
	for _, step := range l.table.Steps {
		l.stack.Program(l.program(step.Program))
		runs, args := 1+len(step.Strikes), append([]string{"--continue-on-error"}, step.Args...)
		if step.DeletesFirst {
			runs, args = 1+len(step.Strikes)*len(l.names), step.Args
		}
		l.runWithFaults(step.Name, step.Strikes, runs, func() (*pulumicli.Result, error) {
			return l.stack.Project.Up(l.Context(), args...)
		})
		l.checkAgreement(step)
	}
	l.runWithFaults("destroy", l.table.Delete, 2, func() (*pulumicli.Result, error) {
		return l.stack.Project.Destroy(l.Context(), "--continue-on-error")
	})
	l.checkServer("destroy", nil)
	l.runTaken()
}

// runTaken creates resources that others already own. Each must be refused, in spite of
// faults, and must not be in the state or be destroyed with it.
func (l *life) runTaken() {
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
		if made := madeResources(r); len(made) > 0 || r.ExitCode == 0 {
			l.Errorf("taken: exit code %d, made: %v", r.ExitCode, made)
		}
	}
	l.Log(told.String())
	l.proxy.Disarm()
	l.checkServer("taken", nil)
	if r, err := l.stack.Project.Destroy(l.Context()); err != nil || r.ExitCode != 0 {
		l.Fatal(err, r.Failure())
	}
	l.checkServer("destroy of what was taken", nil)
	l.checkJournal("taken")
}

// madeResources returns the resources that a run recorded.
func madeResources(r *pulumicli.Result) []string {
	var out []string
	for _, line := range r.Outcomes() {
		if strings.HasPrefix(line, "create ") || strings.HasPrefix(line, "update ") || strings.HasPrefix(line, "same ") {
			out = append(out, line)
		}
	}
	return out
}

// life is a run of a table.
type life struct {
	*testing.T
	table   Table
	proxy   *unlucky.Proxy
	stack   *pulumitest.Stack
	foreign []string // objects on the server before the run
	names   []string // names of the resources
}

// runWithFaults runs a command with faults, and repeats it until it succeeds, at most `most`
// times.
func (l *life) runWithFaults(step string, strikes []Match, most int, command func() (*pulumicli.Result, error)) {
	l.Helper()
	for _, name := range l.names {
		for _, match := range strikes {
			l.proxy.Arm(misfortunes()[name], 1, func(r unlucky.Request) bool { return match(name, r) })
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
			l.Errorf("%s: still failing after %d runs; refreshing", step, runs)
			l.refresh()
		case runs == most+1:
			l.Log(told.String())
			l.Fatalf("%s: still failing after a refresh", step)
		case strings.Contains(strings.Join(r.Errors(), "\n"), "pulumi refresh"):
			l.refresh() // as the message says
		}
	}
	if left := l.proxy.Disarm(); len(left) > 0 {
		l.Errorf("%s: these faults did not happen: %v", step, left)
	}
	l.checkJournal(step)
}

// describe writes the requests and errors of a run.
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

// checkAgreement checks that the server has what the step says, and that a refresh and
// another up change nothing.
func (l *life) checkAgreement(step Step) {
	l.Helper()
	l.checkServer(step.Name, step.Things)
	r, err := l.stack.Project.Up(l.Context(), "--refresh")
	if err == nil {
		err = r.Failure()
	}
	if err != nil {
		l.Fatal(err)
	}
	for _, found := range append(drift(r), changes(r)...) {
		l.Errorf("%s: the state and the server differ: %s", step.Name, found)
	}
}

// drift returns what the refresh of an `up --refresh` found. A new id after an update is not
// drift: Pulumi only records a new id by a refresh.
func drift(r *pulumicli.Result) []string {
	var out []string
	for _, e := range r.Events {
		if e.ResOutputsEvent == nil || e.ResOutputsEvent.Metadata.Op != apitype.OpRefresh {
			continue
		}
		m := e.ResOutputsEvent.Metadata
		if m.New == nil {
			out = append(out, m.URN+" is gone")
		} else if diff := cmp.Diff(visibleOutputs(m.Old.Outputs), visibleOutputs(m.New.Outputs)); diff != "" {
			out = append(out, m.URN+" (-recorded +found):\n"+diff)
		}
	}
	return out
}

// visibleOutputs returns the outputs without internal ones of the engine.
func visibleOutputs(outputs map[string]any) map[string]any {
	outputs = maps.Clone(outputs)
	delete(outputs, "__declprov")
	return outputs
}

// changes returns the steps of a run that changed something.
func changes(r *pulumicli.Result) []string {
	var out []string
	for _, step := range r.Steps() {
		if step.Op != "same" && step.Op != "refresh" {
			out = append(out, step.String())
		}
	}
	return out
}

// checkServer checks that the server has the lines for each name, and the objects from
// before.
func (l *life) checkServer(step string, things []string) {
	l.Helper()
	want := slices.Clone(l.foreign)
	for _, line := range things {
		for _, name := range l.names {
			want = append(want, strings.ReplaceAll(line, Name, name))
		}
	}
	got := slices.DeleteFunc(l.table.Things(l.T), l.isOthers)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s: objects on the server (-want +got):\n%s", step, diff)
	}
}

// isOthers reports whether a line belongs to the life that runs concurrently.
func (l *life) isOthers(line string) bool {
	return slices.ContainsFunc(append(faultNames(), plain), func(name string) bool {
		return strings.Contains(line, name) && !slices.Contains(l.names, name) && !slices.Contains(l.foreign, line)
	})
}

// checkJournal checks that the journal has no open intents.
func (l *life) checkJournal(step string) {
	l.Helper()
	printed, err := provider.Journal(l.T, l.stack.Environment())
	if err != nil {
		l.Fatal(err)
	}
	if len(printed) > 0 {
		l.Errorf("%s: the journal still lists %v", step, printed)
	}
}

// program returns the resources for each name.
func (l *life) program(resources string) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	for _, name := range l.names {
		b.WriteString(strings.ReplaceAll(resources, Name, name))
	}
	return b.String()
}

// Package try plays the life of one resource as Pulumi would: it creates, reads, changes,
// imports and deletes it over the provider protocol, and reports what a user of the provider
// would trip over.
package try

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

// Plan describes a trial.
type Plan struct {
	// Package is the name of the provider, and Resource the resource to try.
	Package  string
	Resource *spec.Resource
	Config   property.Map
	// Settings is the type of Config.
	Settings *spec.Type
	Inputs   property.Map
	// Then are the inputs of the updates, one after the other. Each overrides those before
	// it; a null removes an input.
	Then []property.Map
	// Drift is a shell command that changes the object behind the provider's back, or "".
	// It runs in Dir.
	Drift, Dir string
	// Import is what a user types to import an existing object, which is then only read, or
	// "".
	Import string
	// Keep prevents the resource from being deleted. Overwrite means that the create need not
	// be prevented from changing an object that exists.
	Keep, Overwrite bool
	// LoseNext makes the provider lose the next response to a step with an effect, to try what the
	// next up makes of it, until stop is called. stop reports whether one was lost. nil loses none.
	LoseNext func() (stop func() (lost bool))
	// FindAgain makes the creates that a function asks for only look whether the object exists, and reports whether
	// `find` was asked, and finds one. It is nil for a resource without find.
	FindAgain func(create func()) (asked, found bool)
	// Consistency is how long a deleted object may remain visible.
	Consistency time.Duration
	// ImportID returns what a user types to import an object with an id and inputs, with
	// checked settings. ok is false if these do not determine it, or the resource cannot be
	// imported.
	ImportID func(id string, inputs, settings property.Map) (text string, ok bool)
}

// ErrFailed reports that the trial failed. The failure has been printed.
var ErrFailed = errors.New("the trial failed")

// patience is the time limit for a call after an interrupt, and, in addition to the time for which the server may not show
// an object, for the delete.
const patience = 30 * time.Second

// life is one trial.
type life struct {
	printer
	client   *client.Client
	plan     Plan
	said     *Messages
	resource client.Resource
	// settings are the checked settings of the provider.
	settings property.Map
	// program are the inputs that the program has, checked those that the last check
	// returned for them, and state is the recorded state. exists reports whether there is an
	// object to delete.
	program, checked property.Map
	state            client.State
	exists           bool
	// unseen reports whether a read has not found the object, so that no later one tells whether it is gone.
	unseen bool
	// originals are singletons as they were before the trial, and written the inputs that the trial has sent.
	originals []original
	written   map[string]bool
	// halfway reports whether the create of the resource stopped halfway.
	halfway bool
	// previous are the inputs before the last update.
	previous property.Map
	// reported are the inputs about which there is a finding, with their values in the program.
	reported map[string]property.Value
	// warned reports whether there is a finding about a warning of a refresh.
	warned bool
	// found reports whether there is a finding.
	found bool
}

// Life tries a resource as the plan says, and deletes what it has created, also after a
// failure. It writes the responses to w; said are the messages of the provider. It returns ErrFailed, or the error of the connection.
// If ctx ends, it starts no further call, but waits for the present one: see callContext.
func Life(ctx context.Context, c *client.Client, p Plan, said *Messages, w io.Writer, color bool) (err error) {
	l := &life{
		printer: printer{w: w, color: color}, client: c, plan: p, said: said,
		resource: client.Resource{Type: p.Package + ":index:" + p.Resource.Name, Name: "trial"},
		program:  p.Inputs, written: map[string]bool{}, reported: map[string]property.Value{},
	}
	calls, done := callContext(ctx, c)
	defer done()
	defer func() { err = l.end(ctx, err) }()
	for _, step := range l.steps() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := step(calls); err != nil {
			return err
		}
	}
	return nil
}

// steps returns the steps of the plan, in order.
func (l *life) steps() []func(context.Context) error {
	configure := func(ctx context.Context) (err error) {
		l.settings, err = configure(ctx, l.client, l.plan.Package, l.plan.Settings, l.plan.Config, l.printer)
		return err
	}
	if l.plan.Import != "" {
		return []func(context.Context) error{configure, l.showImport}
	}
	steps := []func(context.Context) error{
		configure,
		func(ctx context.Context) error { return l.check(ctx, property.Map{}) },
		l.create, l.lookAgain, func(ctx context.Context) error { return findCreated(ctx, l) }, l.reimport,
	}
	if l.plan.Drift != "" {
		steps = append(steps, l.drift)
	}
	for _, then := range l.plan.Then {
		steps = append(steps, func(ctx context.Context) error {
			l.program = merge(l.program, then)
			return l.check(ctx, l.state.Inputs)
		}, l.change)
	}
	return steps
}

// callContext returns a context for calls that an interrupt does not end at once. When ctx
// ends, the provider is asked to cancel its calls, as Pulumi does, and has some time to
// return what it has created, so that it can be deleted.
func callContext(ctx context.Context, c *client.Client) (calls context.Context, done func()) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = c.Cancel(calls) // if it fails, the provider has the same time
		select {
		case <-calls.Done():
		case <-time.After(patience):
			cancel()
		}
	})
	return calls, func() {
		stop()
		cancel()
	}
}

// merge overrides values by others; a null removes a value.
func merge(under, over property.Map) property.Map {
	for name, v := range over.All {
		if v.IsNull() {
			under = under.Delete(name)
		} else {
			under = under.Set(name, v)
		}
	}
	return under
}

// configure checks the settings, configures the provider, and returns them with their defaults.
func configure(ctx context.Context, c *client.Client, pkg string, settings *spec.Type, config property.Map, p printer) (property.Map, error) {
	answer, err := c.CheckConfig(ctx, pkg, config)
	if err != nil {
		p.heading("config", "")
		return config, p.fail(err)
	}
	if len(answer.Failures) > 0 {
		p.heading("config", "")
		for i, f := range answer.Failures {
			// The next line is about `pulumi config`.
			answer.Failures[i].Reason, _, _ = strings.Cut(f.Reason, "\n")
		}
		err := p.failures(answer.Failures)
		p.remedySettings(settings, config)
		return config, err
	}
	if answer.Inputs.Len() > 0 {
		p.heading("config", "")
		p.values(answer.Inputs, noteDefaults(config))
	}
	err = c.Configure(ctx, pkg, answer.Inputs)
	var missing *client.MissingKeys
	switch {
	case errors.As(err, &missing):
		for _, key := range missing.Keys {
			p.failure("%s: is required", key.Name)
		}
		p.remedySettings(settings, config)
		return config, ErrFailed
	case err != nil:
		return config, p.fail(err)
	}
	return answer.Inputs, nil
}

// remedySettings says how to set each required setting that is missing.
func (p printer) remedySettings(settings *spec.Type, given property.Map) {
	for _, s := range settings.Fields {
		if v, ok := given.GetOk(s.Name); !s.Required || s.Default != nil || ok && !v.IsNull() {
			continue
		}
		variables := ""
		if len(s.Env) > 0 {
			variables = ", or set the environment variable " + strings.Join(s.Env, " or ")
		}
		p.line("Configure the provider with --config %s=…%s", screen.Exact(s.Name), variables)
	}
}

// check checks the inputs of the program. olds are the inputs that an earlier check returned.
func (l *life) check(ctx context.Context, olds property.Map) error {
	l.heading("check", l.plan.Resource.Name)
	answer, err := l.client.Check(ctx, l.resource, olds, l.program)
	if err != nil {
		return l.fail(err)
	}
	if len(answer.Failures) > 0 {
		return l.failures(answer.Failures)
	}
	l.values(answer.Inputs, noteDefaults(l.program))
	l.checked = answer.Inputs
	for name := range l.checked.All {
		l.written[name] = true
	}
	return nil
}

// noteDefaults returns a function that marks a property as a default if it is not in values.
func noteDefaults(values property.Map) func(string) string {
	return func(name string) string {
		if _, ok := values.GetOk(name); ok {
			return ""
		}
		return "default"
	}
}

// finding reports what a user of the provider would trip over, with a code and a remedy. The
// trial continues.
func (l *life) finding(code, text, remedy string) {
	l.found = true
	l.failure("error[%s]: %s", code, text)
	if remedy != "" {
		l.line("%s", remedy)
	}
}

// end deletes the resource if it exists, also after a failure or an interrupt, and restores what a singleton was.
func (l *life) end(ctx context.Context, err error) error {
	if l.plan.Keep {
		if l.exists {
			l.heading("kept", "id "+showText(l.state.ID))
		}
	} else {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience+l.plan.Consistency)
		defer cancel()
		var failed error
		if l.exists {
			failed = l.delete(patient)
		}
		if failed := errors.Join(failed, restore(patient, l)); failed != nil {
			return failed
		}
	}
	if err == nil && l.found {
		return ErrFailed
	}
	return err
}

// nameOf returns the property that a path begins with.
func nameOf(path string) string {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return path
}

// namesOf returns the properties of a diff, each once.
func namesOf(d client.Diff) []string {
	var names []string
	seen := map[string]bool{}
	paths := slices.Clone(d.Diffs)
	for _, c := range d.Details {
		paths = append(paths, c.Path)
	}
	for _, path := range paths {
		if name := nameOf(path); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func (p printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, "        %s\n", screen.Show(fmt.Sprintf(format, args...), nil))
}

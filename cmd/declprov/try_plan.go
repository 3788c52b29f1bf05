package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/cmd/declprov/internal/try"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// workingFolder returns the absolute path of an existing folder; "" is the current one.
func workingFolder(dir string) (string, error) {
	info, err := os.Stat(cmp.Or(dir, "."))
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return filepath.Abs(dir)
}

// resource returns the resource with a name.
func (t *trial) resource(c *container.Container, p *engine.Program, name string) (*spec.Resource, error) {
	switch {
	case slices.Contains(p.Components(), name):
		return nil, usagef("%s is a component, which only Pulumi can create. Try one of the resources: %s", name, strings.Join(c.ResourceNames(), ", "))
	case !p.HasResource(name) && slices.Contains(p.Functions(), "open"+name):
		return nil, usagef("%s is an ephemeral value (the function open%s), which only a Pulumi program can open", name, name)
	case !p.HasResource(name):
		known := append(slices.Clone(c.ResourceNames()), p.Functions()...)
		return nil, usagef("%s has no resource or function %q. %s", p.Metadata().Name, name, diag.Remedy(name, known))
	}
	return c.Resource(name)
}

// consistencyOf returns how long a deleted object of a resource may remain visible.
func consistencyOf(r *spec.Resource) time.Duration {
	if r.Consistency != nil {
		if d, err := time.ParseDuration(r.Consistency.Text); err == nil { // else it is an expression
			return d
		}
	}
	return defaultConsistency
}

// defaultConsistency is how long a deleted object may remain visible if the spec has no
// `consistency`, or computes it.
const defaultConsistency = 10 * time.Second

// plan reads the values of the command line, by the types that the spec declares.
func (t *trial) plan(p *engine.Program, r *spec.Resource, values []string) (plan try.Plan, err error) {
	if t.o.importing != "" && (len(t.o.then) > 0 || t.o.drift != "" || t.o.keep || t.o.overwrite || t.o.loseResponse) {
		return plan, usagef("--import only reads: it cannot be combined with --then, --drift, --keep, --overwrite and --lose-response")
	}
	if t.o.importing != "" && r.Read == nil {
		return plan, usagef("%s cannot be imported: it has no `read`", r.Name)
	}
	if t.o.drift != "" && r.Read == nil {
		return plan, usagef("%s has no `read`, so a refresh cannot find a change", r.Name)
	}
	if twice := p.MayRunTwice(r.Name); t.o.loseResponse && twice != "" {
		return plan, usagef("%s may be created twice if a response is lost, because %s may run twice: see `at-least-once` of vet", r.Name, twice)
	}
	q, err := t.query(p, r.Name, r.Inputs, values)
	if err != nil {
		return plan, err
	}
	_, types := p.Config()
	if t.o.example != "" {
		if q.Inputs, err = withExample(t.o.example, r, types, q.Inputs); err != nil {
			return plan, err
		}
	}
	plan = try.Plan{
		Package: q.Package, Resource: r, Config: q.Config, Settings: q.Settings, Inputs: q.Inputs, Import: t.o.importing, Drift: t.o.drift,
		Keep: t.o.keep, Overwrite: t.o.overwrite || p.RefusesExisting(r.Name), Consistency: consistencyOf(r),
		ImportID: func(id string, inputs, config property.Map) (string, bool) {
			return p.ImportID(r.Name, id, inputs, config)
		},
	}
	if t.o.loseResponse {
		plan.LoseNext = func() (stop func() (lost bool)) {
			t.lose.Store(true)
			return func() bool { return !t.lose.CompareAndSwap(true, false) }
		}
	}
	if r.Find != nil {
		plan.FindAgain = func(create func()) (asked, found bool) {
			l := &actions.Look{}
			t.look.Store(l)
			defer t.look.Store(nil)
			create()
			return l.Asked, l.Found
		}
	}
	if plan.Dir, err = workingFolder(t.o.dir); err != nil {
		return plan, err
	}
	for _, given := range t.o.then {
		then, err := try.Values(given, r.Inputs, types)
		if err != nil {
			return plan, usageError{err}
		}
		plan.Then = append(plan.Then, then)
	}
	return plan, nil
}

// withExample returns the inputs of an example of a resource, overridden by those given.
func withExample(title string, r *spec.Resource, types spec.Types, given property.Map) (property.Map, error) {
	var titles []string
	for _, e := range r.Examples {
		if e.Title == title {
			inputs, err := try.Example(e, r.Inputs, types)
			if err != nil {
				return given, fmt.Errorf("example %q: %w", title, err)
			}
			for name, v := range given.All {
				inputs = inputs.Set(name, v)
			}
			return inputs, nil
		}
		titles = append(titles, e.Title)
	}
	if len(titles) == 0 {
		return given, usagef("%s has no examples: write one in the spec, examples: %q: {…}", r.Name, title)
	}
	return given, usagef("%s has no example %q. %s", r.Name, title, diag.Remedy(title, titles))
}

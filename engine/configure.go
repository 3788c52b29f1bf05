package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

// Engine is a program with a configuration: what does the work.
type Engine struct {
	program *Program
	// resources are those of the program, with its configuration.
	resources *run.Resources
	getenv    func(string) string
	// leases are the ephemeral values that are open.
	leases leases
}

// Options are what an engine needs beside its configuration.
type Options struct {
	// Dir is the folder of the user's program, absolute: relative paths start
	// there.
	Dir string
	// Getenv reads the environment; nil is process.Variable.
	Getenv func(string) string
	// Journal is the folder where intents are kept; "" is the user's own: see
	// journal.DefaultDir.
	Journal string
}

// MissingKeys is the error of a configuration that lacks what it needs.
type MissingKeys struct{ Keys []MissingKey }

// MissingKey is a required setting, with its documentation.
type MissingKey struct{ Name, Doc string }

func (m *MissingKeys) Error() string {
	names := lists.Map(m.Keys, func(k MissingKey) string { return k.Name })
	return fmt.Sprintf("the provider needs configuration: %s", diag.And(names))
}

// CheckConfig checks the provider's configuration as Check does a resource's
// inputs. Values that the host sends as JSON text are decoded by their type.
// What only the environment gives is not written into it: a host would store it.
func (p *Program) CheckConfig(ctx context.Context, news property.Map) CheckResponse {
	decoded := p.decodeConfig(news)
	f := value.Findings{Context: scope.BeforeSending(ctx)}
	whole := p.withEnv(decoded, process.Variable)
	out := p.ConfigType.Complete(property.New(whole.values), "", &f)
	kept := decoded.values
	for name, value := range out.AsMap().AllStable {
		m := p.ConfigType.ByName[name]
		if _, given := decoded.values.GetOk(name); given || m == nil || len(m.Env) == 0 {
			kept = kept.Set(name, value)
		}
	}
	return CheckResponse{Inputs: kept, Failures: whole.failures(f.List)}
}

// DiffConfig says what a change of configuration means; both are as CheckConfig
// returned them, without the host's own keys. Only settings that the spec marks
// replace resources. A default counts as recorded, as it does in resources: what an import records of a
// provider has none, nor what an earlier version of the spec has left that lacked the setting.
func (p *Program) DiffConfig(olds, news property.Map, ignore []string) DiffResponse {
	d := &value.Differ{}
	was, is := p.decodeConfig(olds).values, p.decodeConfig(news).values
	for _, m := range p.ConfigType.Fields {
		if _, given := is.GetOk(m.Name); given && was.Get(m.Name).IsNull() && !m.Fallback.IsNull() {
			was = was.Set(m.Name, m.Fallback)
		}
	}
	d.CompareObjects(p.ConfigType, was, is, "", false)
	var out DiffResponse
	for _, change := range d.Changes {
		if !value.IsIgnored(change.Path, ignore) {
			out.Changes = append(out.Changes, change)
		}
	}
	out.Changes = value.Shown(out.Changes)
	return out
}

// Configure makes an engine of a program, and runs the spec's `configure`. The
// error is *MissingKeys where required settings are absent.
func (p *Program) Configure(ctx context.Context, config property.Map, opts Options) (*Engine, error) {
	getenv := opts.Getenv
	if getenv == nil {
		getenv = process.Variable
	}
	whole := p.withEnv(p.decodeConfig(config), getenv)
	config = whole.values
	var missing MissingKeys
	for _, m := range p.ConfigType.Fields {
		if v, given := config.GetOk(m.Name); m.Required && m.Default == nil && (!given || v.IsNull()) {
			missing.Keys = append(missing.Keys, MissingKey{Name: m.Name, Doc: m.Doc})
		}
	}
	if missing.Keys != nil {
		return nil, &missing
	}
	f := value.Findings{Context: scope.BeforeSending(ctx)}
	complete := p.ConfigType.Complete(property.New(config), "", &f)
	if wrong := whole.failures(f.List); wrong != nil {
		return nil, fmt.Errorf("the provider's configuration is wrong: %s %s", wrong[0].Path, wrong[0].Reason)
	}
	resources, err := run.New(ctx, p.Program, &p.locks, complete.AsMap(), opts.Dir, journalIn(opts.Journal, getenv))
	if err != nil {
		return nil, err
	}
	return &Engine{program: p, resources: resources, getenv: getenv}, nil
}

// journalIn returns what opens the journal in a folder, once; "" is the user's own.
func journalIn(dir string, getenv func(string) string) func() (*journal.Journal, error) {
	return sync.OnceValues(func() (*journal.Journal, error) {
		if dir != "" {
			return journal.Open(dir), nil
		}
		dir, err := journal.DefaultDir(getenv)
		return journal.Open(dir), err
	})
}

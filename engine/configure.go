package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// Engine is a program with a configuration: what does the work.
type Engine struct {
	program       *Program
	plainConfig   map[string]any
	configSecrets value.Secrets
	// hides masks the configuration's secrets; the masks of operations add theirs.
	hides *screen.Mask
	// session is what `configure` yielded; nil where the spec has none.
	session any
	permits *permit.Permits
	runners runners
	getenv  func(string) string
	// openJournal opens the journal, once.
	openJournal func() (*journal.Journal, error)
	// journalKey is the journal's key, read once.
	journalKey func() ([]byte, error)
	// ownKey is one of this process, in its place where it cannot be read.
	ownKey func() []byte
	// configuration is the configuration without its secrets, as intents record it.
	configuration json.RawMessage
	// settings is the hash of the configuration without its secrets.
	settings string
	// tokens are those of the resources that were made and shown.
	tokens tokens
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
	names := make([]string, len(m.Keys))
	for i, k := range m.Keys {
		names[i] = k.Name
	}
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
// replace resources.
func (p *Program) DiffConfig(olds, news property.Map, ignore []string) DiffResponse {
	d := &value.Differ{}
	d.Object(p.ConfigType, p.decodeConfig(olds).values, p.decodeConfig(news).values, "", false)
	var out DiffResponse
	for _, change := range d.Changes {
		if !value.Ignored(change.Path, ignore) {
			out.Changes = append(out.Changes, change)
		}
	}
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
	e := &Engine{program: p, getenv: getenv, openJournal: openingJournal(opts.Journal, getenv)}
	e.journalKey = sync.OnceValues(func() ([]byte, error) {
		book, err := e.book()
		if err != nil {
			return nil, err
		}
		return book.Key()
	})
	e.ownKey = sync.OnceValue(func() []byte {
		key := make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
		return key
	})
	e.plainConfig = p.ConfigType.PlainMap(complete.AsMap(), []string{"config"}, &e.configSecrets)
	e.hides = screen.NewMask(e.configSecrets.Values)
	e.settings = hashInputs(p.withoutSecrets(complete.AsMap()))
	e.configuration, _ = value.Recordable(p.withoutSecrets(complete.AsMap()))
	var err error
	if e.permits, err = permit.New(ctx, p.Program, e.plainConfig, opts.Dir); err != nil {
		return nil, err
	}
	if p.Session != nil {
		if err := e.openSession(ctx); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// withoutSecrets is a configuration without what is secret in it.
func (p *Program) withoutSecrets(config property.Map) property.Map {
	for name, value := range config.AllStable {
		if m := p.ConfigType.ByName[name]; m == nil || m.Secret || value.HasSecrets() {
			config = config.Delete(name)
		}
	}
	return config
}

package model

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/model/specgen"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// settings are what a provider is configured with.
type settings struct {
	stack, endpoint, tool string
	// journal is the folder of intents, dir that of the user's program.
	journal, dir string
}

func (s settings) properties() property.Map {
	m := map[string]property.Value{"endpoint": property.New(s.endpoint)}
	if s.tool != "" {
		m["tool"] = property.New(s.tool)
	}
	return property.NewMap(m)
}

// configure says hello to a provider, as Pulumi does.
func (s settings) configure(c *client.Client) error {
	c.Stack = s.stack
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Handshake(ctx, ""); err != nil {
		return err
	}
	checked, err := c.CheckConfig(ctx, "model", s.properties())
	if err == nil && len(checked.Failures) > 0 {
		err = fmt.Errorf("configuration: %v", checked.Failures)
	}
	if err != nil {
		return err
	}
	return c.Configure(ctx, "model", checked.Inputs)
}

// inside is a provider in this process.
type inside struct{ c *client.Client }

func (p inside) Client() *client.Client { return p.c }

// Kill does nothing: histories with kills have processes.
func (p inside) Kill() {}

func (p inside) Stop() { _ = p.c.Close() }

// startInside starts providers in this process.
func startInside(spec *specgen.Spec, s settings) func() (Provider, error) {
	return func() (Provider, error) {
		c, err := client.Start(pulumi.Options{
			Program: spec.Program, Version: "0.1.0", Dir: s.dir, Journal: s.journal, Stderr: io.Discard, Stdout: io.Discard,
		})
		if err != nil {
			return nil, err
		}
		if err := s.configure(c); err != nil {
			_ = c.Close()
			return nil, err
		}
		return inside{c}, nil
	}
}

// outside is a provider that is a process.
type outside struct{ *provider.Process }

func (p outside) Client() *client.Client { return p.Process.Client }

// startOutside starts providers as processes, as Pulumi does.
func startOutside(folder string, s settings) func() (Provider, error) {
	return func() (Provider, error) {
		var complaints bytes.Buffer // read once the process has ended
		p, err := provider.Launch(folder, "model", provider.Options{Dir: s.dir, Env: []string{"DECLPROV_JOURNAL=" + s.journal}, Stderr: &complaints})
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, &complaints)
		}
		if err := s.configure(p.Client); err != nil {
			p.Stop()
			return nil, err
		}
		return outside{p}, nil
	}
}

// providerFolder makes the folder of a spec's provider.
func providerFolder(at Place, spec *specgen.Spec) (string, error) {
	folder := filepath.Join(at.Dir, "provider")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return folder, provider.Make(folder, at.Binary, "model", ".json", spec.Text)
}

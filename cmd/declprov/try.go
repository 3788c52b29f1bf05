package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/cmd/declprov/internal/try"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

const tryHelp = `Try makes one resource, looks at it, changes it (--then) and deletes it, by the
same calls over the same protocol as Pulumi, and shows each answer. It acts on the
real world: files are written, servers are called. What it made it deletes again,
also after a failure; --keep leaves it.

Values are key=value, read by the declared type; key=@file, the content of a file
(for an asset, the file itself); or key:=json, for lists and structs. In --then,
key:=null takes an input away.`

const tryExamples = `  declprov try files.cue File path=notes.txt content=hello --then content=bye
  declprov try petstore.cue Pet name=rex 'tags:={"color": "red"}' --config token=@token.txt`

type tryOptions struct {
	then, config []string
	dir          string
	keep         bool
}

// trial is one run of try.
type trial struct {
	*app
	o tryOptions
}

func (a *app) tryCommand() *cobra.Command {
	t := &trial{app: a}
	o := &t.o
	cmd := &cobra.Command{
		Use:     "try SPEC TYPE [KEY=VALUE...]",
		Short:   "Make, change and delete one resource of a spec",
		Long:    tryHelp,
		Example: tryExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%s takes a SPEC and the TYPE of a resource", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: t.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), args[0], args[1], args[2:])
		},
	}
	cmd.Flags().StringArrayVar(&o.then, "then", nil, "update it with these inputs, `key=value`...")
	cmd.Flags().StringArrayVar(&o.config, "config", nil, "configure the provider with `key=value`...")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the program's `folder`, where relative paths start (default: this one)")
	cmd.Flags().BoolVar(&o.keep, "keep", false, "do not delete it in the end")
	a.addTagFlag(cmd)
	return cmd
}

// spreadValues lets flags that take values take several: `--then a=1 b=2` is
// `--then a=1 --then b=2`.
func spreadValues(args []string, flags ...string) []string {
	var out []string
	flag, bare := "", false // bare: the flag has no value yet
	for i, arg := range args {
		isFlag := strings.HasPrefix(arg, "-")
		if isFlag && bare {
			out = append(out, flag)
		}
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case slices.Contains(flags, arg):
			flag, bare = arg, true
		case isFlag:
			flag, bare = "", false
			out = append(out, arg)
		case flag != "":
			bare = false
			out = append(out, flag+"="+arg)
		default:
			out = append(out, arg)
		}
	}
	if bare {
		out = append(out, flag)
	}
	return out
}

func (t *trial) run(ctx context.Context, path, token string, values []string) error {
	c, err := t.compiled(ctx, path)
	if err != nil {
		return err
	}
	defer c.Close()
	p, err := serving.Program(c)
	if err != nil {
		return err
	}
	plan, err := t.plan(c, p, token, values)
	if err != nil {
		return err
	}
	dir, err := workingFolder(t.o.dir)
	if err != nil {
		return err
	}
	serving.Hush()
	host, err := client.StartEngine()
	if err != nil {
		return err
	}
	defer host.Stop()
	color := terminal.Colors(t.out, t.color)
	out := &checkedWriter{w: t.out}
	host.OnLog = try.Message(out, color, terminal.Is(t.out))
	provider, err := client.Start(pulumi.Options{
		Program: p, Version: p.Metadata().Version, Schema: c.Schema, Dir: dir, Stderr: t.err, Debug: t.debug,
	})
	if err != nil {
		return err
	}
	defer provider.Close()
	if err := provider.Handshake(ctx, host.Address()); err != nil {
		return fmt.Errorf("the provider refuses the handshake: %w", err)
	}
	err = try.Life(ctx, provider, plan, out, color)
	if out.err != nil {
		return fmt.Errorf("writing the account: %w", out.err)
	}
	if errors.Is(err, try.ErrFailed) {
		return reported{exitFindings}
	}
	return err
}

// checkedWriter remembers the first error, for an account that goes on where it
// cannot be read: what was made is to be deleted all the same.
type checkedWriter struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.w.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// workingFolder is the absolute path of a folder that is there; "" is this one.
func workingFolder(dir string) (string, error) {
	info, err := os.Stat(cmp.Or(dir, "."))
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", dir)
	}
	return filepath.Abs(dir)
}

// notTried says what a name of the spec stands for that is no resource; "" where
// it is one, or nothing.
func notTried(p *engine.Program, name string) string {
	opener := "open" + name
	switch {
	case p.HasResource(name):
		return ""
	case slices.Contains(p.Functions(), name):
		return "a function"
	case slices.Contains(p.Functions(), opener):
		return "an ephemeral (the function " + opener + ")"
	}
	return ""
}

// settled is how long a deleted object may still be seen: a spec's own `consistency`,
// where it has none.
const settled = 10 * time.Second

// plan reads what is to be tried, by the types that the spec declares.
func (t *trial) plan(c *container.Container, p *engine.Program, token string, values []string) (try.Plan, error) {
	name := token[strings.LastIndex(token, ":")+1:]
	if slices.Contains(p.Components(), name) {
		return try.Plan{}, usagef("%s is a component, which Pulumi makes of its children. Try one of those: %s", name, strings.Join(c.ResourceNames(), ", "))
	}
	if what := notTried(p, name); what != "" {
		return try.Plan{}, usagef("%s is %s, which try does not call: a Pulumi program does. Try makes one of: %s", name, what, strings.Join(c.ResourceNames(), ", "))
	}
	if !p.HasResource(name) {
		return try.Plan{}, usagef("%s has no resource %q. %s", p.Metadata().Name, name, diag.Remedy(name, c.ResourceNames()))
	}
	resource, err := c.Resource(name)
	if err != nil {
		return try.Plan{}, err
	}
	plan := try.Plan{Package: p.Metadata().Name, Type: name, Keep: t.o.keep, HasThen: len(t.o.then) > 0, Reads: resource.Read != nil, Consistency: settled}
	config, types := p.Config()
	for _, given := range []struct {
		into   *property.Map
		values []string
		object *spec.Type
		read   func([]string, *spec.Type, spec.Types) (property.Map, error)
	}{
		{&plan.Inputs, values, resource.Inputs, try.Values},
		{&plan.Then, t.o.then, resource.Inputs, try.Values},
		{&plan.Config, t.o.config, config, try.Settings},
	} {
		if *given.into, err = given.read(given.values, given.object, types); err != nil {
			return try.Plan{}, usage{err}
		}
	}
	return plan, nil
}

// complete completes the spec, then its resource types, then their inputs.
func (t *trial) complete(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeSpecs(cmd, args, prefix)
	}
	c, err := t.builder().Open(cmd.Context(), t.specOf(args[0]))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer c.Close()
	if len(args) == 1 {
		return c.ResourceNames(), cobra.ShellCompDirectiveNoFileComp
	}
	resource, err := c.Resource(args[1])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var keys []string
	for _, field := range resource.Inputs.FieldNames() {
		keys = append(keys, field+"=")
	}
	return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

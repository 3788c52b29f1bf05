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

const tryHelp = `Try creates one resource, reads it, changes it (--then) and deletes it, with the
same calls over the same protocol as Pulumi, and prints each response. The effects
are real: it writes files and sends requests. It deletes what it created, also
after a failure, unless --keep is set.

Write values as key=value, which is converted to the declared type; key=@file, for
the content of a file (for an asset, the file itself); or key:=json, for lists and
structs. In --then, key:=null removes an input.`

const tryExamples = `  declprov try files.cue File path=notes.txt content=hello --then content=bye
  declprov try petstore.cue Pet name=rex 'tags:={"color": "red"}' --config token=@token.txt`

type tryOptions struct {
	then, config []string
	dir          string
	keep         bool
}

// trial is one run of the try command.
type trial struct {
	*app
	o tryOptions
}

func (a *app) tryCommand() *cobra.Command {
	t := &trial{app: a}
	o := &t.o
	cmd := &cobra.Command{
		Use:     "try SPEC TYPE [KEY=VALUE...]",
		Short:   "Create, change and delete one resource of a spec",
		Long:    tryHelp,
		Example: tryExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%s requires a SPEC and the TYPE of a resource", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: t.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), args[0], args[1], args[2:])
		},
	}
	cmd.Flags().StringArrayVar(&o.then, "then", nil, "update the resource with these inputs, `key=value`...")
	cmd.Flags().StringArrayVar(&o.config, "config", nil, "configure the provider with `key=value`...")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the program's `folder`, where relative paths start (default: the current folder)")
	cmd.Flags().BoolVar(&o.keep, "keep", false, "do not delete the resource at the end")
	a.addTagFlag(cmd)
	return cmd
}

// spreadValues repeats the given flags for each of their values: it converts
// `--then a=1 b=2` to `--then a=1 --then b=2`.
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
	c, err := t.loadCompiled(ctx, path)
	if err != nil {
		return err
	}
	defer c.Close()
	p, err := tool().Program(c)
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
	serving.DiscardStandardLog()
	host, err := client.StartEngine()
	if err != nil {
		return err
	}
	defer host.Stop()
	color := terminal.Colors(t.out, t.color)
	out := &checkedWriter{w: t.out}
	host.OnLog = try.Message(out, color, terminal.IsTerminal(t.out))
	provider, err := client.Start(pulumi.Options{
		Program: p, Version: p.Metadata().Version, Schema: c.Schema, Dir: dir, Stderr: t.err, Debug: t.debug,
	})
	if err != nil {
		return err
	}
	defer provider.Close()
	if err := provider.Handshake(ctx, host.Address()); err != nil {
		return fmt.Errorf("the provider refused the handshake: %w", err)
	}
	err = try.Life(ctx, provider, plan, out, color)
	if out.err != nil {
		return fmt.Errorf("writing the output: %w", out.err)
	}
	if errors.Is(err, try.ErrFailed) {
		return reportedError{exitFindings}
	}
	return err
}

// checkedWriter records the first error. The trial continues after it, to delete the
// resource that it has created.
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

// describeOther returns what the spec declares under a name, if that is not a resource.
// It returns "" for a resource and for a name that is not declared.
func describeOther(p *engine.Program, name string) string {
	opener := "open" + name
	switch {
	case p.HasResource(name):
		return ""
	case slices.Contains(p.Functions(), name):
		return "a function"
	case slices.Contains(p.Functions(), opener):
		return "an ephemeral value (the function " + opener + ")"
	}
	return ""
}

// defaultConsistency is how long a deleted object may remain visible if the spec has no
// `consistency`.
const defaultConsistency = 10 * time.Second

// plan reads the values of the command line, by the types that the spec declares.
func (t *trial) plan(c *container.Container, p *engine.Program, token string, values []string) (try.Plan, error) {
	name := token[strings.LastIndex(token, ":")+1:]
	if slices.Contains(p.Components(), name) {
		return try.Plan{}, usagef("%s is a component, which only Pulumi can create. Try one of the resources: %s", name, strings.Join(c.ResourceNames(), ", "))
	}
	if what := describeOther(p, name); what != "" {
		return try.Plan{}, usagef("%s is %s, which only a Pulumi program can call. Try one of the resources: %s", name, what, strings.Join(c.ResourceNames(), ", "))
	}
	if !p.HasResource(name) {
		return try.Plan{}, usagef("%s has no resource %q. %s", p.Metadata().Name, name, diag.Remedy(name, c.ResourceNames()))
	}
	resource, err := c.Resource(name)
	if err != nil {
		return try.Plan{}, err
	}
	plan := try.Plan{Package: p.Metadata().Name, Type: name, Keep: t.o.keep, HasThen: len(t.o.then) > 0, Reads: resource.Read != nil, Consistency: defaultConsistency}
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
			return try.Plan{}, usageError{err}
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

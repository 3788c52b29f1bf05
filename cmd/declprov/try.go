package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/cmd/declprov/internal/try"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/lists"
)

const tryHelp = `Try plays the life of one resource with the same calls over the same protocol as
Pulumi, and prints each response. It previews and creates the resource, reads and
imports it, applies the changes of each --then, deletes it, and verifies that it is
gone. After each change it verifies that another up, before or after a refresh,
would change nothing. It exits with 1 if a call fails, or if a user of the provider
would trip over something; each such finding has a code, and says what to write.

The effects are real: it writes files and sends requests. It deletes what it
created, also after a failure, unless --keep is set, and nothing else. What a
resource without delete leaves behind, it names.

Write values as key=value, which is converted to the declared type; key=@file, for
the content of a file (for an asset, the file itself); or key:=json, for lists and
structs. In --then, key:=null removes an input. Each --then is an update of its own,
and keeps the values of those before it. All values that follow a --then belong to
it: --then size=5 note=x is one update.

With --example, the values are those of an example in the spec.

With the name of a function instead of a resource, try calls it and prints what it
returns.`

const tryExamples = `  declprov try files.cue File path=notes.txt content=hello --then content=bye --then mode=0600
  declprov try petstore.cue Pet name=rex 'tags:={"color": "red"}' --config token=@token.txt
  declprov try files.cue File path=notes.txt content=hello --drift 'echo changed > "$ID"'
  declprov try files.cue File --example "A text file" --then content=bye
  declprov try files.cue File --import notes.txt
  declprov try petstore.cue Pet --list
  declprov try petstore.cue getPet name=rex`

type tryOptions struct {
	then                  thenValues
	config                []string
	dir, drift, importing string
	example               string
	keep, overwrite, list bool
	trace, loseResponse   bool
}

// trial is one run of the try command.
type trial struct {
	*app
	o tryOptions
	// messages are those of the provider, once it runs.
	messages *try.Messages
	// lose is true if the next response is lost. look is that of the next create, if it only looks.
	lose atomic.Bool
	look atomic.Pointer[actions.Look]
}

func tryCommand(a *app) *cobra.Command {
	t := &trial{app: a}
	o := &t.o
	cmd := &cobra.Command{
		Use:     "try SPEC NAME [KEY=VALUE...]",
		Short:   "Play the life of one resource, or call a function",
		Long:    tryHelp,
		Example: tryExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%s requires a SPEC and the NAME of a resource or function", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: t.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), args[0], args[1], args[2:])
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.then, "then", "then update the resource with `key=value`... (repeatable)")
	flags.Var(alsoValues{&o.then}, alsoFlag, "a further value of the last --then")
	flags.Lookup(alsoFlag).Hidden = true
	flags.StringArrayVar(&o.config, "config", nil, "configure the provider with `key=value`...")
	flags.StringVar(&o.example, "example", "", "use the values of the example with this `title` in the spec; KEY=VALUE overrides them")
	flags.StringVar(&o.drift, "drift", "", "run this shell `command`, which changes the object of $ID, and verify that a refresh shows the change and the next up undoes it")
	flags.StringVar(&o.importing, "import", "", "only read the existing object with this import `ID`, and show the inputs that a program for it has")
	flags.BoolVar(&o.list, "list", false, "list the existing resources of the type; the values are the inputs of the list")
	flags.StringVar(&o.dir, "dir", "", "the program's `folder`, where relative paths start (default: the current folder)")
	flags.BoolVar(&o.keep, "keep", false, "do not delete the resource at the end")
	flags.BoolVar(&o.loseResponse, "lose-response", false, "lose the response to the create, and verify that the next up finds the object")
	flags.BoolVar(&o.trace, "trace", false, "write each request, command and file operation to standard error, as it happens")
	flags.BoolVar(&o.overwrite, "overwrite", false, "create over an object with the same id, which is deleted at the end")
	a.addTagFlag(cmd)
	if err := cmd.RegisterFlagCompletionFunc("example", t.completeExample); err != nil {
		panic(err)
	}
	return cmd
}

// thenValues are the values of each --then.
type thenValues [][]string

func (v *thenValues) Set(text string) error {
	*v = append(*v, []string{text})
	return nil
}

func (v *thenValues) String() string { return "" }
func (v *thenValues) Type() string   { return "key=value" }

// alsoFlag is the hidden flag for the second and further values of a --then; see spreadValues.
const alsoFlag = "also"

// alsoValues adds values to the last --then.
type alsoValues struct{ *thenValues }

func (v alsoValues) Set(text string) error {
	last := len(*v.thenValues) - 1
	if last < 0 {
		return fmt.Errorf("there is no --then before it")
	}
	(*v.thenValues)[last] = append((*v.thenValues)[last], text)
	return nil
}

// spreadValues gives each value of the given flags a flag of its own: it converts
// `--config a=1 b=2` to `--config=a=1 --config=b=2`. Values after the first get the flag that
// flags names for that.
func spreadValues(args []string, flags map[string]string) []string {
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
		case flags[arg] != "":
			flag, bare = arg, true
		case isFlag:
			flag, bare = "", false
			out = append(out, arg)
		case flag != "":
			out = append(out, flag+"="+arg)
			flag, bare = cmp.Or(flags[flag], flag), false
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
	play, err := t.player(c, p, token, values)
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
	t.messages = try.NewMessages(out, color, terminal.IsTerminal(t.out))
	host.OnLog = t.messages.Show
	dir, err := workingFolder(t.o.dir)
	if err != nil {
		return err
	}
	provider, err := client.Start(pulumi.Options{
		Program: p, Version: p.Metadata().Version, Schema: c.Schema, Dir: dir, Stderr: t.err, Debug: t.debug, Trace: t.tracer(),
		Lose: func() bool { return t.lose.CompareAndSwap(true, false) },
		Look: t.look.Load,
	})
	if err != nil {
		return err
	}
	defer provider.Close()
	if err := provider.Handshake(ctx, host.Address()); err != nil {
		return fmt.Errorf("the provider refused the handshake: %w", err)
	}
	err = play(ctx, provider, out, color)
	if out.err != nil {
		return fmt.Errorf("writing the output: %w", out.err)
	}
	if errors.Is(err, try.ErrFailed) {
		return reportedError{exitFindings}
	}
	return err
}

// tracer returns a function that writes what the provider does to standard error, or nil.
func (t *trial) tracer() func(actions.Event) {
	if !t.o.trace {
		return nil
	}
	var mu sync.Mutex
	return func(e actions.Event) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(t.err, "%s: %s -> %s (%s)\n", e.Step, e.What, e.How, e.Took.Round(100*time.Microsecond))
	}
}

// player is what a trial does with the provider.
type player func(ctx context.Context, c *client.Client, w io.Writer, color bool) error

// player returns what the command line asks for.
func (t *trial) player(c *container.Container, p *engine.Program, token string, values []string) (player, error) {
	name := token[strings.LastIndex(token, ":")+1:]
	if slices.Contains(p.Functions(), name) {
		return t.functionPlayer(p, name, values)
	}
	resource, err := t.resource(c, p, name)
	if err != nil {
		return nil, err
	}
	if t.o.list {
		return t.listPlayer(p, resource, values)
	}
	plan, err := t.plan(p, resource, values)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c *client.Client, w io.Writer, color bool) error {
		return try.Life(ctx, c, plan, t.messages, w, color)
	}, nil
}

// functionPlayer returns the call of a function.
func (t *trial) functionPlayer(p *engine.Program, name string, values []string) (player, error) {
	f, err := p.Function(name)
	if err != nil {
		return nil, err
	}
	if f.Ephemeral != nil {
		return nil, usagef("%s is an ephemeral value, which only a Pulumi program can open", f.Ephemeral.Name)
	}
	if t.o.isLife() || t.o.list {
		return nil, usagef("%s is a function: it takes only its inputs, --config and --dir", name)
	}
	q, err := t.query(p, name, f.Spec.Inputs, values)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c *client.Client, w io.Writer, color bool) error {
		return try.Call(ctx, c, q, w, color)
	}, nil
}

// listPlayer returns the list of a resource.
func (t *trial) listPlayer(p *engine.Program, r *spec.Resource, values []string) (player, error) {
	if r.List == nil {
		return nil, usagef("%s has no `list`", r.Name)
	}
	if t.o.isLife() {
		return nil, usagef("--list takes only the inputs of the list, --config and --dir")
	}
	q, err := t.query(p, r.Name, r.List.Inputs, values)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c *client.Client, w io.Writer, color bool) error {
		return try.List(ctx, c, q, w, color)
	}, nil
}

// isLife reports whether an option is given that only the life of a resource has.
func (o tryOptions) isLife() bool {
	return len(o.then) > 0 || o.drift != "" || o.importing != "" || o.keep || o.overwrite || o.loseResponse || o.example != ""
}

func (t *trial) query(p *engine.Program, name string, inputs *spec.Type, values []string) (q try.Query, err error) {
	config, types := p.Config()
	q = try.Query{Package: p.Metadata().Name, Name: name, Settings: config}
	if q.Inputs, err = try.Values(values, inputs, types); err != nil {
		return q, usageError{err}
	}
	if q.Config, err = try.Settings(t.o.config, config, types); err != nil {
		return q, usageError{err}
	}
	return q, nil
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

// completeExample completes the title of an example of the resource that was named.
func (t *trial) completeExample(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) < 2 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := t.builder().Open(cmd.Context(), t.specOf(args[0]))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer c.Close()
	resource, err := c.Resource(args[1])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	titles := lists.Map(resource.Examples, func(e *spec.Example) string { return e.Title })
	return titles, cobra.ShellCompDirectiveNoFileComp
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
	keys := lists.Map(resource.Inputs.FieldNames(), func(field string) string { return field + "=" })
	return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/cmd/declprov/internal/try"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/screen"
)

const settleHelp = `Settle finds what open entries of the journal made, by the find of their spec, and
shows it: type, name, id, and how it was found. It changes nothing: the next
"pulumi up" takes over what it finds.

With --delete, what is found is deleted, and the entry closed; so is one of which
nothing is found. Settle asks first on a terminal; --yes does not ask. What may be
somebody else's (nobody had looked before the request was sent) is deleted only if
you name its KEY, and what does not hold what was sent is not deleted at all.

Without KEY, these are all open entries; a KEY may also be of one that failed or
was answered. What Pulumi was told of ("handed") is shown, and not deleted. The spec is that of the installed provider, or --spec. Its
configuration is the recorded one, without secrets: give those by --config, or by
the variables that the spec names. Secret inputs are not recorded, either: give
those that find or delete needs by --input.`

const settleExamples = `  declprov journal settle --stack dev
  declprov journal settle --delete KEY --spec petstore.cue --config token=@token.txt`

type settleOptions struct {
	spec, dir     string
	config, input []string
	delete, yes   bool
}

func (j *journalCommands) settleCommand() *cobra.Command {
	var o settleOptions
	cmd := &cobra.Command{
		Use:               "settle [KEY...]",
		Short:             "Find what open entries made, and delete it",
		Long:              settleHelp,
		Example:           settleExamples,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.delete && !o.yes && !terminal.Is(j.in) {
				return usagef("--delete asks before it deletes, and the standard input is not a terminal: add --yes")
			}
			return j.settle(cmd.Context(), args, o)
		},
	}
	cmd.Flags().StringVar(&o.spec, "spec", "", "the `SPEC` of the provider (default: the installed one)")
	cmd.Flags().StringArrayVar(&o.config, "config", nil, "configure the provider with `key=value`...")
	cmd.Flags().StringArrayVar(&o.input, "input", nil, "inputs that were not recorded, `key=value`...")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the program's `folder`, where relative paths start (default: this one)")
	cmd.Flags().BoolVar(&o.delete, "delete", false, "delete what is found")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "delete without asking")
	j.addTagFlag(cmd)
	return cmd
}

// settler settles entries, with the specs that it has opened.
type settler struct {
	*app
	o      settleOptions
	book   *journal.Journal
	dir    string
	opened map[string]openedSpec // by provider
}

type openedSpec struct {
	container *container.Container
	program   *engine.Program
	err       error
}

func (j *journalCommands) settle(ctx context.Context, keys []string, o settleOptions) error {
	book, intents, err := j.read()
	if err != nil {
		return err
	}
	defer book.Close()
	dir, err := workingFolder(o.dir)
	if err != nil {
		return err
	}
	serving.Hush()
	s := &settler{app: j.app, o: o, book: book, dir: dir, opened: map[string]openedSpec{}}
	defer s.close()
	of := ""
	if o.spec != "" {
		if of, err = s.openGiven(ctx); err != nil {
			return err
		}
	}
	chosen, err := s.choose(slices.DeleteFunc(intents, j.filter.excludes), keys, of)
	if err != nil {
		return failed{err}
	}
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(j.out, "Nothing is open.")
		return err
	}
	unsettled := 0
	for _, i := range chosen {
		if err := s.one(ctx, i, slices.Contains(keys, i.Key)); err != nil {
			if ctx.Err() != nil {
				return err
			}
			unsettled++
			fmt.Fprintf(j.err, "declprov: %s %s: %v\n", i.Key, describeIntent(i), screen.Show(err.Error(), nil))
		}
	}
	if unsettled > 0 {
		return reported{exitFindings}
	}
	return nil
}

// choose returns the entries with these keys, or without keys all that are open. Of is the
// only provider whose entries may be chosen, or "".
func (s *settler) choose(intents []journal.Intent, keys []string, of string) ([]journal.Intent, error) {
	if len(keys) == 0 {
		return slices.DeleteFunc(intents, func(i journal.Intent) bool { return !i.Open() || of != "" && i.Provider != of }), nil
	}
	var chosen []journal.Intent
	for _, key := range keys {
		i, err := intentOf(intents, key)
		if err == nil {
			err = underWay(i)
		}
		if err == nil && of != "" && i.Provider != of {
			err = fmt.Errorf("%s is of the provider %q, and %s describes %q", key, i.Provider, s.o.spec, of)
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
}

// one settles one entry; named reports that its key was given.
func (s *settler) one(ctx context.Context, i journal.Intent, named bool) error {
	opened := s.open(ctx, i.Provider)
	if opened.err != nil {
		return opened.err
	}
	e, inputs, err := s.configure(ctx, opened, i)
	if err != nil {
		return err
	}
	// Nobody else is to send it again meanwhile.
	claimed, err := s.book.Claim(i)
	if err != nil {
		return err
	}
	closed, err := s.settleClaimed(ctx, e, engine.SettleRequest{Intent: i, Inputs: inputs, Log: settleLog{s.app}}, named)
	if closed {
		return errors.Join(err, s.book.Settle(i.Subject, func(o journal.Intent) bool {
			return o.Key == i.Key || o.Accompanies(i) && o.ID != "" && o.ID == i.ID // of what is gone
		}))
	}
	claimed.Status = i.Status
	if claimed.Status == journal.Begun {
		claimed.Status, claimed.Error = journal.Unknown, whyOf(i)
	}
	return errors.Join(err, s.book.Put(claimed, true))
}

// settleClaimed looks for what an entry made, and deletes it with --delete. It
// reports whether the entry is over.
func (s *settler) settleClaimed(ctx context.Context, e *engine.Engine, req engine.SettleRequest, named bool) (closed bool, err error) {
	i := req.Intent
	found, err := e.Settle(ctx, req)
	switch {
	case err != nil:
		return false, settleRemedy(i, err)
	case found.Early:
		return false, s.say(i, "nothing was found, and it was sent so recently that it may still appear: settle it again in a moment")
	case !found.Found && i.Operation == journal.Update:
		return false, s.say(i, "nothing was found; the next `pulumi up` settles it")
	case !found.Found && !s.o.delete:
		return false, s.say(i, "nothing was found; --delete closes the entry")
	case !found.Found:
		return true, s.say(i, "nothing was found; the entry is closed")
	}
	if err := s.say(i, fmt.Sprintf("found by %s: id %q", found.By, printable(found.ID))); err != nil {
		return false, err
	}
	foreign := found.By == "find" && !i.Looked
	handed := &engine.HandedError{Key: i.Key}
	switch {
	case i.Status == journal.Handed && !s.o.delete:
		return false, s.explain(handed.Error())
	case i.Status == journal.Handed:
		return false, fmt.Errorf("it is not deleted: %w", handed)
	case found.Doubt != "" && !s.o.delete:
		return false, s.explain(fmt.Sprintf("It is not what that create has made: %s. If you know better, import it.", found.Doubt))
	case found.Doubt != "":
		return false, fmt.Errorf("it is not deleted, because that create has not made it: %s. If you know better, delete it in the service; "+
			"then: declprov journal forget %s", found.Doubt, i.Key)
	case !s.o.delete && foreign:
		return false, s.explain("It may be somebody else's: nobody had looked before the request was sent.")
	case !s.o.delete:
		return false, s.explain("The next `pulumi up` takes it over; --delete deletes it.")
	case foreign && !named:
		return false, fmt.Errorf("it is not deleted, because it may be somebody else's: nobody had looked before the request was sent. "+
			"If it is yours, name it: declprov journal settle --delete %s", i.Key)
	}
	if foreign {
		if err := s.explain("It may be somebody else's: nobody had looked before the request was sent."); err != nil {
			return false, err
		}
	}
	if !s.agreed() {
		return false, s.explain("It was not deleted.")
	}
	req.Delete = true
	found, err = e.Settle(ctx, req)
	if err != nil {
		return false, settleRemedy(i, err)
	}
	if !found.Found {
		return true, s.explain("It is gone; the entry is closed.")
	}
	return true, s.explain("Deleted; the entry is closed.")
}

// settleRemedy adds what a person can do.
func settleRemedy(i journal.Intent, err error) error {
	var withheld *engine.WithheldError
	switch {
	case errors.Is(err, engine.ErrNoFind):
		return fmt.Errorf("nothing can look for what it made: %w. Look in the service. If it is there and not wanted, delete it there; "+
			"if it is wanted, take it over with `pulumi import`. Then: declprov journal forget %s", err, i.Key)
	case errors.As(err, &withheld):
		flags := ""
		for _, name := range withheld.Inputs {
			flags += fmt.Sprintf(" --input %s=…", name)
		}
		return fmt.Errorf("%w: add%s", err, flags)
	default:
		return err
	}
}

func (s *settler) say(i journal.Intent, text string) error {
	_, err := fmt.Fprintf(s.out, "%s: %s\n", describeIntent(i), text)
	return err
}

func (s *settler) explain(text string) error {
	_, err := fmt.Fprintf(s.out, "  %s\n", text)
	return err
}

// agreed asks whether to delete.
func (s *settler) agreed() bool {
	if s.o.yes {
		return true
	}
	fmt.Fprint(s.out, "  Delete it? [y/N] ")
	line := bufio.NewScanner(s.in)
	line.Scan()
	answer := strings.ToLower(strings.TrimSpace(line.Text()))
	return answer == "y" || answer == "yes"
}

// openGiven opens the spec that --spec names, and returns its provider's name.
func (s *settler) openGiven(ctx context.Context) (string, error) {
	c, err := s.openSpec(ctx, s.o.spec)
	if err != nil {
		return "", err
	}
	p, err := serving.Program(c)
	if err != nil {
		return "", err
	}
	name := p.Metadata().Name
	s.opened[name] = openedSpec{container: c, program: p}
	return name, nil
}

// open opens the spec of an installed provider.
func (s *settler) open(ctx context.Context, provider string) openedSpec {
	opened, ok := s.opened[provider]
	if ok {
		return opened
	}
	var path string
	if path, opened.err = installedSpec(provider); opened.err == nil {
		opened.container, opened.err = s.openSpec(ctx, path)
	}
	if opened.err == nil {
		opened.program, opened.err = serving.Program(opened.container)
	}
	s.opened[provider] = opened
	return opened
}

func (s *settler) openSpec(ctx context.Context, path string) (*container.Container, error) {
	if filepath.Ext(path) == door.CompiledExt {
		return container.OpenFile(path)
	}
	return s.compiled(ctx, path)
}

// installedSpec finds the spec of an installed provider.
func installedSpec(provider string) (string, error) {
	plugins, err := install.Plugins()
	if err != nil {
		return "", err
	}
	folders := install.Folders(plugins, provider)
	switch len(folders) {
	case 0:
		return "", fmt.Errorf("the provider %q is not installed by declprov in %s: name its spec with --spec", provider, plugins)
	case 1:
		return door.SpecIn(folders[0], provider)
	default:
		return "", fmt.Errorf("several versions of the provider %q are installed: name the spec of one with --spec: %s", provider, strings.Join(folders, ", "))
	}
}

// configure makes an engine with the configuration of an entry, and reads the
// inputs that were added.
func (s *settler) configure(ctx context.Context, opened openedSpec, i journal.Intent) (*engine.Engine, property.Map, error) {
	p := opened.program
	if !p.HasResource(i.Type) {
		return nil, property.Map{}, fmt.Errorf("the spec has no resource %q any more: settle it with the spec that it was created by", i.Type)
	}
	object, types := p.Config()
	given, err := try.Settings(s.o.config, object, types)
	if err != nil {
		return nil, property.Map{}, fmt.Errorf("--config: %w", err)
	}
	resource, err := opened.container.Resource(i.Type)
	if err != nil {
		return nil, property.Map{}, err
	}
	inputs, err := try.Values(s.o.input, resource.Inputs, types)
	if err != nil {
		return nil, property.Map{}, fmt.Errorf("--input: %w", err)
	}
	config, err := p.RecordedConfig(i)
	if err != nil {
		return nil, property.Map{}, err
	}
	for name, v := range given.AllStable {
		config = config.Set(name, v)
	}
	e, err := p.Configure(ctx, config, engine.Options{Dir: s.dir, Getenv: os.Getenv})
	var missing *engine.MissingKeys
	if errors.As(err, &missing) {
		flags := ""
		for _, key := range missing.Keys {
			flags += fmt.Sprintf(" --config %s=…", key.Name)
		}
		return nil, inputs, fmt.Errorf("%w (secrets are not recorded): add%s", err, flags)
	}
	return e, inputs, err
}

func (s *settler) close() {
	for _, opened := range s.opened {
		if opened.container != nil {
			_ = opened.container.Close()
		}
	}
}

// settleLog shows what the engine says.
type settleLog struct{ *app }

func (l settleLog) Message(severity engine.Severity, text screen.Text) {
	if severity >= engine.Warning || l.debug {
		fmt.Fprintf(l.err, "declprov: %s\n", text)
	}
}

func (l settleLog) Status(screen.Text) {}

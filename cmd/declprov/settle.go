package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/cmd/declprov/internal/try"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/screen"
)

const settleHelp = `Settle finds the objects that open entries of the journal have created, with the
find of the spec. It prints their type, name and id, and how they were found. It
changes nothing: the next "pulumi up" adopts these objects. An update is settled
by the next "pulumi up" or "pulumi refresh" of its resource.

--delete deletes the objects, and closes the entries. It also closes entries
without an object. Settle asks for confirmation, unless --yes is set.
- If find did not run before the request was sent, the object may belong to
  somebody else. It is only deleted if you specify its KEY.
- An object that does not have the values that were sent is never deleted.
- An object whose state Pulumi has received ("handed") is never deleted.

Without KEY, settle processes all open entries. A KEY may also belong to a failed
or answered entry. The spec is that of the installed provider, or --spec.

The configuration and inputs were recorded without secrets. Set secret settings
with --config, or with the environment variables that the spec names. Set the
secret inputs that find or delete requires with --input.`

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
		Short:             "Find the objects of open entries, and delete them",
		Long:              settleHelp,
		Example:           settleExamples,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.delete && !o.yes && !terminal.IsTerminal(j.in) {
				return usagef("--delete requires confirmation, and standard input is not a terminal: add --yes")
			}
			return j.settle(cmd.Context(), args, o)
		},
	}
	cmd.Flags().StringVar(&o.spec, "spec", "", "the `SPEC` of the provider (default: the installed one)")
	cmd.Flags().StringArrayVar(&o.config, "config", nil, "configure the provider with `key=value`...")
	cmd.Flags().StringArrayVar(&o.input, "input", nil, "set inputs that were not recorded, `key=value`...")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the program's `folder`, where relative paths start (default: the current folder)")
	cmd.Flags().BoolVar(&o.delete, "delete", false, "delete the objects that are found")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "delete without asking")
	j.addTagFlag(cmd)
	return cmd
}

// settler settles entries, and caches the specs that it has opened.
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
	serving.DiscardStandardLog()
	s := &settler{app: j.app, o: o, book: book, dir: dir, opened: map[string]openedSpec{}}
	defer s.close()
	of := ""
	if o.spec != "" {
		if of, err = s.openSpecFlag(ctx); err != nil {
			return err
		}
	}
	chosen, err := s.choose(slices.DeleteFunc(intents, j.filter.excludes), keys, of)
	if err != nil {
		return failedError{err}
	}
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(j.out, "Nothing is open.")
		return err
	}
	unsettled := 0
	for _, i := range chosen {
		if err := s.settleEntry(ctx, i, slices.Contains(keys, i.Key)); err != nil {
			if ctx.Err() != nil {
				return err
			}
			unsettled++
			fmt.Fprintf(j.err, "declprov: %s %s: %v\n", i.Key, describeIntent(i), screen.Show(err.Error(), nil))
		}
	}
	if unsettled > 0 {
		return reportedError{exitFindings}
	}
	return nil
}

// choose returns the entries with these keys, or without keys all that are open. Of is the
// only provider whose entries may be chosen, or "".
func (s *settler) choose(intents []journal.Intent, keys []string, of string) ([]journal.Intent, error) {
	if len(keys) == 0 {
		return journal.Distinct(slices.DeleteFunc(intents, func(i journal.Intent) bool { return !i.IsUnsettled() || of != "" && i.Provider != of })), nil
	}
	var chosen []journal.Intent
	for _, key := range keys {
		i, err := findIntent(intents, key)
		if err == nil {
			err = checkNotUnderWay(i)
		}
		if err == nil && of != "" && i.Provider != of {
			err = fmt.Errorf("%s belongs to the provider %q, and %s is the spec of %q", key, i.Provider, s.o.spec, of)
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
}

// settleEntry settles settleEntry entry; named reports that its key was given.
func (s *settler) settleEntry(ctx context.Context, i journal.Intent, named bool) error {
	opened := s.open(ctx, i.Provider)
	if opened.err != nil {
		return opened.err
	}
	e, inputs, err := s.configure(ctx, opened, i)
	if err != nil {
		return err
	}
	// The claim prevents other processes from sending the request again.
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
	claimed.Status, claimed.Ongoing = i.Status, i.IsInterrupted()
	if claimed.Status == journal.Begun {
		claimed.Status, claimed.Error = journal.Unknown, reasonOf(i)
	}
	return errors.Join(err, s.book.Put(claimed, true))
}

// settleClaimed looks for the object of an entry, and with --delete deletes it. It
// reports whether the entry can be closed.
func (s *settler) settleClaimed(ctx context.Context, e *engine.Engine, req engine.SettleRequest, named bool) (closed bool, err error) {
	i := req.Intent
	found, err := e.Settle(ctx, req)
	var unfinished *engine.UnfinishedDeleteError
	switch {
	case errors.As(err, &unfinished):
		return false, s.printEntry(i, unfinished.Error())
	case err != nil:
		return false, settleRemedy(i, err)
	case found.Early:
		return false, s.printEntry(i, "nothing was found, but the request was sent recently, and the object may still appear: run settle again in a moment")
	case !found.Found && i.Operation == journal.Update:
		return false, s.printEntry(i, "nothing was found. "+updateRemedy(i))
	case !found.Found && !s.o.delete:
		return false, s.printEntry(i, "nothing was found; --delete closes the entry")
	case !found.Found:
		return true, s.printEntry(i, "nothing was found; the entry is closed")
	}
	if err := s.printEntry(i, fmt.Sprintf("found by %s: id %q", found.By, printable(found.ID))); err != nil {
		return false, err
	}
	foreign := found.By == "find" && !i.Looked
	handed := &engine.HandedError{Key: i.Key}
	switch {
	case i.Status == journal.Handed && !s.o.delete:
		return false, s.printDetail(handed.Error())
	case i.Status == journal.Handed:
		return false, fmt.Errorf("the object is not deleted: %w", handed)
	case found.Doubt != "" && !s.o.delete:
		return false, s.printDetail(fmt.Sprintf("It is not the object of that create: %s. If it is yours, import it.", found.Doubt))
	case found.Doubt != "":
		return false, fmt.Errorf("the object is not deleted, because it is not that of the create: %s. If it is yours, delete it in the service; "+
			"then run `declprov journal forget %s`", found.Doubt, i.Key)
	case i.Operation == journal.Update:
		return false, s.printDetail(updateRemedy(i))
	case !s.o.delete && foreign:
		return false, s.printDetail("It may belong to somebody else: find did not run before the request was sent.")
	case !s.o.delete:
		return false, s.printDetail("The next `pulumi up` adopts it; --delete deletes it.")
	case foreign && !named:
		return false, fmt.Errorf("the object is not deleted, because it may belong to somebody else: find did not run before the request was sent. "+
			"If it is yours, specify its key: declprov journal settle --delete %s", i.Key)
	}
	if foreign {
		if err := s.printDetail("It may belong to somebody else: find did not run before the request was sent."); err != nil {
			return false, err
		}
	}
	if !s.o.yes && !s.confirms("  Delete it?") {
		return false, s.printDetail("It was not deleted.")
	}
	req.Delete = true
	found, err = e.Settle(ctx, req)
	if err != nil {
		return false, settleRemedy(i, err)
	}
	if !found.Found {
		return true, s.printDetail("It no longer exists; the entry is closed.")
	}
	return true, s.printDetail("Deleted; the entry is closed.")
}

// updateRemedy says what ends an entry of an update.
func updateRemedy(i journal.Intent) string {
	return fmt.Sprintf("The next `pulumi up` or `pulumi refresh` of the resource settles it. If no stack has the resource any more, run `declprov journal forget %s`.", i.Key)
}

// settleRemedy adds a remedy to an error.
func settleRemedy(i journal.Intent, err error) error {
	var withheld *engine.WithheldError
	switch {
	case errors.Is(err, engine.ErrNoFind):
		return fmt.Errorf("cannot look for the object: %w. Look for it in the service. If it exists, delete it there, or keep it with `pulumi import`. "+
			"Then run `declprov journal forget %s`", err, i.Key)
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

func (s *settler) printEntry(i journal.Intent, text string) error {
	_, err := fmt.Fprintf(s.out, "%s: %s\n", describeIntent(i), text)
	return err
}

func (s *settler) printDetail(text string) error {
	_, err := fmt.Fprintf(s.out, "  %s\n", text)
	return err
}

// openSpecFlag opens the spec that --spec names, and returns the name of its provider.
func (s *settler) openSpecFlag(ctx context.Context) (string, error) {
	c, err := s.openSpec(ctx, s.o.spec)
	if err != nil {
		return "", err
	}
	p, err := tool().Program(c)
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
		opened.program, opened.err = tool().Program(opened.container)
	}
	s.opened[provider] = opened
	return opened
}

func (s *settler) openSpec(ctx context.Context, path string) (*container.Container, error) {
	if filepath.Ext(path) == startup.CompiledExt {
		return container.OpenFile(path)
	}
	return s.loadCompiled(ctx, path)
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
		return "", fmt.Errorf("declprov has not installed the provider %q in %s: specify its spec with --spec", provider, plugins)
	case 1:
		return startup.SpecIn(folders[0], provider)
	default:
		return "", fmt.Errorf("several versions of the provider %q are installed: specify the spec of one with --spec: %s", provider, strings.Join(folders, ", "))
	}
}

// configure returns an engine with the recorded configuration of an entry, and the inputs
// of --input.
func (s *settler) configure(ctx context.Context, opened openedSpec, i journal.Intent) (*engine.Engine, property.Map, error) {
	p := opened.program
	name, ok := p.CurrentName(i.Type)
	if !ok {
		return nil, property.Map{}, fmt.Errorf("the spec no longer has a resource %q: specify the spec that created it with --spec", i.Type)
	}
	object, types := p.Config()
	given, err := try.Settings(s.o.config, object, types)
	if err != nil {
		return nil, property.Map{}, fmt.Errorf("--config: %w", err)
	}
	resource, err := opened.container.Resource(name)
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
		return nil, inputs, fmt.Errorf("%w (secrets were not recorded): add%s", err, flags)
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

// settleLog prints the warnings of the engine.
type settleLog struct{ *app }

func (l settleLog) Message(severity engine.Severity, text screen.Text) {
	if severity >= engine.Warning || l.debug {
		fmt.Fprintf(l.err, "declprov: %s\n", text)
	}
}

func (l settleLog) Status(screen.Text) {}

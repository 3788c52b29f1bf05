package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/screen"
)

// The exit codes of the command line.
const (
	exitClean    = 0
	exitFindings = 1 // the spec has mistakes, or what was tried did not work
	exitCrash    = 2 // the command was used wrongly, or the world is broken
)

// app is the command line: what all commands share.
type app struct {
	in       io.Reader
	out, err *screen.Writer

	color string // the --color flag
	debug bool   // the --debug flag
	tags  []string
}

func newApp(in io.Reader, out, err io.Writer) *app {
	return &app{in: in, out: screen.NewWriter(out, false), err: screen.NewWriter(err, false), color: "auto"}
}

// screen is a writer that lets colours pass where there are to be any.
func (a *app) screen(w *screen.Writer) *screen.Writer {
	return screen.NewWriter(w.Unwrap(), terminal.Colors(w, a.color))
}

// reported ends a command whose failure has been shown already.
type reported struct{ code int }

func (r reported) Error() string { return fmt.Sprintf("exit code %d", r.code) }

// failed is what was tried and did not work, though the command was right.
type failed struct{ error }

func (f failed) Unwrap() error { return f.error }

// run executes one command line. It is the only place that prints errors and
// maps them to exit codes.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	if len(args) > 0 && args[0] == "try" {
		args = spreadValues(args, "--then", "--config")
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var shown reported
	var tried failed
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &shown):
		return shown.code
	case errors.As(err, &tried):
		fmt.Fprintf(a.err, "declprov: %s\n", screen.Show(err.Error(), nil))
		return exitFindings
	case ctx.Err() != nil:
		fmt.Fprintln(a.err, "declprov: interrupted")
		return exitCrash
	default:
		fmt.Fprintf(a.err, "declprov: %s\n", screen.Show(strings.TrimSpace(err.Error()), nil))
		if isUsage(err) {
			fmt.Fprintf(a.err, "Run '%s --help' for how it is used.\n", cmd.CommandPath())
		}
		return exitCrash
	}
}

// usage marks errors in how a command was called.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// isUsage reports whether the call was wrong, rather than what it found. cobra
// has no type for an unknown command.
func isUsage(err error) bool {
	var u usage
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command")
}

const rootHelp = `declprov turns a document into a provider: a CUE or YAML spec is checked, and
served to Pulumi as if the provider had been written by hand.

Start with a spec, and let "declprov vet" say what is wrong with it; "declprov
try" makes, changes and deletes one resource of it, with no host at hand;
"declprov install" puts it where Pulumi finds it.

SPEC is a file (.cue, .yaml, .json), the folder of a CUE package, or "-" for the
standard input.

Exit codes: 0 all is well; 1 the spec has mistakes, or what was tried failed;
2 the command was used wrongly, or something broke.`

// environmentHelp ends the root's usage; commands below it inherit the template.
const environmentHelp = `{{if not .HasParent}}
Environment:
  DECLPROV_LOG      what to log on standard error: debug, info, warn or error;
                    also read by a provider that Pulumi starts
  DECLPROV_CACHE    the folder where compiled specs are kept; "off" keeps none
  DECLPROV_JOURNAL  the folder where providers note what they are creating; one
                    that outlives the machine's runs, where machines do not last
  DECLPROV_CANCEL_GRACE
                    how long a cancelled provider waits for the response to
                    what it has sent; 10s by default
  NO_COLOR          set to anything: no colours
{{end}}`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "declprov",
		Short:         "Providers from documents",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	root.PersistentFlags().StringVar(&a.color, "color", a.color, "colours: auto, always or never")
	root.PersistentFlags().BoolVar(&a.debug, "debug", false, "log what happens on standard error (as DECLPROV_LOG=debug)")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if a.color != "auto" && a.color != "always" && a.color != "never" {
			return usagef("--color is %q; it takes auto, always or never", a.color)
		}
		a.out, a.err = a.screen(a.out), a.screen(a.err)
		return nil
	}
	root.AddCommand(a.vetCommand(), a.schemaCommand(), a.permissionsCommand(), a.tryCommand(),
		a.installCommand(), a.uninstallCommand(), a.serveCommand(), a.journalCommand(), a.versionCommand())
	root.SetUsageTemplate(root.UsageTemplate() + environmentHelp)
	return root
}

// specArgument says that a command takes one SPEC.
func specArgument(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one SPEC, and got %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}

func (a *app) addTagFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&a.tags, "tag", "t", nil, "value of a CUE @tag, as `key=value` (or key alone; repeatable)")
}

func (a *app) log() *slog.Logger { return serving.NewLog(a.err, a.debug) }

// builder turns specs into compiled ones, for this command.
func (a *app) builder() *build.Builder { return tool().Builder(a.err, a.log()) }

// whileBuilding shows, where somebody watches, that a spec is being evaluated.
func (a *app) whileBuilding(spec build.Spec) (stop func()) {
	return terminal.Progress(a.err, "evaluating "+spec.Name())
}

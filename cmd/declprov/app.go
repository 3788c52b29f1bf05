package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/screen"
)

// The exit codes of the command line.
const (
	exitClean    = 0
	exitFindings = 1 // the spec has mistakes, or the command failed
	exitCrash    = 2 // invalid usage, or an unexpected error
)

// app is the state that all commands share.
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

// screen returns a writer that lets colors pass if w shows colors.
func (a *app) screen(w *screen.Writer) *screen.Writer {
	return screen.NewWriter(w.Unwrap(), terminal.Colors(w, a.color))
}

// reportedError ends a command whose failure has already been printed.
type reportedError struct{ code int }

func (r reportedError) Error() string { return fmt.Sprintf("exit code %d", r.code) }

// failedError is the failure of a command that was used correctly.
type failedError struct{ error }

func (f failedError) Unwrap() error { return f.error }

// run executes one command line. It is the only place that prints errors and
// maps them to exit codes.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	if len(args) > 0 && args[0] == "try" {
		args = spreadValues(args, map[string]string{"--then": "--" + alsoFlag, "--config": "--config"})
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var shown reportedError
	var tried failedError
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
			fmt.Fprintf(a.err, "Run '%s --help' for usage.\n", cmd.CommandPath())
		}
		return exitCrash
	}
}

// usageError reports that a command was called incorrectly.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// isUsage reports whether an error is about the usage of a command. cobra has no type
// for an unknown command.
func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command")
}

const rootHelp = `declprov turns a document into a provider: it checks a CUE or YAML spec, and
serves it to Pulumi like a provider written by hand.

"declprov init" writes a first spec, and "declprov vet" checks it. "declprov try"
creates, changes and deletes one of its resources without Pulumi. "declprov install"
installs it where Pulumi finds it.

SPEC is a file (.cue, .yaml, .json), the folder of a CUE package, or "-" for
standard input.

Exit codes: 0 success; 1 the spec has mistakes, or the command failed; 2 invalid
usage, or an unexpected error.`

// environmentHelp ends the usage of the root command; its subcommands inherit the template.
const environmentHelp = `{{if not .HasParent}}
Environment:
  DECLPROV_LOG      log level on standard error: debug, info, warn or error;
                    also applies to providers that Pulumi starts
  DECLPROV_CACHE    folder of compiled specs; "off" disables the cache
  DECLPROV_JOURNAL  folder in which providers record what they create; must be
                    persistent, also on machines that are not, such as CI runners
  DECLPROV_CANCEL_GRACE
                    how long a cancelled provider waits for the responses to
                    requests that it has sent; 10s by default
  DECLPROV_SANDBOX  if "required", providers run commands only in the kernel's
                    sandbox
  NO_COLOR          if not empty, disables colors
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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.PersistentFlags().StringVar(&a.color, "color", a.color, "colors: auto, always or never")
	root.PersistentFlags().BoolVar(&a.debug, "debug", false, "write debug logs to standard error (like DECLPROV_LOG=debug)")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if a.color != "auto" && a.color != "always" && a.color != "never" {
			return usagef("invalid --color %q (use auto, always or never)", a.color)
		}
		a.out, a.err = a.screen(a.out), a.screen(a.err)
		return nil
	}
	root.AddCommand(initCommand(a), vetCommand(a), fmtCommand(a), expandCommand(a), schemaCommand(a), permissionsCommand(a), tryCommand(a),
		installCommand(a), packageCommand(a), uninstallCommand(a), serveCommand(a), journalCommand(a), versionCommand(a))
	root.SetUsageTemplate(root.UsageTemplate() + environmentHelp)
	return root
}

func (a *app) log() *slog.Logger { return serving.NewLog(a.err, a.debug) }

// confirms asks a question, and reports whether the user has confirmed it.
func (a *app) confirms(question string) bool {
	fmt.Fprint(a.out, question+" [y/N] ")
	line := bufio.NewScanner(a.in)
	line.Scan()
	answer := strings.ToLower(strings.TrimSpace(line.Text()))
	return answer == "y" || answer == "yes"
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/screen"
)

const journalHelp = `Journal lists creates, updates and deletes with an unknown outcome ("open": the
response was lost, or the provider was killed before it returned a state), and those
that failed after they had an effect ("failed"). They may have created objects that
are in no state.

If the resource is still in the program, run "pulumi up". Before the provider sends
a new request, it determines the outcome: by the idempotency key, or by find or
read. If the resource is no longer needed, run "declprov journal settle --delete",
which finds and deletes the object. If the spec has no find, look for the object in
the service, then run "declprov journal forget". The next "pulumi up" or "pulumi
destroy" goes on with a delete.

--all also lists:
  under way  a provider is working on it
  answered   a response was received
  handed     Pulumi has received the state. The entry remains until Pulumi shows
             that it has recorded the id. If the stack or the resource was renamed,
             that never happens: forget the entry.

--json prints a list of objects with:
  key
  state                      open, failed, under way, answered or handed
  provider, type
  resource                   the URN, and its project, stack and name
  operation                  create, update or delete
  step, stepName
  element                    the element of a forEach
  began, sent                the start, and the last attempt
  looked                     find found nothing before the first attempt
  status                     as recorded: begun, answered, handed, failed, unknown
  id, token, error
  inputs, configuration      without secrets
  withheld                   the inputs that were not recorded
  owner                      pid and host of the provider`

// The states of an intent, as they are listed.
const (
	intentOpen     = "open"
	intentFailed   = "failed"
	intentUnderWay = "under way"
	intentAnswered = "answered"
	intentHanded   = "handed"
)

// listedIntent is the JSON form of an intent.
type listedIntent struct {
	Key           string            `json:"key"`
	State         string            `json:"state"`
	Provider      string            `json:"provider"`
	Type          string            `json:"type"`
	Resource      string            `json:"resource"`
	Project       string            `json:"project,omitempty"`
	Stack         string            `json:"stack,omitempty"`
	Name          string            `json:"name,omitempty"`
	Operation     journal.Operation `json:"operation"`
	Step          int               `json:"step"`
	StepName      string            `json:"stepName,omitempty"`
	Element       string            `json:"element,omitempty"`
	Began         time.Time         `json:"began"`
	Sent          time.Time         `json:"sent,omitzero"`
	Looked        bool              `json:"looked"`
	Status        journal.Status    `json:"status"`
	ID            string            `json:"id,omitempty"`
	Token         string            `json:"token,omitempty"`
	Error         string            `json:"error,omitempty"`
	Inputs        json.RawMessage   `json:"inputs,omitempty"`
	Withheld      []string          `json:"withheld,omitempty"`
	Configuration json.RawMessage   `json:"configuration,omitempty"`
	Owner         listedOwner       `json:"owner"`
}

type listedOwner struct {
	PID  int    `json:"pid"`
	Host string `json:"host,omitempty"`
}

// journalFilter selects intents by stack and project.
type journalFilter struct{ stack, project string }

func (f journalFilter) excludes(i journal.Intent) bool {
	return f.stack != "" && i.Stack() != f.stack || f.project != "" && i.Project() != f.project
}

// journalCommands is the state that the journal commands share.
type journalCommands struct {
	*app
	filter journalFilter
}

func journalCommand(a *app) *cobra.Command {
	asJSON, all := false, false
	j := &journalCommands{app: a}
	filter := &j.filter
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List creates, updates and deletes with an unknown outcome",
		Long:  journalHelp,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, intents, err := j.read()
			if err != nil {
				return err
			}
			intents = slices.DeleteFunc(intents, filter.excludes)
			rest := 0
			if !all {
				before := len(intents)
				intents = journal.Distinct(listed(intents))
				rest = before - len(intents)
			}
			if asJSON {
				return writeIntentsJSON(a.out, intents)
			}
			return writeIntents(a.out, intents, rest)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "also list entries that are under way, answered or handed")
	for _, c := range []*cobra.Command{cmd, j.settleCommand()} {
		c.Flags().StringVar(&filter.stack, "stack", "", "only entries of this stack")
		c.Flags().StringVar(&filter.project, "project", "", "only entries of this project")
		if c != cmd {
			cmd.AddCommand(c)
		}
	}
	cmd.AddCommand(j.forgetCommand())
	return cmd
}

func (j *journalCommands) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget KEY...",
		Short: "Remove entries from the journal",
		Long: `Forget removes the entries with these keys from the journal, the answered entries of
the same creates, and those that are not listed because they repeat these entries.
First check in the service what they have created. If the same resource is created
again, the provider makes a new object, and does not adopt the earlier one.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s requires a KEY from the output of `declprov journal`", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			book, intents, err := j.read()
			if err != nil {
				return err
			}
			var errs []error
			for _, key := range args {
				errs = append(errs, j.forget(book, intents, key))
			}
			if err := errors.Join(errs...); err != nil {
				return failedError{err}
			}
			return nil
		},
	}
}

func (j *journalCommands) forget(book *journal.Journal, intents []journal.Intent, key string) error {
	i, err := findIntent(intents, key)
	if err != nil {
		return err
	}
	// Check the entry again while no other process can change it.
	err = errNoEntry(key)
	settleErr := book.Settle(i.Subject, func(now journal.Intent) bool {
		if now.Key != key {
			return false
		}
		err = checkNotUnderWay(now)
		return err == nil
	})
	if err = errors.Join(err, settleErr); err != nil {
		return err
	}
	// Also remove the earlier entries of the same run: otherwise the next create would
	// take their objects for its own. A handed entry only removes handed ones. And remove
	// what the list would show in place of this entry.
	repeated := journal.Repeated(listed(intents), key)
	if err := book.Settle(i.Subject, func(o journal.Intent) bool {
		hidden := func(r journal.Intent) bool { return r.Key == o.Key && !o.UnderWay() }
		return slices.ContainsFunc(repeated, hidden) || i.Status != journal.Failed && o.Accompanies(i) && (o.Status == journal.Handed) == (i.Status == journal.Handed)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.out, "removed: %s\n", describeIntent(i))
	return err
}

// listed returns the intents that are listed without --all, and those that repeat them.
func listed(intents []journal.Intent) []journal.Intent {
	return slices.DeleteFunc(slices.Clone(intents), func(i journal.Intent) bool { return !i.IsUnsettled() && i.Status != journal.Failed })
}

func findIntent(intents []journal.Intent, key string) (journal.Intent, error) {
	n := slices.IndexFunc(intents, func(i journal.Intent) bool { return i.Key == key })
	if n < 0 {
		return journal.Intent{}, errNoEntry(key)
	}
	return intents[n], nil
}

func errNoEntry(key string) error {
	return fmt.Errorf("the journal has no entry with the key %q; `declprov journal --all` lists all entries", key)
}

func checkNotUnderWay(i journal.Intent) error {
	if !i.UnderWay() {
		return nil
	}
	return fmt.Errorf("%s: %w", i.Key, &journal.BusyError{Intent: i})
}

// read reads the journal. It prints a warning about files that cannot be read.
func (j *journalCommands) read() (*journal.Journal, []journal.Intent, error) {
	dir, err := journal.DefaultDir(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	book := journal.Open(dir)
	intents, err := book.List()
	var unreadable *journal.UnreadableError
	if errors.As(err, &unreadable) {
		fmt.Fprintf(j.err, "declprov: warning: %s\n", screen.Show(err.Error(), nil))
		err = nil
	}
	return book, intents, err
}

func stateOf(i journal.Intent) string {
	switch {
	case i.IsUnsettled():
		return intentOpen
	case i.UnderWay():
		return intentUnderWay
	case i.Status == journal.Failed:
		return intentFailed
	case i.Status == journal.Handed:
		return intentHanded
	default:
		return intentAnswered
	}
}

// describeIntent returns the type, name, project and stack of the resource.
func describeIntent(i journal.Intent) string {
	text := fmt.Sprintf("%s:%s ", i.Provider, i.Type)
	if i.Name() == "" {
		text += i.Resource
	} else {
		text += fmt.Sprintf("%s (%s/%s)", i.Name(), i.Project(), i.Stack())
	}
	if i.Operation != journal.Create {
		text += ", " + string(i.Operation)
	}
	if i.Element != "" {
		text += ", element " + i.Element
	}
	return printable(text)
}

// longestShown is the maximum length of a text in a table.
const longestShown = 100

// printable converts a text to one printable line of limited length.
func printable(text string) string {
	text = screen.Show(text, nil).Line().String()
	if r := []rune(text); len(r) > longestShown {
		text = string(r[:longestShown-1]) + "…"
	}
	return text
}

// writeIntents writes a table; rest is the number of intents that are not in the list.
func writeIntents(w io.Writer, intents []journal.Intent, rest int) error {
	if len(intents) == 0 {
		text := "Nothing is open."
		if rest > 0 {
			text = fmt.Sprintf("Nothing is open; --all lists %d more entries.", rest)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.StripEscape)
	fmt.Fprintln(table, "KEY\tSTATE\tBEGAN\tRESOURCE\tID\tWHY") // Flush returns the error
	for _, i := range intents {
		id := "-"
		if i.ID != "" {
			id = printable(i.ID)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(i.Key), stateOf(i), i.Began.Format(time.DateTime), describeIntent(i), id, reasonOf(i))
	}
	return table.Flush()
}

// reasonOf returns a short reason for the state of an intent.
func reasonOf(i journal.Intent) string {
	switch {
	case i.UnderWay():
		return i.Owner.String()
	case i.Error != "":
		return printable(i.Error)
	case i.IsInterrupted(), i.Open() && i.Status == journal.Begun && i.Made != nil && i.Operation == journal.Create:
		return "the provider ended before all steps were done"
	case i.Open() && i.Status == journal.Begun:
		return "the provider ended before it received a response"
	default:
		return "-"
	}
}

func writeIntentsJSON(w io.Writer, intents []journal.Intent) error {
	out := make([]listedIntent, len(intents))
	for n, i := range intents {
		out[n] = listedIntent{
			Key: i.Key, State: stateOf(i), Provider: i.Provider, Type: i.Type, Resource: i.Resource,
			Project: i.Project(), Stack: i.Stack(), Name: i.Name(),
			Operation: i.Operation, Step: i.Step, StepName: i.StepName, Element: i.Element,
			Began: i.Began, Sent: i.Sent, Looked: i.Looked, Status: i.Status, ID: i.ID, Token: i.Token, Error: i.Error,
			Inputs: i.Inputs, Withheld: i.Withheld, Configuration: i.Configuration,
			Owner: listedOwner{PID: i.Owner.PID, Host: i.Owner.Host},
		}
	}
	return writeJSON(w, out)
}

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

const journalHelp = `Journal lists the creates and updates of which nobody knows what came ("open": the
provider died, or the response was lost), and those that failed after they had an
effect ("failed"). Something may exist that no state knows of.

If the resource is still in the program, run "pulumi up": the provider settles the
entry (by its idempotency key, or by looking for what was made) before it sends
anything. If it is not wanted any more, "declprov journal settle --delete" finds
and deletes what was made. Where nothing can look for it, look in the service, and
forget the entry.

--all also lists entries that a provider works on at this moment ("under way"), those
that were answered, and those of which Pulumi was told ("handed"), which stay until it
shows that it has recorded the id. A stack or resource that was renamed shows that
under another name: then forget the entry.

--json writes a list of objects with: key; state (open, failed, under way, answered,
handed); provider, type; resource (the URN), and its project, stack and name;
operation (create, update), step, stepName, element (of a forEach); began, sent (the
last attempt); looked (find found nothing before the first attempt); status (as
recorded: begun, answered, handed, failed, unknown); id; token; error; inputs and
configuration, without secrets, and withheld (the inputs that were left out); owner,
with pid and host.`

// The states of an intent, as they are listed.
const (
	intentOpen     = "open"
	intentFailed   = "failed"
	intentUnderWay = "under way"
	intentAnswered = "answered"
	intentHanded   = "handed"
)

// listedIntent is an intent as JSON shows it.
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

// journalFilter narrows down the intents of a command.
type journalFilter struct{ stack, project string }

func (f journalFilter) excludes(i journal.Intent) bool {
	return f.stack != "" && i.Stack() != f.stack || f.project != "" && i.Project() != f.project
}

// journalCommands are the commands on the journal, and what they share.
type journalCommands struct {
	*app
	filter journalFilter
}

func (a *app) journalCommand() *cobra.Command {
	asJSON, all := false, false
	j := &journalCommands{app: a}
	filter := &j.filter
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List creates and updates whose outcome nobody knows",
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
				intents = slices.DeleteFunc(intents, func(i journal.Intent) bool { return !i.Open() && i.Status != journal.Failed })
				rest = before - len(intents)
			}
			if asJSON {
				return writeIntentsJSON(a.out, intents)
			}
			return writeIntents(a.out, intents, rest)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&all, "all", false, "also those that are under way or answered")
	for _, c := range []*cobra.Command{cmd, j.settleCommand()} {
		c.Flags().StringVar(&filter.stack, "stack", "", "only those of this stack")
		c.Flags().StringVar(&filter.project, "project", "", "only those of this project")
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
		Short: "Take entries out of the journal",
		Long: `Forget takes the entries with these keys out of the journal, once you have looked
what came of them, and what was answered of the same creates. If the same resource is
created after that, it is created anew: what was made before is not taken over.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s requires a KEY, as `declprov journal` lists it", cmd.CommandPath())
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
				return failed{err}
			}
			return nil
		},
	}
}

func (j *journalCommands) forget(book *journal.Journal, intents []journal.Intent, key string) error {
	i, err := intentOf(intents, key)
	if err != nil {
		return err
	}
	// Looked at once more while nobody else can change it.
	err = errNoEntry(key)
	settleErr := book.Settle(i.Subject, func(now journal.Intent) bool {
		if now.Key != key {
			return false
		}
		err = underWay(now)
		return err == nil
	})
	if err = errors.Join(err, settleErr); err != nil {
		return err
	}
	// With it goes what came before it in the same run: else that alone would be taken
	// for what the next create has made. What Pulumi was told of goes with its like.
	if err := book.Settle(i.Subject, func(o journal.Intent) bool {
		return i.Status != journal.Failed && o.Accompanies(i) && (o.Status == journal.Handed) == (i.Status == journal.Handed)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.out, "forgotten: %s\n", describeIntent(i))
	return err
}

func intentOf(intents []journal.Intent, key string) (journal.Intent, error) {
	n := slices.IndexFunc(intents, func(i journal.Intent) bool { return i.Key == key })
	if n < 0 {
		return journal.Intent{}, errNoEntry(key)
	}
	return intents[n], nil
}

func errNoEntry(key string) error {
	return fmt.Errorf("no entry of the journal has the key %q; `declprov journal --all` lists them", key)
}

func underWay(i journal.Intent) error {
	if !i.UnderWay() {
		return nil
	}
	return fmt.Errorf("%s: %w", i.Key, &journal.BusyError{Intent: i})
}

// read reads the journal. Files that cannot be read are reported here.
func (j *journalCommands) read() (*journal.Journal, []journal.Intent, error) {
	dir, err := journal.DefaultDir(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	book := journal.In(dir)
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
	case i.Open():
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

// describeIntent names the resource: its type, name, project and stack.
func describeIntent(i journal.Intent) string {
	text := fmt.Sprintf("%s:%s ", i.Provider, i.Type)
	if i.Name() == "" {
		text += i.Resource
	} else {
		text += fmt.Sprintf("%s (%s/%s)", i.Name(), i.Project(), i.Stack())
	}
	if i.Operation == journal.Update {
		text += ", its update"
	}
	if i.Element != "" {
		text += ", element " + i.Element
	}
	return printable(text)
}

// longestShown is how much of a text a table shows.
const longestShown = 100

// printable is a text in one line, fit to be shown, and not too long.
func printable(text string) string {
	text = screen.Show(text, nil).Line().String()
	if r := []rune(text); len(r) > longestShown {
		text = string(r[:longestShown-1]) + "…"
	}
	return text
}

// writeIntents writes a table; rest is how many were left out.
func writeIntents(w io.Writer, intents []journal.Intent, rest int) error {
	if len(intents) == 0 {
		text := "Nothing is open."
		if rest > 0 {
			text = fmt.Sprintf("Nothing is open; --all lists %d that are under way or answered.", rest)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.StripEscape)
	fmt.Fprintln(table, "KEY\tSTATE\tBEGAN\tRESOURCE\tID\tWHY") // an error comes again with Flush
	for _, i := range intents {
		id := "-"
		if i.ID != "" {
			id = printable(i.ID)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(i.Key), stateOf(i), i.Began.Format(time.DateTime), describeIntent(i), id, whyOf(i))
	}
	return table.Flush()
}

// whyOf says in a few words why an intent is in its state.
func whyOf(i journal.Intent) string {
	switch {
	case i.UnderWay():
		return i.Owner.String()
	case i.Error != "":
		return printable(i.Error)
	case i.Open() && i.Status == journal.Begun:
		return "the provider ended before a response came"
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
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/engine/journal"
)

const journalHelp = `Journal lists the creates that were begun and of which nobody knows what came:
the provider died, or the answer was lost. Something may exist that no state
knows of.

You need do nothing: when the same resource is created again, by the next "up",
the provider settles it (by its idempotency key, or by looking for what was made)
before it sends anything. If the resource is not wanted any more, look in the
service for what was made, delete it there, and forget the entry.

--all lists those as well that a provider works on at this moment, and those
that were answered, and stay until the host shows that it has recorded the id.`

// The states of an intent, as they are listed.
const (
	intentOpen     = "open"
	intentUnderWay = "under way"
	intentAnswered = "answered"
)

// listedIntent is an intent as JSON shows it.
type listedIntent struct {
	Key      string    `json:"key"`
	State    string    `json:"state"`
	Provider string    `json:"provider"`
	Type     string    `json:"type"`
	Resource string    `json:"resource"`
	Step     int       `json:"step"`
	Began    time.Time `json:"began"`
	ID       string    `json:"id,omitempty"`
	PID      int       `json:"pid,omitempty"`
}

func (a *app) journalCommand() *cobra.Command {
	asJSON, all := false, false
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List creates whose outcome nobody knows",
		Long:  journalHelp,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, intents, err := readJournal()
			if err != nil {
				return err
			}
			rest := 0
			if !all {
				before := len(intents)
				intents = slices.DeleteFunc(intents, func(i journal.Intent) bool { return !i.Open() })
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
	cmd.AddCommand(a.forgetCommand())
	return cmd
}

func (a *app) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget KEY",
		Short: "Take an entry out of the journal",
		Long: `Forget takes the entry with that key out of the journal, once you have looked what
came of it. If the same resource is created after that, it is created anew: what
was made before is not taken over.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s takes one KEY, as `declprov journal` shows it, and got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			book, intents, err := readJournal()
			if err != nil {
				return err
			}
			i := slices.IndexFunc(intents, func(i journal.Intent) bool { return i.Key == args[0] })
			switch {
			case i < 0:
				return failed{fmt.Errorf("no entry of the journal has the key %q; `declprov journal --all` lists them", args[0])}
			case stateOf(intents[i]) == intentUnderWay:
				return failed{fmt.Errorf("process %d works on it at this moment; wait for it, or end it", intents[i].Owner.PID)}
			}
			if err := book.Settle(intents[i].Subject, func(o journal.Intent) bool { return o.Key == args[0] }); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "forgotten: %s\n", describeIntent(intents[i]))
			return err
		},
	}
}

func readJournal() (*journal.Journal, []journal.Intent, error) {
	dir, err := journal.DefaultDir(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	book := journal.In(dir)
	intents, err := book.List()
	return book, intents, err
}

func stateOf(i journal.Intent) string {
	switch {
	case i.Status == journal.Answered:
		return intentAnswered
	case i.Open():
		return intentOpen
	default:
		return intentUnderWay
	}
}

// describeIntent names the resource as the host does, with its type in the spec.
func describeIntent(i journal.Intent) string {
	return fmt.Sprintf("%s %s, %s", i.Provider, i.Type, i.Resource)
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
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tSTATE\tBEGAN\tRESOURCE") // an error comes again with Flush
	for _, i := range intents {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", i.Key, stateOf(i), i.Began.Format(time.DateTime), describeIntent(i))
	}
	return table.Flush()
}

func writeIntentsJSON(w io.Writer, intents []journal.Intent) error {
	out := make([]listedIntent, len(intents))
	for n, i := range intents {
		out[n] = listedIntent{
			Key: i.Key, State: stateOf(i), Provider: i.Provider, Type: i.Type, Resource: i.Resource, Step: i.Step, Began: i.Began, ID: i.ID,
		}
		if out[n].State == intentUnderWay {
			out[n].PID = i.Owner.PID
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

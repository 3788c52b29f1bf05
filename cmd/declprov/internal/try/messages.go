package try

import (
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec/screen"
)

// fail prints the error of a call.
func (p printer) fail(err error) error {
	text := err.Error()
	if s, ok := status.FromError(err); ok {
		text = s.Message()
	}
	p.failure("%s", text)
	return ErrFailed
}

func (p printer) failures(failures []client.Failure) error {
	for _, f := range failures {
		if f.Property == "" {
			p.failure("%s", f.Reason)
			continue
		}
		p.failure("%s: %s", f.Property, f.Reason)
	}
	return ErrFailed
}

// changes prints the changes of a diff.
func (l *life) changes(d client.Diff) {
	signs := map[string]string{"ADD": "+", "DELETE": "-", "UPDATE": "~"}
	for _, c := range d.Details {
		kind, replaces := strings.CutSuffix(c.Kind, "_REPLACE")
		line := "        " + signs[kind] + " " + screen.Exact(c.Path)
		if replaces {
			line += "  " + l.paint(dim, "replaces")
		}
		fmt.Fprintln(l.w, line)
	}
	if len(d.Details) == 0 {
		fmt.Fprintln(l.w, "        ~ "+screen.Exact(strings.Join(d.Diffs, ", ")))
	}
}

// Message returns a function that prints the log messages of a provider. It only prints
// status messages if the output is live.
func Message(w io.Writer, color, live bool) func(client.LogMessage) {
	p := printer{w: w, color: color}
	return func(m client.LogMessage) {
		switch {
		case m.Severity == "DEBUG" || m.Ephemeral && !live:
		case m.Ephemeral || m.Severity == "INFO":
			fmt.Fprintf(w, "        %s\n", p.paint(dim, screen.Show(m.Text, nil).String()))
		default:
			p.failure("%s: %s", strings.ToLower(m.Severity), m.Text)
		}
	}
}

package try

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

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

// Messages prints the log messages of a provider, and counts its warnings. It only prints status
// messages if the output is live.
type Messages struct {
	printer
	live     bool
	warnings atomic.Int32
	// mu guards shown: the messages that are not shown again, unless it is nil.
	mu    sync.Mutex
	shown map[client.LogMessage]bool
}

// NewMessages returns Messages that writes to w.
func NewMessages(w io.Writer, color, live bool) *Messages {
	return &Messages{printer: printer{w: w, color: color}, live: live}
}

// showOnce makes Show print each message only once, until done is called: a call that is repeated until
// something is seen reports the same each time.
func (p *Messages) showOnce() (done func()) {
	p.remember(map[client.LogMessage]bool{})
	return func() { p.remember(nil) }
}

func (p *Messages) remember(shown map[client.LogMessage]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = shown
}

// isRepeated reports whether a message need not be shown again.
func (p *Messages) isRepeated(m client.LogMessage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	repeated := p.shown[m]
	if p.shown != nil {
		p.shown[m] = true
	}
	return repeated
}

// Show prints a message.
func (p *Messages) Show(m client.LogMessage) {
	switch {
	case p.isRepeated(m):
	case m.Severity == "DEBUG" || m.Ephemeral && !p.live:
	case m.Ephemeral || m.Severity == "INFO":
		fmt.Fprintf(p.w, "        %s\n", p.paint(dim, screen.Show(m.Text, nil).String()))
	default:
		p.failure("%s: %s", strings.ToLower(m.Severity), m.Text)
		p.warnings.Add(1)
	}
}

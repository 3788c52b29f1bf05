package operation

import (
	"github.com/declprov/declprov/engine/run/live"
	"github.com/declprov/declprov/spec/screen"
)

// Log receives the messages of a call. Implementations must be safe for concurrent
// use, and must not fail.
type Log interface {
	// Message logs a message that is kept.
	Message(severity Severity, text screen.Text)
	// Status shows a status until the next one.
	Status(text screen.Text)
}

// Severity is the severity of a log message.
type Severity uint8

// The severities of messages.
const (
	Debug Severity = iota + 1
	Info
	Warning
	Error
)

// Silent is a log that drops everything.
type Silent struct{}

func (Silent) Message(Severity, screen.Text) {}
func (Silent) Status(screen.Text)            {}

// masked is the log of a run. It masks the secrets that the run has seen so far and escapes
// what a terminal would not show as text.
type masked struct {
	To  Log
	run *Run
	// live shows the status of the current step, nil between steps.
	live *live.Status
}

// Message logs a text. A long one, such as the output of a command, becomes several messages.
func (l masked) Message(severity Severity, text string) {
	for _, part := range screen.Parts(text, l.run.Mask()) {
		l.To.Message(severity, part)
	}
}

// Status shows a text until the next one replaces it.
func (l masked) Status(text string) {
	shown := screen.Show(text, l.run.Mask()).Line()
	if l.live == nil {
		l.To.Status(shown)
		return
	}
	l.live.Report(shown)
}

// showLive shows a text as the status, once what it describes takes long, until the returned
// function is called.
func (r *Run) showLive(text string) (end func()) {
	outer := r.Log.live
	status := live.Begin(screen.Show(text, nil), r.Log.To.Status)
	r.Log.live = status
	return func() {
		status.End()
		r.Log.live = outer
	}
}

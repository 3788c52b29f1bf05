package operation

import "github.com/declprov/declprov/spec/screen"

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
}

// Message logs a text. A long one, such as the output of a command, becomes several messages.
func (l masked) Message(severity Severity, text string) {
	for _, part := range screen.Parts(text, l.run.Mask()) {
		l.To.Message(severity, part)
	}
}

// Status shows a text until the next one replaces it.
func (l masked) Status(text string) { l.To.Status(screen.Show(text, l.run.Mask()).Line()) }

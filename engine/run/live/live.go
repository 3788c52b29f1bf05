// Package live shows what a step does that takes long.
package live

import (
	"fmt"
	"sync"
	"time"

	"github.com/declprov/declprov/spec/screen"
)

// every is the time after which a step shows what it is doing, and the interval between two
// such statuses. Shorter steps show only what the spec reports.
const every = 5 * time.Second

// Status shows what a step reported last, or else its name, with the attempt and the time. It
// may be used concurrently.
type Status struct {
	show  func(screen.Text)
	began time.Time

	mu      sync.Mutex
	timer   *time.Timer
	ended   bool
	text    screen.Text
	attempt int
}

// Begin shows the status of a step until End. text describes the step.
func Begin(text screen.Text, show func(screen.Text)) *Status {
	s := &Status{show: show, began: time.Now(), text: text}
	s.mu.Lock() // the timer may fire before it is stored
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(every, s.repeat)
	return s
}

// End shows nothing from now on.
func (s *Status) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.timer.Stop()
}

// Report shows a text, and repeats it with the time until the next one replaces it.
func (s *Status) Report(text screen.Text) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
	s.show(text)
}

// Replace sets the text that is shown if the step takes long, and returns the old one.
func (s *Status) Replace(text screen.Text) (old screen.Text) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, s.text = s.text, text
	return old
}

// Attempt records the number of the current attempt.
func (s *Status) Attempt(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempt = number
}

func (s *Status) repeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	detail := time.Since(s.began).Round(time.Second).String()
	if s.attempt > 1 {
		detail = fmt.Sprintf("attempt %d, %s", s.attempt, detail)
	}
	s.show(screen.Show(fmt.Sprintf("%s (%s)", s.text, detail), nil))
	s.timer.Reset(every)
}

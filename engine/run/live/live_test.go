package live

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/declprov/declprov/spec/screen"
)

// TestNothingAfterTheEnd checks the race that Timer.Stop leaves: the timer has fired, and its
// function runs after End.
func TestNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := 0
		s := Begin(screen.Show("step 1", nil), func(screen.Text) { shown++ })
		s.End()
		s.repeat()
		time.Sleep(time.Minute)
		if shown > 0 {
			t.Errorf("%d statuses are shown after the end", shown)
		}
	})
}

// TestReplacedText checks that a replaced text is only shown if the step takes long.
func TestReplacedText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown []string
		s := Begin(screen.Show("step 1", nil), func(text screen.Text) { shown = append(shown, text.String()) })
		old := s.Replace(screen.Show("waiting", nil))
		time.Sleep(every + time.Second)
		s.Replace(old)
		time.Sleep(every)
		s.End()
		if len(shown) != 2 || shown[0] != "waiting (5s)" || shown[1] != "step 1 (10s)" {
			t.Errorf("statuses %q", shown)
		}
	})
}

// Package terminal says what the reader of a stream can show, and shows there
// what takes long.
package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/declprov/declprov/spec/screen"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		stream = w.Unwrap()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colors reports whether to write colours to a stream: mode is always, never,
// or auto, which means a terminal that is not dumb, unless NO_COLOR is set
// (https://no-color.org).
func Colors(stream any, mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	default:
		return Is(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
}

// patience is how long something may take before it is worth a line.
const patience = 700 * time.Millisecond

// Progress shows text on a terminal while something takes long, and takes it
// away when stop is called. On anything but a terminal it does nothing.
func Progress(w io.Writer, text string) (stop func()) {
	if !Is(w) {
		return func() {}
	}
	if raw, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = raw.Unwrap() // what takes the text away steers the terminal
	}
	var mu sync.Mutex
	stopped, shown := false, false
	timer := time.AfterFunc(patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			shown = true
			fmt.Fprintf(w, "%s …", screen.Show(text, nil).Line())
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if shown && !stopped {
			fmt.Fprint(w, "\r\x1b[K")
		}
		stopped = true
	}
}

// Package terminal determines whether streams are terminals and show colors, and shows
// the progress of long operations on terminals.
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

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		stream = w.Unwrap()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colors reports whether to write colors to a stream. mode is always, never or auto. auto
// means that the stream is a terminal, TERM is not dumb, and NO_COLOR is not set
// (https://no-color.org).
func Colors(stream any, mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	default:
		return IsTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
}

// patience is the time after which progress is shown.
const patience = 700 * time.Millisecond

// Progress shows text on a terminal if an operation takes long, and removes it when stop
// is called. If w is not a terminal, it does nothing.
func Progress(w io.Writer, text string) (stop func()) {
	if !IsTerminal(w) {
		return func() {}
	}
	if raw, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = raw.Unwrap() // a screen.Writer would drop the escape sequence that removes the text
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

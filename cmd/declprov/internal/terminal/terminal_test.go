package terminal

import (
	"bytes"
	"os"
	"testing"
	"time"
)

func TestColors(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, stream := range []any{file, &bytes.Buffer{}} {
		for mode, want := range map[string]bool{"always": true, "never": false, "auto": false} {
			if got := Colors(stream, mode); got != want {
				t.Errorf("colours of %T with %s: %v, want %v", stream, mode, got, want)
			}
		}
	}
}

// TestTerminal tests with a real terminal, the master of a pseudo-terminal.
func TestTerminal(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	defer tty.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !Colors(tty, "auto") {
		t.Error("no colours on a terminal")
	}
	t.Setenv("TERM", "dumb")
	if Colors(tty, "auto") {
		t.Error("colours on a dumb terminal")
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	if Colors(tty, "auto") {
		t.Error("colours in spite of NO_COLOR")
	}
	if !Colors(tty, "always") {
		t.Error("no colours though they are asked for")
	}
}

func TestProgressOffTerminal(t *testing.T) {
	var out bytes.Buffer
	stop := Progress(&out, "working")
	time.Sleep(patience + 50*time.Millisecond)
	stop()
	if out.Len() > 0 {
		t.Errorf("wrote %q to what is no terminal", out.String())
	}
}

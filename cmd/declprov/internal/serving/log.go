package serving

import (
	"io"
	stdlog "log"
	"log/slog"
	"os"
)

// Hush silences the standard logger, to which net/http writes the beginning of
// whatever a server says unasked. That may be a secret, and Pulumi shows what a
// provider writes to standard error. (A package of Pulumi's SDK happens to have
// the same effect, and may stop.)
func Hush() { stdlog.SetOutput(io.Discard) }

// NewLog is the log of a process: as DECLPROV_LOG says, or everything with
// debug; by default nothing. It never holds a value of the user's.
func NewLog(w io.Writer, debug bool) *slog.Logger {
	level := slog.LevelDebug
	if !debug {
		name := os.Getenv("DECLPROV_LOG")
		if name == "" || level.UnmarshalText([]byte(name)) != nil {
			return slog.New(slog.DiscardHandler)
		}
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

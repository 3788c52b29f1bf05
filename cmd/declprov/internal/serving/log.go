package serving

import (
	"io"
	stdlog "log"
	"log/slog"
	"os"
)

// DiscardStandardLog discards the output of the standard logger. net/http writes the
// beginning of unsolicited responses to it. These may contain secrets, and Pulumi shows
// what a provider writes to standard error. (At present, a package of Pulumi's SDK has the
// same effect.)
func DiscardStandardLog() { stdlog.SetOutput(io.Discard) }

// NewLog returns the logger of a process. Its level is debug, or else the one in
// DECLPROV_LOG; by default it logs nothing. Log messages must not contain values of
// users.
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

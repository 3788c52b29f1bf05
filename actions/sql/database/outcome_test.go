package database

import (
	"database/sql/driver"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestSentBytes checks that a connection that is lost after bytes of a statement were written leaves
// its effect unknown, although the driver says that another attempt is safe.
func TestSentBytes(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want actions.Status
	}{"written": {"insert", actions.Unknown}, "nothing written": {"", actions.Refused}} {
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		conn := counted{near, &atomic.Int64{}}
		r := run{call: &actions.Call{}, backend: postgres{}, sent: conn.sent}
		for _, text := range []string{"the beginning of the session", tc.text} {
			r.mark()
			if _, err := conn.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if out := r.outcome(t.Context(), driver.ErrBadConn, sentAlone); out.Status != tc.want {
			t.Errorf("%s: %v, want %v", name, out.Status, tc.want)
		}
		near.Close()
		far.Close()
	}
}

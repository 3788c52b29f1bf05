//go:build unix

package ssh

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions/sys/process"
)

// silentConn is a connection that can break silently, as networks do: nothing that is sent
// arrives, and nothing comes back.
type silentConn struct {
	net.Conn
	broken atomic.Bool
}

func (s *silentConn) Write(b []byte) (int, error) {
	if s.broken.Load() {
		return len(b), nil
	}
	return s.Conn.Write(b)
}

// connectSilently connects to a machine over a silentConn.
func connectSilently(t *testing.T) (*Client, *silentConn) {
	t.Helper()
	line := &silentConn{}
	c, err := Connect(t.Context(), func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		line.Conn, err = dial(ctx, network, address)
		return line, err
	}, newMachine(t, passwordConfig("sw0rdfish", false)).target(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, line
}

// TestBrokenWithoutAWord checks that calls over a silently broken connection end when their
// context ends. A command that was not started yet has had no effect.
func TestBrokenWithoutAWord(t *testing.T) {
	t.Parallel()
	c, line := connectSilently(t)
	out := &firstWrite{first: make(chan struct{})}
	go func() { <-out.first; line.broken.Store(true) }()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-out.first; cancel(cause) }()
	begun := time.Now()
	exit, err := c.Run(ctx, &process.Command{Args: []string{"sh", "-c", "echo; exec sleep 60"}, Stdout: out, Grace: time.Minute})
	if err != nil || !errors.Is(exit.Ended, cause) {
		t.Errorf("while it runs: %+v, %v", exit, err)
	}
	if took := time.Since(begun); took > keepAliveEvery {
		t.Errorf("it took %s after the call was cancelled", took)
	}
	var start *process.StartError
	_, err = c.Run(t.Context(), &process.Command{Args: []string{"true"}, Timeout: 50 * time.Millisecond})
	if !errors.As(err, &start) || !errors.Is(err, process.ErrTimeout) {
		t.Errorf("before it runs: %v", err)
	}
}

// TestPoolWaitsNoLonger checks that a call that waits for the login of another call ends when
// its own context ends.
func TestPoolWaitsNoLonger(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to := (&machine{address: l.Addr().String(), hostKey: "SHA256:x"}).target()
	p := NewPool()
	dialled := make(chan struct{})
	first, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = p.Get(first, func(ctx context.Context, network, address string) (net.Conn, error) {
			close(dialled)
			<-ctx.Done()
			return nil, ctx.Err()
		}, to, nil)
	}()
	<-dialled
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, _, err := p.Get(ctx, dial, to, nil); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	end()
	<-ended
}

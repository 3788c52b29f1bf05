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

// silenced is a connection that can break without a word, as one does over a
// network: what is sent then arrives nowhere, and nothing comes back.
type silenced struct {
	net.Conn
	broken atomic.Bool
}

func (s *silenced) Write(b []byte) (int, error) {
	if s.broken.Load() {
		return len(b), nil
	}
	return s.Conn.Write(b)
}

// overSilenced connects to a machine over a connection that can be broken.
func overSilenced(t *testing.T) (*Client, *silenced) {
	t.Helper()
	line := &silenced{}
	c, err := Connect(t.Context(), func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		line.Conn, err = dial(ctx, network, address)
		return line, err
	}, newMachine(t, passwords("sw0rdfish", false)).target(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, line
}

// TestBrokenWithoutAWord: a call ends in its time over a connection that answers
// nothing any more. A command that was not asked for yet has done nothing.
func TestBrokenWithoutAWord(t *testing.T) {
	t.Parallel()
	c, line := overSilenced(t)
	out := &signalled{first: make(chan struct{})}
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
		t.Errorf("it took %s, though nobody waits", took)
	}
	var start *process.StartError
	_, err = c.Run(t.Context(), &process.Command{Args: []string{"true"}, Timeout: 50 * time.Millisecond})
	if !errors.As(err, &start) || !errors.Is(err, process.ErrTimeout) {
		t.Errorf("before it runs: %v", err)
	}
}

// TestPoolWaitsNoLonger: who waits for another to log in ends in its own time.
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
		t.Errorf("it says %v", err)
	}
	end()
	<-ended
}

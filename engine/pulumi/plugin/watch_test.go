package plugin

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestWatchEngine: the end of standard input ends the process where the engine
// is gone, and only there.
func TestWatchEngine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()

	t.Run("engine alive", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		orphaned, ended := make(chan struct{}), make(chan struct{})
		go func() {
			watchEngine(ctx, strings.NewReader(""), address, orphaned)
			close(ended)
		}()
		if conn, err := l.Accept(); err != nil || conn.Close() != nil {
			t.Fatalf("the engine was not looked for: %v", err)
		}
		select {
		case <-orphaned:
			t.Error("it is thought dead")
		default:
		}
		cancel()
		<-ended
	})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Run("engine dead", func(t *testing.T) {
		stdin, writer := io.Pipe()
		orphaned := make(chan struct{})
		go watchEngine(t.Context(), stdin, address, orphaned)
		select {
		case <-orphaned:
			t.Fatal("it does not wait for the end of standard input")
		case <-time.After(20 * time.Millisecond):
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-orphaned:
		case <-time.After(time.Minute):
			t.Fatal("a dead engine goes unnoticed")
		}
	})
}

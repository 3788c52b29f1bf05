//go:build unix

package ssh

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestTransferWithoutAnswers: a machine that lets in, and says nothing more of the
// files that it is given, keeps no call that is cancelled.
func TestTransferWithoutAnswers(t *testing.T) {
	for _, silent := range []string{"subsystem", "sftp"} {
		t.Run(silent, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, passwords("sw0rdfish", false))
			m.silent = silent
			c := connected(t, m.target())
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, cancel)
			done := make(chan error, 1)
			go func() { done <- put(ctx, c) }()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(answerWait + 10*time.Second):
				t.Error("it has not ended")
			}
		})
	}
}

func put(ctx context.Context, c *Client) error {
	files, err := c.Files(ctx)
	if err != nil {
		return err
	}
	defer files.Close()
	return files.Put(ctx, "a", 0o600, strings.NewReader("x"))
}

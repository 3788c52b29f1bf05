//go:build unix

package ssh

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestTransferWithoutAnswers checks that a cancelled transfer ends, also if the machine
// accepts the login and then does not respond.
func TestTransferWithoutAnswers(t *testing.T) {
	for _, silent := range []string{"subsystem", "sftp"} {
		t.Run(silent, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, passwordConfig("sw0rdfish", false))
			m.silent = silent
			c := mustConnect(t, m.target())
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, cancel)
			done := make(chan error, 1)
			go func() { done <- put(ctx, c) }()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the transfer ended with %v", err)
				}
			case <-time.After(responseWait + 10*time.Second):
				t.Error("the transfer has not ended")
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

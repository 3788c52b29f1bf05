package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// asleep are the sleeps of that many seconds that run.
func asleep(t *testing.T, seconds string) (out []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatalf("there is no table of processes: %v", err)
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err == nil && string(line) == "sleep\x00"+seconds+"\x00" {
			out = append(out, path)
		}
	}
	return out
}

// TestSupervisorIsHarmed: a command can do to its supervisor what the system does
// when memory is short. What it has started ends then, too, in whatever group it is,
// and nobody waits for long.
func TestSupervisorIsHarmed(t *testing.T) {
	const brood = `set -m; sleep "$1" & sleep "$1" & `
	for name, test := range map[string]struct {
		script  string
		timeout time.Duration
		cancel  time.Duration
		ended   error
	}{
		"killed":                     {script: brood + `sleep 0.2; kill -KILL $PPID; sleep "$1"`},
		"killed at once":             {script: brood + `kill -KILL $PPID; sleep "$1"`},
		"stopped, until its timeout": {script: brood + `kill -STOP $PPID; sleep "$1"`, timeout: 300 * time.Millisecond, ended: ErrTimeout},
		"stopped, and cancelled":     {script: brood + `kill -STOP $PPID; sleep "$1"`, cancel: 300 * time.Millisecond, ended: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seconds := fmt.Sprintf("4711.%09d", rand.IntN(1e9)) // nobody else's sleep
			ctx := t.Context()
			if test.cancel > 0 {
				var stop func()
				ctx, stop = context.WithTimeout(ctx, test.cancel)
				defer stop()
			}
			s, err := startSupervisor(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			s.patience = 300 * time.Millisecond
			c := shell(test.script, seconds)
			var said bytes.Buffer
			c.Timeout, c.Grace, c.Stderr = test.timeout, 100*time.Millisecond, &said
			exit, reusable, err := s.run(ctx, c)
			if reusable || !errors.Is(exit.Ended, test.ended) || (err == nil) != (test.ended != nil) {
				t.Errorf("got %+v, %v, reusable %v: %s", exit, err, reusable, said.String())
			}
			if left := asleep(t, seconds); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestProviderAndSupervisorAreKilled checks that a command ends if its supervisor is killed and its
// provider is gone, with all that it has started, in any session.
func TestProviderAndSupervisorAreKilled(t *testing.T) {
	t.Parallel()
	seconds := fmt.Sprintf("4712.%09d", rand.IntN(1e9)) // nobody else's sleep
	s, err := startSupervisor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read, write := io.Pipe()
	c := shell(`sleep "$1" & setsid sleep "$1" & (setsid sh -c '(sleep "$1" &) ; exec sleep "$1"' sh "$1" &); echo $PPID; exec sleep "$1"`, seconds)
	c.Stdout = write
	pipes, err := openPipes(c)
	if err != nil {
		t.Fatal(err)
	}
	defer pipes.close()
	if err := s.start(c, pipes); err != nil {
		t.Fatal(err)
	}
	pipes.copy(c)
	var above int
	if _, err := fmt.Fscan(read, &above); err != nil {
		t.Fatal(err)
	}
	const brood = 5
	await := func(n int) (left []string) {
		for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
			if left = asleep(t, seconds); len(left) == n {
				return nil
			}
		}
		return left
	}
	if got := await(brood); got != nil {
		t.Fatalf("%v run, expected %d", got, brood)
	}
	// In the other order, the supervisor may see that the provider is gone, and end by itself.
	if err := syscall.Kill(above, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.close()
	if left := await(0); left != nil {
		t.Errorf("left: %v", left)
	}
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		t.Error("the reaper is left")
	}
}

// TestProviderIsGone: what lies in a command's own folders, and may be secret, goes
// where nobody is left to remove it.
func TestProviderIsGone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := startSupervisor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := shell(`echo secret > "$1/key"; echo; exec sleep 60`, folder)
	began, write := io.Pipe()
	c.Scratch, c.Stdout = []string{folder}, write
	ended := make(chan error, 1)
	go func() {
		_, _, err := s.run(t.Context(), c)
		ended <- err
	}()
	if _, err := began.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	// To the supervisor, that is what the provider's death looks like.
	if err := s.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

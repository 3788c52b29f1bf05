// Package kill ends commands in every way that they can be ended, and looks for
// their processes in the table of all.
package kill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// processes are those whose environment has the mark, those of the supervisors of
// a provider, and those that a supervisor or such a process has started, by id.
func processes(t *testing.T, mark string) map[int]string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no table of processes: %v", err)
	}
	out := map[int]string{}
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte("MARK="+mark+"\x00")) {
			continue // ended, or another's
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		out[id] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return out
}

// bare are the processes of the brood that have shed their environment.
func bare(t *testing.T) map[int]bool {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]bool{}
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && len(environ) == 0 && string(line) == "sleep\x001000\x00" {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out[id] = true
		}
	}
	return out
}

// hung is a provider whose command hangs, with all that it has started.
type hung struct {
	*provider.Process
	mark    string
	started map[int]string
	before  map[int]bool
	result  chan error
}

func hang(t *testing.T, kind string) *hung {
	t.Helper()
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	dir := t.TempDir()
	h := &hung{mark: fmt.Sprintf("%s-%d-%d", kind, os.Getpid(), time.Now().UnixNano()), result: make(chan error, 1), before: bare(t)}
	h.Process = provider.Configured(t, provider.Folder(t, "brood", "tests/exec/kill/testdata/brood.cue"), "brood", dir, nil)
	r := client.Resource{Type: "brood:index:" + kind, Name: "it"}
	go func() {
		inputs := property.NewMap(map[string]property.Value{"mark": property.New(h.mark)})
		_, err := h.Create(context.Background(), r, inputs, client.Operation{})
		h.result <- err
	}()
	h.ready(t, filepath.Join(dir, "ready"))
	return h
}

// ready waits until the brood is complete.
func (h *hung) ready(t *testing.T, file string) {
	t.Helper()
	const brood = 6
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		h.started = processes(t, h.mark)
		if _, err := os.Stat(file); err == nil && len(h.started) >= brood && len(bare(t)) > len(h.before) {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("the brood is not complete: %v", h.started)
		}
	}
}

// gone asserts that no process of the brood lives, within a time.
func (h *hung) gone(t *testing.T, within time.Duration) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		left, shed := processes(t, h.mark), 0
		for id := range bare(t) {
			if !h.before[id] {
				shed++
			}
		}
		if len(left) == 0 && shed == 0 {
			t.Logf("%d processes were ended %s later", len(h.started)+1, time.Since(began).Round(10*time.Millisecond))
			return
		}
		if time.Since(began) > within {
			t.Fatalf("left: %v, and %d without an environment", left, shed)
		}
	}
}

// fails asserts that the create fails with a text. Nobody knows what a command did
// that was cut off, so there is no resource, and the journal is named.
func (h *hung) fails(t *testing.T, with string) {
	t.Helper()
	select {
	case err := <-h.result:
		var kept *client.InitFailed
		if err == nil || !strings.Contains(err.Error(), with) {
			t.Errorf("the create failed with %v, and should with %q", err, with)
		} else if errors.As(err, &kept) || !strings.Contains(err.Error(), "`declprov journal`") {
			t.Errorf("the create that was cut off failed with %v, want no resource, and the journal named", err)
		}
	case <-time.After(time.Minute):
		t.Error("the create has not ended")
	}
}

func TestTimeout(t *testing.T) {
	h := hang(t, "Timed")
	h.fails(t, "longer than its timeout of 10s")
	h.gone(t, 0)
}

// TestCancel: the first Cancel gives a command the grace, the second ends it.
func TestCancel(t *testing.T) {
	for name, tc := range map[string]struct {
		grace   string
		cancels int
	}{"the grace is over": {"500ms", 1}, "cancelled twice": {"1m", 2}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DECLPROV_CANCEL_GRACE", tc.grace)
			h := hang(t, "Hung")
			for range tc.cancels {
				if err := h.Cancel(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			h.fails(t, "cancelled")
			h.gone(t, 0)
		})
	}
}

// TestCancelLetsACommandFinish: one that ends within the grace has succeeded; one
// that does not gets TERM.
func TestCancelLetsACommandFinish(t *testing.T) {
	for name, tc := range map[string]struct {
		grace, ended string
		finishes     bool
	}{"it ends in time": {"1m", "done\n", true}, "the grace is over": {"300ms", "TERM\n", false}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DECLPROV_CANCEL_GRACE", tc.grace)
			t.Setenv("DECLPROV_JOURNAL", t.TempDir())
			dir := t.TempDir()
			p := provider.Configured(t, provider.Folder(t, "patient", "tests/exec/kill/testdata/patient.cue"), "patient", dir, nil)
			result := make(chan error, 1)
			go func() {
				r := client.Resource{Type: "patient:index:Patient", Name: "it"}
				inputs := property.NewMap(map[string]property.Value{"mark": property.New("it")})
				_, err := p.Create(context.Background(), r, inputs, client.Operation{})
				result <- err
			}()
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
					break
				}
				if time.Since(began) > time.Minute {
					t.Fatal("it does not begin")
				}
			}
			if err := p.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tc.finishes {
				time.Sleep(200 * time.Millisecond)
				if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case err := <-result:
				if tc.finishes != (err == nil) {
					t.Errorf("the create ended with %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("the create has not ended")
			}
			if got, err := os.ReadFile(filepath.Join(dir, "ended")); err != nil || string(got) != tc.ended {
				t.Errorf("it ended with %q, %v, want %q", got, err, tc.ended)
			}
		})
	}
}

// TestProviderIsKilled kills it without giving it a chance to clean up.
func TestProviderIsKilled(t *testing.T) {
	h := hang(t, "Hung")
	h.Kill()
	h.gone(t, 20*time.Second)
}

func TestProviderIsInterrupted(t *testing.T) {
	h := hang(t, "Hung")
	if err := h.Interrupt(); err != nil {
		t.Fatal(err)
	}
	h.gone(t, 20*time.Second)
	if !h.Ends(time.Minute) {
		t.Error("the provider has not ended")
	}
}

// TestPulumiIsInterrupted presses Ctrl-C in the real CLI.
func TestPulumiIsInterrupted(t *testing.T) {
	h := &hung{mark: fmt.Sprintf("cli-%d-%d", os.Getpid(), time.Now().UnixNano()), before: bare(t)}
	s := pulumitest.New(t, pulumitest.Providers{"brood": provider.Folder(t, "brood", "tests/exec/kill/testdata/brood.cue")},
		"DECLPROV_CANCEL_GRACE=1s", "DECLPROV_JOURNAL="+t.TempDir())
	s.Program("resources:\n  it: {type: brood:Hung, properties: {mark: " + h.mark + "}}\n")
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.Project.Up(ctx) // it is cut off
	}()
	h.ready(t, filepath.Join(s.Dir, "ready"))
	interrupt()
	h.gone(t, 30*time.Second)
	<-ended
}

//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
)

// TestMain lets this binary be the supervisor that it starts.
func TestMain(m *testing.M) {
	if supervisor.Main(os.Args) {
		return
	}
	os.Exit(m.Run())
}

// shell is a command of /bin/sh.
func shell(script string, args ...string) Command {
	return Command{
		Path: "/bin/sh", Args: append([]string{"sh", "-c", script, "sh"}, args...), Env: []string{"PATH=" + os.Getenv("PATH")},
		Dir: "/", Grace: 200 * time.Millisecond,
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		command        Command
		stdin          string
		want           Exit
		stdout, stderr string
	}{
		"output":              {command: shell(`echo out; echo err >&2`), stdout: "out\n", stderr: "err\n"},
		"an exit code":        {command: shell(`exit 7`), want: Exit{Code: 7}},
		"a signal":            {command: shell(`kill -USR1 $$`), want: Exit{Code: -1, Signal: "SIGUSR1"}},
		"stdin":               {command: shell(`cat`), stdin: "in\x00\xff", stdout: "in\x00\xff"},
		"stdin nobody reads":  {command: shell(`:`), stdin: strings.Repeat("x", 1<<20)},
		"no stdin":            {command: shell(`cat`)},
		"arguments":           {command: shell(`printf '%s|' "$@"`, "", "a b", "\xff", "'\"$(x)"), stdout: "|a b|\xff|'\"$(x)|"},
		"no environment":      {command: Command{Path: "/usr/bin/env", Args: []string{"env"}, Dir: "/"}},
		"an environment":      {command: Command{Path: "/usr/bin/env", Args: []string{"env"}, Env: []string{"A=b\xff"}, Dir: "/"}, stdout: "A=b\xff\n"},
		"a folder":            {command: Command{Path: "/bin/pwd", Args: []string{"pwd"}, Dir: dir}, stdout: dir + "\n"},
		"its own name":        {command: Command{Path: "/bin/sh", Args: []string{"it", "-c", "echo $0"}, Dir: "/"}, stdout: "it\n"},
		"no terminal":         {command: shell(`(: </dev/tty) 2>/dev/null || exit 1`), want: Exit{Code: 1}},
		"no other files":      {command: shell(`for f in 3 4 5 6 7 8 9; do (: <&$f) 2>/dev/null && echo $f; done; :`)},
		"much of both":        {command: shell(`i=0; while [ $i -lt 2000 ]; do echo 0123456789; echo 0123456789 >&2; i=$((i+1)); done`), stdout: strings.Repeat("0123456789\n", 2000), stderr: strings.Repeat("0123456789\n", 2000)},
		"a background writer": {command: shell(`(sleep 0.2; echo late) & echo soon`), stdout: "soon\nlate\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var p Pool
			var stdout, stderr bytes.Buffer
			c := test.command
			c.Stdout, c.Stderr = &stdout, &stderr
			if test.stdin != "" {
				c.Stdin = strings.NewReader(test.stdin)
			}
			got, err := p.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.stdout, stdout.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.stderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDoesNotStart(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("#!/no/such\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var p Pool
	for name, test := range map[string]struct {
		command Command
		want    error
	}{
		"no program":     {Command{Path: "/no/such", Args: []string{"x"}, Dir: "/"}, syscall.ENOENT},
		"not executable": {Command{Path: plain, Args: []string{"x"}, Dir: "/"}, syscall.EACCES},
		"no folder":      {Command{Path: "/bin/sh", Args: []string{"sh"}, Dir: "/no/such"}, syscall.ENOENT},
		"too long":       {Command{Path: "/bin/sh", Args: []string{"sh", strings.Repeat("x", 4<<20)}, Dir: "/"}, syscall.E2BIG},
		"a NUL":          {Command{Path: "/bin/sh", Args: []string{"a\x00b"}, Dir: "/"}, syscall.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.Run(t.Context(), test.command)
			var start *StartError
			if !errors.As(err, &start) || !errors.Is(err, test.want) {
				t.Errorf("error is %v, want a StartError of %v", err, test.want)
			}
		})
	}
	if len(p.idle) != 1 {
		t.Errorf("%d supervisors were used, want one", len(p.idle))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(cancelled, shell(":")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// brood starts processes in every way that gets away from its parent, and writes
// their ids: children, one in a session of its own, one whose parent is gone,
// one that takes no notice of TERM.
const brood = `
sleep 1000 & echo $!
setsid sh -c 'echo $$; exec sleep 1000' &
(setsid sh -c 'echo $$; exec sleep 1000' &)
sh -c 'trap "" TERM; echo $$; while :; do sleep 1000; done' &
(trap "" TERM; setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 1000; done' & ) &
`

func TestEnded(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		left   int
	}{
		"a shell":              {`echo $$; sleep 1000`, 1},
		"one that ignores":     {`trap "" TERM; echo $$; while :; do sleep 1000; done`, 1},
		"one that is stopped":  {`echo $$; kill -STOP $$`, 1},
		"a brood":              {brood + "echo $$; wait", 6},
		"a brood of no parent": {brood + "sleep 0.5; echo $$; exec sleep 1000", 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			var p Pool
			var stdout bytes.Buffer
			c := shell(test.script)
			c.Stdout = writer(func(b []byte) {
				stdout.Write(b)
				if bytes.Count(stdout.Bytes(), []byte("\n")) == test.left {
					cancel(enough)
				}
			})
			c.Timeout = time.Minute // should one of them never say its number
			got, err := p.Run(ctx, c)
			if err != nil || !errors.Is(got.Ended, enough) || got.Stuck != 0 {
				t.Errorf("%+v, %v", got, err)
			}
			pids := strings.Fields(stdout.String())
			if len(pids) != test.left {
				t.Errorf("processes %q, want %d", pids, test.left)
			}
			assertGone(t, pids)
		})
	}
}

// assertGone wants none of the processes to live.
func assertGone(t *testing.T, pids []string) {
	t.Helper()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Errorf("%q is no process", text)
		} else if lives(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

// lives reports whether a process has not ended; of one that has, its parent may
// not have asked.
func lives(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	zombie := err == nil && strings.Contains(string(stat), ") Z ")
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !zombie
}

func TestTimeout(t *testing.T) {
	var p Pool
	c := shell("exec sleep 1000")
	c.Timeout = 50 * time.Millisecond
	got, err := p.Run(t.Context(), c)
	want := Exit{Code: -1, Signal: "SIGTERM", Ended: ErrTimeout}
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestCancelledDuringGrace: a host that stops waiting while a command has its grace
// does not wait for all of that.
func TestCancelledDuringGrace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var p Pool
	c := shell(`trap 'echo term' TERM; echo on; while :; do sleep 0.1; done`)
	c.Timeout, c.Grace = 10*time.Second, time.Hour // by when the trap is set
	c.Stdout = writer(func(b []byte) {
		if bytes.Contains(b, []byte("term")) {
			cancel()
		}
	})
	got, err := p.Run(ctx, c)
	want := Exit{Code: -1, Signal: "SIGKILL", Ended: ErrTimeout}
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestCancelled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var p Pool
	c := shell(`trap 'echo term; exit 3' TERM; echo on; while :; do sleep 0.1; done`)
	c.Grace = time.Minute
	c.Stdout = writer(func([]byte) { cancel(cause) })
	got, err := p.Run(ctx, c)
	if diff := cmp.Diff(Exit{Code: 3, Ended: cause}, got, cmpopts.EquateErrors()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if len(p.idle) != 1 {
		t.Error("a supervisor below which nothing is left is not kept")
	}
}

// TestBackground: what a command leaves running when it ends runs on, and does
// not hold it up.
func TestBackground(t *testing.T) {
	var p Pool
	var stdout bytes.Buffer
	c := shell(`sleep 1000 & echo $!`)
	c.Stdout = &stdout
	began := time.Now()
	if got, err := p.Run(t.Context(), c); err != nil || got != (Exit{}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(stdout.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("it is gone: %v", err)
	}
	if len(p.idle) != 0 {
		t.Error("its supervisor is kept")
	}
}

// TestSupervisorIsKilled: the command dies with it.
func TestSupervisorIsKilled(t *testing.T) {
	var p Pool
	var stdout bytes.Buffer
	c := shell(`echo $$ $PPID; sleep 1000`)
	c.Stdout = writer(func(b []byte) {
		stdout.Write(b)
		fields := strings.Fields(stdout.String())
		pid, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Error(err)
		} else if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	_, err := p.Run(t.Context(), c)
	var start *StartError
	if err == nil || errors.As(err, &start) {
		t.Errorf("error is %v", err)
	}
	command := strings.Fields(stdout.String())[:1]
	pid, err := strconv.Atoi(command[0])
	if err != nil {
		t.Fatal(err)
	}
	// It is killed with its supervisor, and not waited for by anybody.
	for begun := time.Now(); lives(pid) && time.Since(begun) < 10*time.Second; time.Sleep(time.Millisecond) {
	}
	assertGone(t, command)
	if got, err := p.Run(t.Context(), shell("exit 4")); err != nil || got.Code != 4 {
		t.Errorf("the next one: %+v, %v", got, err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

func TestIdleSupervisorEnds(t *testing.T) {
	var p Pool
	if _, err := p.Run(t.Context(), shell(":")); err != nil {
		t.Fatal(err)
	}
	s := p.idle[0]
	p.expire(s)
	if len(p.idle) != 0 || s.isAlive() {
		t.Error("it is kept")
	}
	// One that died while nobody looked is not used.
	if _, err := p.Run(t.Context(), shell(":")); err != nil {
		t.Fatal(err)
	}
	if err := p.idle[0].conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); p.idle[0].isAlive() && time.Since(begun) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
	}
	if got, err := p.Run(t.Context(), shell("exit 5")); err != nil || got.Code != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func BenchmarkRun(b *testing.B) {
	var p Pool
	for b.Loop() {
		var out bytes.Buffer
		c := Command{Path: "/bin/true", Args: []string{"true"}, Dir: "/", Stdout: &out, Stderr: &out}
		if _, err := p.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBare(b *testing.B) {
	for b.Loop() {
		var out, err bytes.Buffer
		c := exec.Command("/bin/true")
		c.Env, c.Dir, c.Stdout, c.Stderr = []string{}, "/", &out, &err
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

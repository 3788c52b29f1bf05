package ssh

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/spec"
)

func TestMain(m *testing.M) {
	if supervisor.Main(os.Args) {
		return
	}
	os.Exit(m.Run())
}

type args = map[string]any

// end is what is known of a command that has ended.
type end struct {
	Status string
	Class  string
	Result any
}

// run runs a command on this machine, or on the one that the argument ssh names.
func run(t testing.TB, runner actions.Runner, with args) actions.Outcome {
	t.Helper()
	rules := []grant.Rule{{Access: grant.Run, Pattern: "/bin/sh"}}
	if words, ok := with["command"].([]string); ok {
		rules = append(rules, grant.Rule{Access: grant.Run, Pattern: words[0]})
	}
	programs, err := process.NewPrograms(t.TempDir(), os.Environ(), rules)
	if err != nil {
		t.Fatal(err)
	}
	net, err := network.New([]grant.Rule{{Access: grant.Connect, Pattern: "ssh://127.0.0.1:*"}})
	if err != nil {
		t.Fatal(err)
	}
	call := &actions.Call{Args: maps.Clone(with), Parts: map[string][]spec.Part{}, Env: &actions.Env{Processes: programs, Network: net}, Progress: func(string) {}}
	if words, ok := with["command"].([]string); ok {
		delete(call.Args, "command")
		for _, word := range words {
			call.Parts["command"] = append(call.Parts["command"], spec.Part{Text: word, Literal: true})
		}
	}
	return runner(t.Context(), exec.Family().Kind(""), call)
}

// login returns the argument ssh for the machine, at one of its ports.
func (m *machine) login(port int) args {
	return args{"host": "127.0.0.1", "port": int64(port), "user": m.user, "key": m.key, "hostKey": m.hostKey}
}

// forced makes the machine run another command for whoever logs in.
func (m *machine) forced(t testing.TB, command string) *machine {
	t.Helper()
	public, err := os.ReadFile(m.at("authorized_keys"))
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "authorized_keys", `command="`+strings.ReplaceAll(command, `"`, `\"`)+`" `+string(public))
	return m
}

// TestAlike checks that a command has the same result on another machine as on this one, also if a log-in there prints something,
// or runs the command as a child whose exit code it drops.
func TestAlike(t *testing.T) {
	t.Parallel()
	const big = 8 << 20
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdin := strings.Repeat("x", big)
	done := func(stdout any) end {
		return end{"done", "", args{"exitCode": int64(0), "stderr": "", "stdout": stdout}}
	}
	ended := func(status string, code int, stdout, stderr string) end {
		return end{status, strconv.Itoa(code), args{"exitCode": int64(code), "stderr": stderr, "stdout": stdout}}
	}
	refused := end{Status: "refused"}
	unknown := end{Status: "unknown"}
	background := func(what string) args {
		return args{"shell": what + ` & echo $! > "$PID"; echo hi`, "stdout": "lines"}
	}
	places := []struct {
		name    string
		machine *machine
		runner  actions.Runner
	}{
		{"here", nil, exec.Family().Runner()},
		{"there", newMachine(t).boot(t), exec.Family().Runner()},
		{"banner", newMachine(t).forced(t, `echo Welcome; echo on >&2; exec sh -c "$SSH_ORIGINAL_COMMAND"`).boot(t), exec.Family().Runner()},
		{"child", newMachine(t).forced(t, `echo Welcome; sh -c "$SSH_ORIGINAL_COMMAND"; echo Bye; exit 0`).boot(t), exec.Family().Runner()},
	}
	for _, tt := range []struct {
		name string
		args args
		want end
		// exact says that the exit code or signal must come from the machine itself.
		exact bool
	}{
		{"reads nothing of a big stdin", args{"shell": "echo ok", "stdin": stdin}, done("ok"), false},
		{"closes stdin", args{"shell": "exec 0<&-; sleep 0.3; echo ok", "stdin": stdin}, done("ok"), false},
		{"reads the beginning", args{"shell": "head -c 3", "stdin": stdin}, done("xxx"), false},
		{"reads all", args{"shell": "wc -c", "stdin": stdin}, done(strconv.Itoa(big)), false},
		{"copies all", args{"shell": "cat", "stdin": stdin, "maxBytes": "16MiB"}, done(stdin), false},
		{"fails early", args{"shell": "echo no >&2; exit 3", "stdin": stdin}, ended("failed", 3, "", "no"), false},
		{"refuses early", args{"shell": "echo no >&2; exit 9", "stdin": stdin, "exitCodes": args{"refused": []any{int64(9)}}}, ended("refused", 9, "", "no"), false},
		{"no stdin", args{"shell": "cat"}, done(""), false},
		{"leaves a process that holds stdout", background("sleep 47"), done([]any{"hi"}), false},
		{"leaves a process that writes", func() args {
			a := background("while sleep 0.05; do echo later; done")
			a["stdout"] = "none"
			return a
		}(), end{"done", "", args{"exitCode": int64(0), "stderr": ""}}, false},
		{"missing folder", args{"shell": "echo ok", "dir": "/none/of/these"}, refused, false},
		{"missing program", args{"command": []string{"no-such-program"}}, refused, false},
		{"missing file", args{"command": []string{"/none/of/these"}}, refused, false},
		{"not executable", args{"command": []string{plain}}, refused, false},
		{"a folder as the program", args{"command": []string{folder}}, refused, false},
		{"too long", args{"shell": "echo ok", "env": args{"V": strings.Repeat("x", 300_000)}}, refused, false},
		{"ends itself by a signal", args{"shell": "kill -KILL $$"}, unknown, false},
		{"a code like that of a signal", args{"shell": "exit 137"}, ended("failed", 137, "", ""), true},
		{"the codes of a shell", args{"shell": "exit 127"}, ended("failed", 127, "", ""), false},
		{"255", args{"shell": "exit 255"}, ended("failed", 255, "", ""), false},
		{"output in pieces", args{"shell": "printf a; sleep 0.2; printf b; sleep 0.2; echo c"}, done("abc"), false},
		{"no newline at the end", args{"shell": `printf 'a\nb'`, "stdout": "raw"}, done("a\nb"), false},
		{"newlines at the end", args{"shell": `printf 'a\n\n'`, "stdout": "raw"}, done("a\n\n"), false},
		{"bytes", args{"shell": `printf '\000\377\036\036declprov 12 start\n\r\n\036'`, "stdout": "bytes"}, done("AP8eHmRlY2xwcm92IDEyIHN0YXJ0Cg0KHg=="), false},
		{"JSON", args{"shell": `echo '{"a": 1}'`, "stdout": "json"}, done(args{"a": int64(1)}), false},
		{"no JSON", args{"shell": `echo Welcome`, "stdout": "json"}, unknown, false},
		{"more than maxBytes", args{"shell": "head -c 3000 /dev/zero | tr '\\000' x", "maxBytes": int64(2999)}, unknown, false},
		{"a trap", args{"shell": "trap 'echo bye' 0; exit 4"}, ended("failed", 4, "bye", ""), false},
		{"takes too long", args{"shell": "sleep 48", "timeout": "5s"}, end{"unknown", "timeout", nil}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, where := range places {
				if where.name == "child" && tt.exact {
					continue
				}
				with, pid := maps.Clone(tt.args), filepath.Join(t.TempDir(), "pid")
				if m := where.machine; m != nil {
					with["ssh"] = m.login(m.port)
				}
				if _, given := with["env"]; !given {
					with["env"] = args{"PID": pid}
				}
				if _, limited := with["timeout"]; limited && where.machine != nil {
					// The time of a log-in counts: it must not be all of it.
					run(t, where.runner, args{"shell": "true", "ssh": with["ssh"]})
				}
				begun := time.Now()
				out := run(t, where.runner, with)
				if diff := cmp.Diff(tt.want, end{out.Status.String(), out.Class, out.Result}); diff != "" {
					t.Errorf("%s: %.600v (-want +got):\n%.1000s", where.name, out.Err, diff)
				}
				if took := time.Since(begun); took > 30*time.Second {
					t.Errorf("%s: it took %s", where.name, took)
				}
				if strings.HasPrefix(tt.name, "leaves") {
					endLeft(t, pid)
				}
			}
		})
	}
}

// endLeft ends a process that a command has left, and asserts that it was running.
func endLeft(t testing.TB, file string) {
	t.Helper()
	pid := waitForPid(t, file)
	if !runs(pid) {
		t.Errorf("the process %d that the command left was ended", pid)
	}
	if left, err := os.FindProcess(pid); err == nil {
		_ = left.Kill()
	}
}

// waitForPid returns the process id that a file contains, once it does.
func waitForPid(t testing.TB, file string) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
	}
	t.Fatalf("%s has no process id", file)
	return 0
}

// runs reports whether a process runs. One that has ended, and that nobody has waited for, does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

// TestAnotherProgram checks that a command that the machine did not run is refused, and nothing of it was sent.
func TestAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, forced := range map[string]string{
		"ends with 0": "true", "fails": "echo This account is not available; exit 1", "ends by a signal": "kill -KILL $$",
		"reads": "cat > read", "prints what it reads": "exec cat",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			read := filepath.Join(m.dir, "read")
			m.forced(t, strings.ReplaceAll(forced, "> read", "> "+read)).boot(t)
			made := filepath.Join(m.dir, "made")
			with := args{"shell": `touch "$F"`, "env": args{"F": made, "PIN": "4711"}, "ssh": m.login(m.port)}
			if strings.Contains(forced, "cat") {
				with["timeout"] = "1s"
			}
			out := run(t, exec.Family().Runner(), with)
			if out.Status != actions.Refused || out.Result != nil {
				t.Errorf("%s: %v", out.Status, out.Err)
			}
			if _, err := os.Stat(made); err == nil {
				t.Error("it has run")
			}
			if text, _ := os.ReadFile(read); len(text) > 0 {
				t.Errorf("the other program got %q", text)
			}
		})
	}
}

// line is a connection to a machine that can break.
type line struct {
	port int
	mu   sync.Mutex
	ours []net.Conn // the ends of the client
	all  []net.Conn
}

func newLine(t testing.TB, m *machine) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{port: listener.Addr().(*net.TCPAddr).Port}
	t.Cleanup(func() { listener.Close(); l.cut(true) })
	go func() {
		for {
			ours, err := listener.Accept()
			if err != nil {
				return
			}
			theirs, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", "127.0.0.1:"+strconv.Itoa(m.port))
			if err != nil {
				ours.Close()
				continue
			}
			l.mu.Lock()
			l.ours, l.all = append(l.ours, ours), append(l.all, ours, theirs)
			l.mu.Unlock()
			go func() { _, _ = io.Copy(theirs, ours) }()
			go func() { _, _ = io.Copy(ours, theirs) }()
		}
	}()
	return l
}

// cut breaks the connections. The machine only notices it if both sides are cut.
func (l *line) cut(both bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ends := l.ours
	if both {
		ends = l.all
	}
	for _, c := range ends {
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// TestNoRunBesideALostOne checks that a command whose connection broke has ended before the next one runs, and that its outcome is
// unknown.
func TestNoRunBesideALostOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		both  bool
		shell string
	}{
		"noticed":                     {true, `echo $$ > "$PID"; sleep 5; echo old > "$F"`},
		"not noticed":                 {false, `echo $$ > "$PID"; sleep 5; echo old > "$F"`},
		"not noticed, and it goes on": {false, `trap '' TERM; echo $$ > "$PID"; for i in 1 2 3 4 5; do sleep 1; done; echo old > "$F"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t).boot(t)
			l, runner := newLine(t, m), exec.Family().Runner()
			env := args{"F": filepath.Join(m.dir, "f"), "PID": filepath.Join(m.dir, "pid")}
			first := make(chan actions.Outcome, 1)
			go func() {
				first <- run(t, runner, args{"shell": tt.shell, "env": env, "grace": "1s", "idempotent": true, "ssh": m.login(l.port)})
			}()
			pid := waitForPid(t, m.dir+"/pid")
			l.cut(tt.both)
			if out := <-first; out.Status != actions.Unknown || out.Class != "connection" || !out.Again {
				t.Errorf("%s, class %q, again %v: %v", out.Status, out.Class, out.Again, out.Err)
			}
			out := run(t, runner, args{"shell": `! kill -0 "$OLD" 2>/dev/null || grep -q ") Z" "/proc/$OLD/stat"`, "env": args{"OLD": strconv.Itoa(pid)}, "ssh": m.login(l.port)})
			if out.Status != actions.Done {
				t.Errorf("the first one still runs: %v", out.Err)
			}
			if _, err := os.Stat(m.dir + "/f"); err == nil {
				t.Error("the first one ran to its end")
			}
		})
	}
}

// TestConnectionEndsCommand checks that a command ends when its connection ends, also without a further command, as if the provider was
// killed; and that a process stays that a command left before.
func TestConnectionEndsCommand(t *testing.T) {
	t.Parallel()
	m := newMachine(t).boot(t)
	l, runner := newLine(t, m), exec.Family().Runner()
	kept := filepath.Join(m.dir, "kept")
	out := run(t, runner, args{"shell": `sleep 49 & echo $! > "$PID"`, "env": args{"PID": kept}, "stdout": "none", "ssh": m.login(l.port)})
	if out.Status != actions.Done {
		t.Fatal(out.Err)
	}
	var all sync.WaitGroup
	var pids []int
	for i, shell := range []string{
		`echo $$ > "$PID"; sleep 50`, `echo $$ > "$PID"; cat; sleep 50`, `trap '' TERM; echo $$ > "$PID"; while :; do sleep 1; done`,
	} {
		file := filepath.Join(m.dir, strconv.Itoa(i))
		all.Go(func() {
			if out := run(t, runner, args{"shell": shell, "stdin": "in", "env": args{"PID": file}, "grace": "1s", "ssh": m.login(l.port)}); out.Status != actions.Unknown {
				t.Errorf("%d: %s: %v", i, out.Status, out.Err)
			}
		})
		pids = append(pids, waitForPid(t, file))
	}
	l.cut(true)
	all.Wait()
	for i, pid := range pids {
		for deadline := time.Now().Add(time.Minute); runs(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d still runs", i)
			}
		}
	}
	endLeft(t, kept)
}

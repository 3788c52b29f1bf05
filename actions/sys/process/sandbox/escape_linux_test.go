package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
)

// TestEscapes tries each escape by a command and by its grandchild, also as another user if
// the test runs as root. Without a sandbox, all succeed. In a sandbox, only those in
// docs/sandbox.md succeed.
func TestEscapes(t *testing.T) {
	needKernel(t)
	for _, who := range users() {
		for _, e := range escapes() {
			if e.root && !who.root() || e.arch != "" && e.arch != runtime.GOARCH {
				continue
			}
			t.Run(who.name+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				who.escape(t, e)
			})
		}
	}
}

func (u user) escape(t *testing.T, e escape) {
	t.Helper()
	// An escape that fails without a sandbox proves nothing.
	switch out, succeeds := u.newWorld(t).try(t, e, nil, e.script); {
	case succeeds:
	case e.optional != "" && strings.Contains(out, unix.ENOSYS.Error()):
		t.Logf("this kernel does not support it: %s", e.optional)
	default:
		t.Fatalf("without a sandbox it fails: %s", out)
	}
	for by, script := range map[string]string{
		"the command":    e.script,
		"its grandchild": `sh -c '( eval "$SCRIPT" ) & wait $!'`,
	} {
		for _, granted := range []bool{false, true} {
			if granted && !e.ports && !(e.open != nil && e.open.ports) {
				continue
			}
			w := u.newWorld(t)
			w.grantPort(t, e, granted)
			before := w.outside(t)
			out, succeeds := w.try(t, e, w.rules(t), script)
			if want := e.open.succeeds(granted); succeeds != want {
				t.Errorf("%s, with a granted port %v: it succeeds: %v, want %v\n%s", by, granted, succeeds, want, out)
			}
			if e.open != nil {
				continue
			}
			if strings.Contains(out, secret) {
				t.Errorf("%s learned the secret: %s", by, out)
			}
			if diff := cmp.Diff(before, w.outside(t)); diff != "" {
				t.Errorf("%s changed files outside (-before +after):\n%s", by, diff)
			}
		}
	}
}

// succeeds reports whether an escape succeeds on this kernel. A nil exception never does.
func (e *exception) succeeds(port bool) bool {
	switch {
	case e == nil:
		return false
	case e.ports:
		return port
	}
	return e.closed == 0 || CurrentKernel().ABI < e.closed
}

// grantPort grants a port: another one, or, for escapes that need a granted port, the port of
// the world on another host.
func (w *world) grantPort(t *testing.T, e escape, granted bool) {
	t.Helper()
	if !granted {
		return
	}
	of := w.addr
	if e.open == nil {
		of = listen(t, "tcp", "127.0.0.1:0")
	}
	_, port, err := net.SplitHostPort(of)
	if err != nil {
		t.Fatal(err)
	}
	w.hosts = []string{"http://elsewhere.example:" + port}
}

// try runs a script, and reports whether the escape succeeds.
func (w *world) try(t *testing.T, e escape, box *Box, script string) (out string, succeeds bool) {
	t.Helper()
	out, err := w.run(t, box, script, "SCRIPT="+e.script)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("got %v, want an exit code", err)
	}
	if e.ends {
		return out, w.endedBy(t) == syscall.SIGIO
	}
	return out, err == nil
}

// endedBy returns the signal that ended the process outside, or SIGTERM if it was still
// running.
func (w *world) endedBy(t *testing.T) syscall.Signal {
	t.Helper()
	_ = w.outer.Process.Signal(syscall.SIGTERM)
	var exit *exec.ExitError
	if err := w.outer.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the process outside: got %v, want a signal", err)
	}
	return exit.Sys().(syscall.WaitStatus).Signal()
}

func TestWhatIsGrantedWorks(t *testing.T) {
	needKernel(t)
	for _, tc := range []struct{ name, script, want string }{
		{"read", `cat $RO/file $IN/file`, "read\nwrite\n"},
		{"list", `ls $RO`, "file\nprogram\n"},
		{"make, change, empty", `echo a > $IN/f; echo b >> $IN/f; cat $IN/f; : > $IN/f; cat $IN/f`, "a\nb\n"},
		{"rename and link within", `mkdir -p $IN/d/e && mv $IN/file $IN/d/e/f && ln $IN/d/e/f $IN/g && cat $IN/g`, "write\n"},
		{"remove", `mkdir $IN/d && rmdir $IN/d && rm $IN/file $IN/link && ls $IN`, "folder\n"},
		{"pipes and children", `seq 3 | while read n; do echo $n; done | sort -r | tr '\n' ' '`, "3 2 1 "},
		{"devices", `echo x > /dev/null; head -c 4 /dev/urandom | wc -c; cat < /dev/null`, "4\n"},
		{"temporary files", `f=$(mktemp) && echo t > $f && cat $f`, "t\n"},
		{"a home", `cd && echo h > .profile && cat .profile`, "h\n"},
		{"signals within", `sleep 60 & kill -KILL $! && wait $! 2>/dev/null; echo $?`, "137\n"},
		{"users", `id -u && getent passwd 0 | cut -d: -f1`, strconv.Itoa(os.Getuid()) + "\nroot\n"},
		{"a granted program", `$SELF rename $IN/file $IN/g && cat $IN/g`, "write\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			out, err := w.run(t, w.rules(t), tc.script)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(tc.want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFoldersOfItsOwn(t *testing.T) {
	needKernel(t)
	w := newWorld(t)
	files, err := files.New(w.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	box := boxOf(t, Command{Files: files, Network: networkOf(t), Own: []string{filepath.Join(w.dir, "ro")}})
	if out, err := w.run(t, box, `$RO/program && echo x > $RO/new`); err != nil || out != "ran\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := w.run(t, box, `ls $IN`); err == nil {
		t.Errorf("it can see other folders: %s", out)
	}
}

func TestPortsThatAreGranted(t *testing.T) {
	needKernel(t)
	for _, tc := range []struct {
		name   string
		grant  func(granted, other string) []string
		refuse bool
	}{
		{"its port", func(granted, _ string) []string { return []string{"http://" + granted} }, false},
		{"another port", func(_, other string) []string { return []string{"http://" + other} }, true},
		{"any port", func(string, string) []string { return []string{"http://*:*"} }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, other := newWorld(t), listen(t, "tcp", "127.0.0.1:0")
			w.hosts = tc.grant(w.addr, other)
			out, err := w.run(t, w.rules(t), `$SELF connect tcp $ADDR`)
			if refused := err != nil; refused != tc.refuse {
				t.Errorf("refused is %v, want %v: %v\n%s", refused, tc.refuse, err, out)
			}
		})
	}
}

// TestLinksDoNotBendGrants checks that links that a command puts into a granted folder do not
// extend the grants of the next command.
func TestLinksDoNotBendGrants(t *testing.T) {
	needKernel(t)
	for _, tc := range []struct {
		name  string
		rules []grant.Rule
	}{
		{"a file by name", []grant.Rule{{Access: grant.Write, Pattern: "in/link"}}},
		{"files by a pattern", []grant.Rule{{Access: grant.Write, Pattern: "in/l*"}}},
		{"folders by a pattern", []grant.Rule{{Access: grant.Write, Pattern: "in/f*/**"}}},
		{"a folder in a folder", []grant.Rule{{Access: grant.Write, Pattern: "in/**"}, {Access: grant.Read, Pattern: "in/folder/**"}}},
		{"files in a folder in a folder", []grant.Rule{{Access: grant.Write, Pattern: "in/**"}, {Access: grant.Write, Pattern: "in/folder/*"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.outside(t)
			for _, script := range []string{"cat $IN/link", "cat $IN/folder/secret", "echo x >> $IN/link", "echo x >> $IN/folder/secret"} {
				if out, err := w.run(t, w.granting(t, tc.rules...), script); err == nil || strings.Contains(out, secret) {
					t.Errorf("%s: %v\n%s", script, err, out)
				}
			}
			if diff := cmp.Diff(before, w.outside(t)); diff != "" {
				t.Errorf("files outside have changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestAPlaceThatIsReplaced checks a place that is replaced after it was found and before its
// rule is added.
func TestAPlaceThatIsReplaced(t *testing.T) {
	needKernel(t)
	for name, place := range map[string]func(*world) Place{
		"a file by a link":            func(w *world) Place { return Place{Base: w.dir, Below: "in/link"} },
		"a folder by a link":          func(w *world) Place { return Place{Base: w.dir, Below: "in/folder", Tree: true} },
		"a folder on the way":         func(w *world) Place { return Place{Base: w.dir, Below: "in/folder/secret"} },
		"a file by a folder":          func(w *world) Place { return Place{Base: w.dir, Below: "out"} },
		"a folder by one further out": func(w *world) Place { return Place{Base: filepath.Join(w.dir, "in"), Below: "../out", Tree: true} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			box := w.granting(t)
			box.Rules.Write = append(box.Rules.Write, place(w))
			if out, err := w.run(t, box, "cat $OUT/secret"); err == nil {
				t.Errorf("the outside is granted: %s", out)
			}
		})
	}
}

// TestTheProcessStaysOutside: the sandbox is a thread's, and the thread is gone.
func TestTheProcessStaysOutside(t *testing.T) {
	needKernel(t)
	w := newWorld(t)
	for range 20 {
		if out, err := w.run(t, w.rules(t), `true`); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := os.ReadFile(filepath.Join(w.dir, "out", "secret")); err != nil || string(got) != secret {
			t.Fatalf("this process is confined: %q, %v", got, err)
		}
	}
}

// TestTheLaunchersThreadIsNoWayOut checks that a command cannot escape through the thread of
// its launcher, which is in the same sandbox while it lives.
func TestTheLaunchersThreadIsNoWayOut(t *testing.T) {
	needKernel(t)
	for _, how := range []string{"trace", "peek"} {
		w := newWorld(t)
		box := w.rules(t)
		var out []byte
		var err error
		started := box.Rules.StartConfined(func() error {
			cmd := exec.Command(w.self, how, strconv.Itoa(unix.Gettid()))
			cmd.Env = []string{helperVariable + "=1", hasty}
			out, err = cmd.CombinedOutput()
			return nil
		})
		if started != nil {
			t.Fatal(started)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(string(out), unix.EPERM.Error()) {
			t.Errorf("%s: got %v, want a permission error\n%s", how, err, out)
		}
	}
}

// TestSocketsThatAreLeft checks which families, types and protocols of sockets remain, with
// and without a granted port.
func TestSocketsThatAreLeft(t *testing.T) {
	needKernel(t)
	for name, tc := range map[string]struct {
		port     bool
		families []int
	}{
		"without a port": {false, []int{unix.AF_UNIX, unix.AF_NETLINK}},
		"with a port":    {true, []int{unix.AF_UNIX, unix.AF_NETLINK, unix.AF_INET, unix.AF_INET6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grantPort(t, escape{}, tc.port)
			out, err := w.run(t, w.rules(t), `$SELF sockets`)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			found := map[int]bool{}
			for line := range strings.Lines(out) {
				var family, kind, protocol int
				if _, err := fmt.Sscan(line, &family, &kind, &protocol); err != nil {
					t.Fatal(err)
				}
				found[family] = true
				switch {
				case family == unix.AF_UNIX:
				case family == unix.AF_NETLINK && protocol == unix.NETLINK_ROUTE:
				case kind == unix.SOCK_STREAM && (protocol == 0 || protocol == unix.IPPROTO_TCP):
				case kind == unix.SOCK_DGRAM && (protocol == 0 || protocol == unix.IPPROTO_UDP):
				default:
					t.Errorf("a socket of family %d, type %d, protocol %d is available", family, kind, protocol)
				}
			}
			for family := range found {
				if !slices.Contains(tc.families, family) {
					t.Errorf("sockets of family %d are available", family)
				}
			}
			if len(found) != len(tc.families) {
				t.Errorf("sockets of families %v are available, want %v", found, tc.families)
			}
		})
	}
}

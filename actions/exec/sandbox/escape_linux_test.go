package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/actions"
)

// escape is something that a command may try outside of what it is granted. In
// the script IN is a folder that it may write, RO one that it may read, OUT one
// that it may not see, PID a process outside, SELF the program of this test.
type escape struct{ name, script string }

func escapes() []escape {
	return []escape{
		{"read a file", `cat $OUT/secret`},
		{"read through a link", `cat $IN/link`},
		{"read through a link of its own", `ln -s $OUT/secret $IN/own && cat $IN/own`},
		{"read by way of ..", `cat $IN/../out/secret`},
		{"read by way of /proc", `cat /proc/self/root$OUT/secret`},
		{"read by way of the working folder", `cd $OUT && cat secret`},
		{"read through a hard link", `ln $OUT/secret $IN/hard && cat $IN/hard`},
		{"list a folder", `ls $OUT`},
		{"list a folder through a link", `ls $IN/folder/`},
		{"make a file", `echo x > $OUT/new`},
		{"make a file through a link", `echo x > $IN/folder/new`},
		{"make a file where it may read", `echo x > $RO/new`},
		{"change a file", `echo x >> $OUT/secret`},
		{"change a file through a link", `echo x >> $IN/link`},
		{"change a file where it may read", `echo x >> $RO/file`},
		{"empty a file", `: > $OUT/secret`},
		{"empty a file by name", `$SELF truncate $OUT/secret`},
		{"remove a file", `rm $OUT/secret`},
		{"remove a file where it may read", `rm -f $RO/file`},
		{"make a folder", `mkdir $OUT/folder`},
		{"remove a folder", `rmdir $OUT/empty`},
		{"make a link", `ln -s / $OUT/root`},
		{"make a pipe", `mkfifo $OUT/pipe`},
		{"move a file in", `mv $OUT/secret $IN/`},
		{"rename a file in", `$SELF rename $OUT/secret $IN/secret`},
		{"rename a file out", `$SELF rename $IN/file $OUT/file`},
		{"rename a file from where it may read", `$SELF rename $RO/file $IN/other`},
		{"rename over a file", `$SELF rename $IN/file $OUT/secret`},
		{"link a file out", `ln $IN/file $OUT/hard`},
		{"swap a file", `$SELF exchange $IN/file $OUT/secret`},
		{"run a program where it may read", `$RO/program`},
		{"run a program of its own", `cp $RO/program $IN/own && $IN/own`},
		{"signal a process", `kill -0 $PID`},
		{"signal its launcher", `kill -0 $LAUNCHER`},
		{"trace a process", `$SELF trace $PID`},
		{"read the memory of a process", `$SELF peek $PID`},
		{"see the environment of a process", `cat /proc/$PID/environ`},
		{"see the command line of a process", `cat /proc/$PID/cmdline`},
		{"see the processes", `ls /proc`},
		{"connect", `$SELF connect tcp $ADDR`},
		{"listen", `$SELF listen 127.0.0.1:0`},
		{"connect to an abstract socket", `$SELF connect unix @$ABSTRACT`},
		{"signal a process by its handle", `$SELF pidfdsignal $PID`},
		{"queue a signal", `$SELF queue $PID`},
		{"write the memory of a process", `$SELF poke $PID`},
		{"take a file from a process", `$SELF getfd $PID`},
		{"compare processes", `$SELF kcmp $PID`},
		{"limit a process", `prlimit --pid $PID --nofile=64:64`},
		{"limit a process by the call", `$SELF prlimit $PID`},
		{"slow a process down", `renice -n 5 -p $PID`},
		{"slow a process down by the call", `$SELF priority $PID`},
		{"slow a group of processes down", `$SELF grouppriority $PID`},
		{"set the disk's priority of a process", `ionice -c 3 -p $PID`},
		{"set the disk's priority of a process by the call", `$SELF ioprio $PID`},
		{"bind a process to a processor", `taskset -p 1 $PID`},
		{"bind a process to a processor by the call", `$SELF affinity $PID`},
		{"set the scheduler of a process", `$SELF scheduler $PID`},
		{"set the scheduler's attributes of a process", `$SELF schedattr $PID`},
		{"share memory by number", `$SELF shmget`},
		{"share a semaphore by number", `$SELF semget`},
		{"share a queue by number", `$SELF msgget`},
		{"share a queue by name", `$SELF mqopen`},
		{"look for a keyring", `$SELF keyctl`},
		{"add a key", `$SELF addkey`},
		{"use io_uring", `$SELF iouring`},
		{"open by openat2", `$SELF openat2 $IN/file`},
		{"start by clone3", `$SELF clone3`},
		{"start in a user namespace", `$SELF newuser`},
		{"map itself to root", `unshare --user --map-root-user true`},
		{"connect to the host of a virtual machine", `$SELF vsock`},
		{"use Multipath TCP", `$SELF mptcp`},
		{"see the kernel's events", `$SELF uevents`},
		{"connect by sending", `$SELF fastopen $ADDR`},
		{"connect by sending a message", `$SELF fastmsg $ADDR`},
		{"listen without an address", `$SELF unbound`},
		{"listen without an address of IPv6", `$SELF unbound6`},
		{"send by UDP", `$SELF udp $ADDR`},
		{"leave a set-uid program", `cp $IN/file $IN/own && chmod u+s $IN/own`},
		{"leave a set-uid program by its handle", `$SELF fchmod $IN/file`},
		{"leave a set-uid program by fchmodat", `$SELF fchmodat $IN/file`},
		{"leave a set-uid program by fchmodat2", `$SELF fchmodat2 $IN/file`},
		{"leave a set-gid program", `$SELF setgid $IN/file`},
		{"make a set-uid program", `$SELF openmode $IN/own`},
		{"make a set-uid program without a name", `$SELF tmpmode $IN`},
		{"make a set-uid program as a device", `$SELF nodemode $IN/own`},
	}
}

// rootEscapes need root's capabilities; of a launcher that has started a sandbox
// no other user may trace, sandbox or not.
func rootEscapes() []escape {
	return []escape{
		{"trace its launcher", `$SELF trace $LAUNCHER`},
		{"make a device", `mknod $IN/device b 7 0`},
		{"mount", `mount -t tmpfs none $IN && umount $IN`},
		{"mount in a namespace of its own", `unshare --mount true`},
		{"set the host's name", `$SELF hostname`},
		{"give a file capabilities", `$SELF filecaps $IN/file`},
		{"advise on the memory of a process", `$SELF advise $PID`},
		{"use raw sockets", `$SELF raw`},
		{"use raw sockets of IPv6", `$SELF raw6`},
		{"see all packets", `$SELF packet`},
		{"load a program into the kernel", `$SELF bpf`},
		{"measure the machine", `$SELF perf`},
		{"handle its own page faults", `$SELF userfault`},
		{"read the kernel's log", `$SELF dmesg`},
		{"watch a whole disk", `$SELF fanotify`},
		{"open a file system", `$SELF fsopen`},
		{"set the clock", `$SELF clock`},
		{"take another root", `$SELF chroot $IN`},
		{"open a file by its number on the disk", `$SELF handle $OUT/secret`},
	}
}

// TestEscapes tries each as a command and as its grandchild, and where this test is
// root's as another user, too.
func TestEscapes(t *testing.T) {
	needKernel(t)
	for _, who := range users() {
		all := escapes()
		if who.root() {
			all = append(all, rootEscapes()...)
		}
		for _, e := range all {
			if who.other && strings.Contains(e.script, "$LAUNCHER") {
				continue // root's, which another user may not touch anyway
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
	// What is no escape without a sandbox shows nothing with one.
	free := u.newWorld(t)
	if out, err := free.run(t, nil, e.script); err != nil {
		t.Fatalf("without a sandbox: %v\n%s", err, out)
	}
	for who, script := range map[string]string{
		"the command":    e.script,
		"its grandchild": `sh -c '( eval "$SCRIPT" ) & wait $!'`,
	} {
		w := u.newWorld(t)
		before := w.outside(t)
		out, err := w.run(t, w.rules(t), script, "SCRIPT="+e.script)
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Errorf("%s: got %v, want an exit code\n%s", who, err, out)
		}
		if strings.Contains(out, secret) {
			t.Errorf("%s was told the secret: %s", who, out)
		}
		if diff := cmp.Diff(before, w.outside(t)); diff != "" {
			t.Errorf("%s changed the outside (-before +after):\n%s", who, diff)
		}
	}
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
	files, err := actions.NewFiles(w.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	box := boxOf(t, Command{Files: files, Network: networkOf(t), Own: []string{filepath.Join(w.dir, "ro")}})
	if out, err := w.run(t, box, `$RO/program && echo x > $RO/new`); err != nil || out != "ran\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := w.run(t, box, `ls $IN`); err == nil {
		t.Errorf("it may see others: %s", out)
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

// TestLinksDoNotBendGrants: what a command has put in a granted folder leads the
// next one nowhere.
func TestLinksDoNotBendGrants(t *testing.T) {
	needKernel(t)
	for _, tc := range []struct {
		name  string
		rules []actions.Rule
	}{
		{"a file by name", []actions.Rule{{Access: actions.WriteTo, Pattern: "in/link"}}},
		{"files by a pattern", []actions.Rule{{Access: actions.WriteTo, Pattern: "in/l*"}}},
		{"folders by a pattern", []actions.Rule{{Access: actions.WriteTo, Pattern: "in/f*/**"}}},
		{"a folder in a folder", []actions.Rule{{Access: actions.WriteTo, Pattern: "in/**"}, {Access: actions.Read, Pattern: "in/folder/**"}}},
		{"files in a folder in a folder", []actions.Rule{{Access: actions.WriteTo, Pattern: "in/**"}, {Access: actions.WriteTo, Pattern: "in/folder/*"}}},
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
				t.Errorf("the outside has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestAPlaceThatIsReplaced: between the look at a place and the rule for it,
// something else may take its place.
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
			t.Fatalf("this process is confined, too: %q, %v", got, err)
		}
	}
}

// TestTheLaunchersThreadIsNoWayOut: while it lives it is in the sandbox, beside the
// command.
func TestTheLaunchersThreadIsNoWayOut(t *testing.T) {
	needKernel(t)
	for _, how := range []string{"trace", "peek"} {
		w := newWorld(t)
		box := w.rules(t)
		var out []byte
		var err error
		started := box.Rules.Within(func() error {
			cmd := exec.Command(w.self, how, strconv.Itoa(unix.Gettid()))
			cmd.Env = []string{helperVariable + "=1"}
			out, err = cmd.CombinedOutput()
			return nil
		})
		if started != nil {
			t.Fatal(started)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(string(out), unix.EPERM.Error()) {
			t.Errorf("%s: got %v, want that it is not permitted\n%s", how, err, out)
		}
	}
}

package sandbox

import (
	"os/exec"
	"testing"
)

// TestProgramsOfPeople: programs that specs run for a living work in the sandbox,
// where this machine has them.
func TestProgramsOfPeople(t *testing.T) {
	need(t)
	for _, tc := range []struct{ name, needs, script, want string }{
		{"threads of Python", "python3", `python3 -c 'import threading
t = [threading.Thread(target=lambda: None) for _ in range(8)]
[x.start() for x in t]; [x.join() for x in t]; print("joined")'`, "joined"},
		{"processes of Python", "python3", `python3 -c 'import subprocess; print(subprocess.run(["sh", "-c", "echo child"], capture_output=True, text=True).stdout.strip())'`, "child"},
		{"the list of packages", "dpkg-query", `dpkg-query --version >/dev/null && echo listed`, "listed"},
		{"archives", "tar", `mkdir -p $IN/d && echo x > $IN/d/f && tar -C $IN -cf $IN/d.tar d && tar -tf $IN/d.tar | tail -n 1`, "d/f"},
		{"copies with modes", "cp", `cp -a $RO/file $IN/copied && chmod 640 $IN/copied && stat -c %a $IN/copied`, "640"},
		{"priorities of its own", "nice", `nice -n 5 sh -c 'nice'`, "5"},
		{"limits of its own", "prlimit", `ulimit -n 64 && sh -c 'ulimit -n'`, "64"},
		{"locks", "flock", `flock $IN/lock echo locked`, "locked"},
		{"a socket that is a file", "python3", `python3 -c 'import socket, os
s = socket.socket(socket.AF_UNIX); s.bind(os.environ["IN"] + "/s"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(os.environ["IN"] + "/s"); print("connected")'`, "connected"},
		{"names of hosts", "getent", `getent hosts localhost >/dev/null && echo found`, "found"},
		{"Perl", "perl", `perl -e 'print fork() ? (wait() > 0 ? "waited" : "") : ""'`, "waited"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := exec.LookPath(tc.needs); err != nil {
				t.Skipf("%s is not here", tc.needs)
			}
			w := newWorld(t, granting, "")
			if got := w.run(tc.script); got.code != 0 || got.stdout != tc.want {
				t.Errorf("got %+v, want %q", got, tc.want)
			}
		})
	}
}

package sandbox

import "testing"

// TestProgramsOfPeople: what scripts do for a living works in the sandbox. Programs that
// need more than a folder are in docs/programs.md.
func TestProgramsOfPeople(t *testing.T) {
	need(t)
	for _, tc := range []struct{ name, script, want string }{
		{"archives", `mkdir -p $IN/d && echo x > $IN/d/f && tar -C $IN -cf $IN/d.tar d && tar -tf $IN/d.tar | tail -n 1`, "d/f"},
		{"copies with modes", `cp -a $RO/file $IN/copied && chmod 640 $IN/copied && stat -c %a $IN/copied`, "640"},
		{"priorities of its own", `test $(nice -n 5 sh -c nice) -eq $(($(nice) + 5)) && echo raised`, "raised"},
		{"limits of its own", `ulimit -n 64 && sh -c 'ulimit -n'`, "64"},
		{"locks", `flock $IN/lock echo locked`, "locked"},
		{"a socket that is a file", `/usr/bin/python3 -c 'import socket, os
s = socket.socket(socket.AF_UNIX); s.bind(os.environ["IN"] + "/s"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(os.environ["IN"] + "/s"); print("connected")'`, "connected"},
		{"names of hosts", `getent hosts localhost >/dev/null && echo found`, "found"},
		{"Perl", `perl -e 'print fork() ? (wait() > 0 ? "waited" : "") : ""'`, "waited"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, granting, "")
			if got := w.run(tc.script); got.code != 0 || got.stdout != tc.want {
				t.Errorf("got %+v, want %q", got, tc.want)
			}
		})
	}
}

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// documented is a program of docs/programs.md, by its first column.
type documented struct {
	needs string // a tool, or "" of what every system has
	// root says that only root can run it.
	root bool
	// prepare makes what it works on, and returns what to write in the place of the
	// page's host.
	prepare      func(w *world) (host string)
	script, want string
}

func allDocumented() map[string]documented {
	return map[string]documented{
		"git, between local folders": {
			needs: tools.Git,
			script: `set -e; cd work; git init -q origin; cd origin; echo 1 > f; git add f
git -c user.name=a -c user.email=a@example.com commit -qm first
git clone -q ../origin ../copy; cd ../copy; git log --format=%s; git status --short`,
			want: "first",
		},
		"ssh": {
			needs: tools.SSHD, prepare: (*world).startSSHD,
			script: `ssh -p "${SERVER#*:}" -i keys/key -o UserKnownHostsFile=keys/hosts -o BatchMode=yes -o StrictHostKeyChecking=accept-new "$LOGIN@${SERVER%:*}" echo there 2>/dev/null`,
			want:   "there",
		},
		"dpkg-query": {script: `dpkg-query -W -f '${Status}' dpkg`, want: "install ok installed"},
		"psql": {
			needs: tools.PostgreSQL, prepare: (*world).startPostgreSQL,
			script: `psql -X -h "${SERVER%:*}" -p "${SERVER#*:}" -U somebody -d postgres -Atc 'CREATE TABLE t (n int); INSERT INTO t VALUES (41); SELECT n + 1 FROM t' | tail -n 1`,
			want:   "42",
		},
		"sqlite3":            {needs: tools.PowerDNS, script: `sqlite3 work/db 'CREATE TABLE t (n int); INSERT INTO t VALUES (41); SELECT n + 1 FROM t'`, want: "42"},
		"su, run by root":    {root: true, script: `su -s /bin/sh nobody -c 'id -un'`, want: "nobody"},
		"chown, run by root": {root: true, script: `echo x > work/f; chown nobody work/f; stat -c %U work/f`, want: "nobody"},
		"useradd, with `--prefix`, run by root": {
			root: true,
			script: `set -e; mkdir -p work/etc work/home; touch work/etc/passwd work/etc/group work/etc/shadow work/etc/gshadow
useradd --prefix "$PWD/work" --uid 4242 --create-home alice; grep -c ^alice:x:4242: work/etc/passwd; stat -c %u work/home/alice`,
			want: "1\n4242",
		},
		"python3, with threads and processes": {
			needs: tools.Python,
			script: `/usr/bin/python3 -c 'import threading, subprocess, multiprocessing.pool, tempfile, ssl
made = []
t = [threading.Thread(target=lambda i=i: made.append(open("work/%d" % i, "w").write("x"))) for i in range(8)]
[x.start() for x in t]; [x.join() for x in t]
print(len(made), subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())'`,
			want: "8 child",
		},
		"node, with worker threads": {
			needs: tools.Node,
			script: `node -e 'const {Worker} = require("worker_threads"), fs = require("fs");
Promise.all([1, 2, 3].map(n => new Promise(done => new Worker("require(\"worker_threads\").parentPort.postMessage(" + n + ")", {eval: true}).on("message", done))))
.then(all => { fs.writeFileSync("work/sum", String(all.reduce((a, b) => a + b))); console.log(require("child_process").execSync("cat work/sum").toString()) })'`,
			want: "6",
		},
		"java (OpenJDK of Debian)": {
			needs: tools.Java,
			script: `set -e; keytool -genkeypair -keyalg EC -dname CN=me -alias me -keystore work/keys -storepass secret >/dev/null 2>&1
keytool -list -keystore work/keys -storepass secret 2>&1 | grep -c PrivateKeyEntry`,
			want: "1",
		},
		"a Go program of yours": {prepare: (*world).copyProgram, script: `tools/program goroutines work/sum`, want: "4950"},
	}
}

// TestDocumentedPrograms runs each program of docs/programs.md with what the page says that it
// needs, and nothing else but the shell that this test runs it by.
func TestDocumentedPrograms(t *testing.T) {
	need(t)
	all := allDocumented()
	for _, row := range pageRows(t) {
		name, grants := row[0], row[1]
		program, ok := all[name]
		if !ok {
			t.Errorf("no test runs: %s", name)
			continue
		}
		delete(all, name)
		if program.root && os.Getuid() != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if program.needs != "" {
				tools.Need(t, program.needs)
			}
			w := madeWorld(t)
			for _, dir := range []string{"work", "keys", "tools"} {
				if err := os.Mkdir(filepath.Join(w.dir, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			server := ""
			if program.prepare != nil {
				server = program.prepare(w)
			}
			if server != "" {
				grants = regexp.MustCompile(`(server|database):\d+`).ReplaceAllLiteralString(grants, server)
			}
			grants = strings.Replace(grants, "run: [", `run: ["/bin/sh", `, 1)
			me, err := user.Current()
			if err != nil {
				t.Fatal(err)
			}
			w.serve("permissions: {"+grants+"}\n", "")
			script := fmt.Sprintf("SERVER='%s' LOGIN='%s'\n%s", server, me.Username, program.script)
			if got := w.run(script); got.code != 0 || strings.TrimSpace(got.stdout) != program.want {
				t.Errorf("got %+v, want %q", got, program.want)
			}
		})
	}
	for name := range all {
		t.Errorf("the page lacks: %s", name)
	}
}

// pageRows are the table's cells, the grants without their backquotes.
func pageRows(t *testing.T) [][2]string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "programs.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	for _, m := range regexp.MustCompile("(?m)^\\| (.*) \\| `(.*)` \\|$").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, [2]string{m[1], m[2]})
	}
	return rows
}

// copyProgram makes this program, which is one in Go, tools/program.
func (w *world) copyProgram() string {
	w.Helper()
	self, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "tools", "program"), program, 0o755); err != nil {
		w.Fatal(err)
	}
	return ""
}

// goroutines adds numbers up on many threads, and writes and prints the sum.
func goroutines(path string) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for i := range 100 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			sum += i
		})
	}
	wg.Wait()
	fmt.Println(sum)
	return os.WriteFile(path, []byte(strconv.Itoa(sum)), 0o644)
}

// startSSHD starts a server that lets this user in by keys/key.
func (w *world) startSSHD() string {
	w.Helper()
	if os.Getuid() == 0 {
		// What its package's service makes: sshd starts without it as nobody but root.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			w.Fatal(err)
		}
	}
	conf, port := w.TempDir(), daemon.FreePort(w)
	for _, key := range []string{filepath.Join(conf, "host"), filepath.Join(w.dir, "keys", "key")} {
		w.must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	}
	lines := []string{
		"Port " + strconv.Itoa(port), "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(conf, "host"),
		"AuthorizedKeysFile " + filepath.Join(w.dir, "keys", "key.pub"), "PidFile none", "StrictModes no", "UsePAM no",
	}
	config := filepath.Join(conf, "sshd_config")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		w.Fatal(err)
	}
	// The command may not write there: ssh does without.
	if err := os.WriteFile(filepath.Join(w.dir, "keys", "hosts"), nil, 0o600); err != nil {
		w.Fatal(err)
	}
	daemon.Start(w, conf, port, tools.Need(w, tools.SSHD), "-D", "-e", "-f", config)
	return daemon.Loopback(port)
}

// startPostgreSQL starts a server in a folder of its own, as nobody where this is
// root, whom it refuses.
func (w *world) startPostgreSQL() string {
	w.Helper()
	program, port := tools.Need(w, tools.PostgreSQL), daemon.FreePort(w)
	dir, err := os.MkdirTemp("/tmp", "postgresql-") // whatever this test's own folder is in, nobody may enter this one
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = os.RemoveAll(dir) })
	var as []string
	if os.Getuid() == 0 {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			w.Fatal(err)
		}
		as = []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	}
	data := filepath.Join(dir, "data")
	initialise := append(as[:len(as):len(as)], filepath.Join(filepath.Dir(program), "initdb"), "-D", data, "-U", "somebody", "-A", "trust", "-N", "--no-instructions", "--locale=C")
	w.must(initialise[0], initialise[1:]...)
	serve := append(as[:len(as):len(as)], program, "-D", data, "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "logging_collector=off")
	daemon.Start(w, w.TempDir(), port, serve[0], serve[1:]...)
	return daemon.Loopback(port)
}

func (w *world) must(program string, args ...string) {
	w.Helper()
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// Package database runs real database servers for tests, with everything that they were
// asked to do in their log.
package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/declprov/declprov/tests/internal/certificate"
	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// Password is the password of the administrators of all servers.
const Password = "the Administrator's pässword"

// Postgres is a PostgreSQL server. Its administrator is "postgres", with Password over TCP
// and without one on the socket.
type Postgres struct {
	Port int
	// Socket is the folder of the socket.
	Socket string
	log    string
	as     []string // what runs a command as its user
}

// StartPostgres starts a server in a folder of its own, as a user of its own if this process
// is root, which the server refuses.
func StartPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	program := tools.Need(t, tools.PostgreSQL)
	s := &Postgres{Port: daemon.FreePort(t)}
	as, dir := ownFolder(t, "postgres")
	s.as = as
	data, passwordFile := filepath.Join(dir, "data"), filepath.Join(dir, "password")
	if err := os.WriteFile(passwordFile, []byte(Password+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Socket, s.log = dir, filepath.Join(data, "log", "server.json")
	run(t, append(as, filepath.Join(filepath.Dir(program), "initdb"), "-D", data, "-U", "postgres", "--auth-local=trust", "--auth-host=scram-sha-256",
		"--pwfile="+passwordFile, "-N", "--no-instructions", "--locale=C", "-E", "UTF8"))
	args := append(as[:len(as):len(as)], program, "-D", data, "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories="+dir, "-c", "fsync=off", "-c", "logging_collector=on", "-c", "log_destination=jsonlog",
		"-c", "log_filename=server.log", "-c", "log_rotation_age=0", "-c", "log_rotation_size=0", "-c", "log_statement=all")
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	daemon.Start(t, t.TempDir(), s.Port, args[0], args[1:]...)
	await(t, s.Open(t, "postgres"))
	return s
}

// await waits until a server, which listens already, accepts a login.
func await(t testing.TB, db *sql.DB) {
	t.Helper()
	var err error
	for range 200 {
		if err = db.PingContext(t.Context()); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(err)
}

// UseTLS makes the server offer TLS with a certificate, to later connections.
func (s *Postgres) UseTLS(t testing.TB, by *certificate.Issued) {
	t.Helper()
	for name, text := range map[string]string{"server.crt": by.Cert, "server.key": by.Key} {
		path := filepath.Join(s.Socket, "data", name)
		run(t, append(s.as[:len(s.as):len(s.as)], "sh", "-c", `umask 077; printf %s "$1" >"$2"`, "sh", text, path))
	}
	admin := s.Open(t, "postgres")
	for _, statement := range []string{"alter system set ssl = on", "select pg_reload_conf()"} {
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond) // the server reads its configuration
}

// Open connects to a database as the administrator, until the test ends.
func (s *Postgres) Open(t testing.TB, database string) *sql.DB {
	t.Helper()
	return s.OpenAs(t, database, "postgres", Password)
}

// OpenAs connects to a database as a role, until the test ends.
func (s *Postgres) OpenAs(t testing.TB, database, role, password string) *sql.DB {
	t.Helper()
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Host: daemon.Loopback(s.Port), Path: "/" + database}
	u.RawQuery = "sslmode=disable&application_name=the+test&default_query_exec_mode=exec"
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Statement is a statement in the log of a server.
type Statement struct {
	Text string
	// Parameters are the parameters as the server logs them, or "".
	Parameters string
}

// Statements returns the statements in the log that declprov sent, from an offset on, and the
// offset behind them. It leaves out those that begin and end transactions.
func (s *Postgres) Statements(t testing.TB, from int64) (found []Statement, next int64) {
	t.Helper()
	raw, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.SplitAfter(string(raw[from:]), "\n") {
		if !strings.HasSuffix(line, "\n") {
			break // the server still writes it
		}
		from += int64(len(line))
		var e struct {
			Application string `json:"application_name"`
			Message     string `json:"message"`
			Detail      string `json:"detail"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		text, isStatement := strings.CutPrefix(e.Message, "statement: ")
		if rest, ok := strings.CutPrefix(e.Message, "execute "); ok {
			_, text, isStatement = strings.Cut(rest, ": ")
		}
		switch strings.ToLower(strings.SplitN(text, " ", 2)[0]) {
		case "begin", "commit", "rollback", "--": // -- ping
			continue
		}
		if isStatement && e.Application == "declprov" {
			found = append(found, Statement{text, e.Detail})
		}
	}
	return found, from
}

// Log returns the whole log.
func (s *Postgres) Log(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// ownFolder returns a folder for a server, and the words that run a command as its owner: the
// user with that name, if this process is root. Other users may enter the folder.
func ownFolder(t testing.TB, name string) (as []string, dir string) {
	t.Helper()
	// The folders of tests are private.
	dir, err := os.MkdirTemp("/tmp", name+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return nil, dir
	}
	const nobody = 65534
	uid, gid := nobody, nobody
	if u, err := user.Lookup(name); err == nil {
		uid, _ = strconv.Atoi(u.Uid)
		gid, _ = strconv.Atoi(u.Gid)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return []string{"setpriv", "--reuid=" + strconv.Itoa(uid), "--regid=" + strconv.Itoa(gid), "--clear-groups"}, dir
}

func run(t testing.TB, argv []string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Dir = "/"
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, printed)
	}
}

package sql

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	family "github.com/declprov/declprov/actions/sql"
	runner "github.com/declprov/declprov/actions/sql/database"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/database"
)

// executed is how PostgreSQL's messages end that execute a statement.
const executed = "E\x00\x00\x00\x09\x00\x00\x00\x00\x00S\x00\x00\x00\x04"

// fragile is a proxy that forwards what a client sends, and loses the response to the last of
// these texts, which it expects in this order: the server has done what it received by then.
func fragile(t *testing.T, to int, texts ...string) (port int) {
	t.Helper()
	port, _ = counting(t, to, texts...)
	return port
}

// counting is fragile, and counts the connections that it cuts.
func counting(t *testing.T, to int, texts ...string) (port int, cuts *atomic.Int64) {
	t.Helper()
	cuts = &atomic.Int64{}
	return serve(t, func(client net.Conn) { forward(client, to, texts, cuts) }), cuts
}

// serve accepts connections until the test ends, and returns the port. Each is handled by a
// goroutine of its own.
func serve(t *testing.T, handle func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go handle(conn)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

func forward(client net.Conn, to int, texts []string, cuts *atomic.Int64) {
	defer client.Close()
	server, err := net.Dial("tcp", daemon.Loopback(to))
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	responded := make(chan struct{})
	go func() {
		defer close(responded)
		for buffer := make([]byte, 64<<10); ; {
			n, err := server.Read(buffer)
			if cut.Load() {
				// The server has done what it received, and its response is lost.
				client.(*net.TCPConn).SetLinger(0)
				client.Close()
				return
			}
			if err != nil {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer, seen := make([]byte, 64<<10), []byte{}
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		seen = append(seen, buffer[:n]...)
		if inOrder(seen, texts) {
			cut.Store(true)
			cuts.Add(1)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
		if cut.Load() {
			select {
			case <-responded:
			case <-time.After(10 * time.Second):
			}
			return
		}
	}
}

func inOrder(seen []byte, texts []string) bool {
	for _, text := range texts {
		_, after, found := bytes.Cut(seen, []byte(text))
		if !found {
			return false
		}
		seen = after
	}
	return true
}

// TestWhatIsKnownOfAFailure checks, with a real server, that a failure is reported as what is
// known of it, and that nothing else happened.
func TestWhatIsKnownOfAFailure(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	admin := server.Open(t, "postgres")
	do(t, admin, "create table things (name text primary key, n serial)")
	do(t, admin, "insert into things values ('there')")
	closed := daemon.FreePort(t)
	insert := func(name string) map[string]any {
		return map[string]any{"statement": "insert into things values ({v})", "params": map[string]any{"v": name}}
	}
	several := func(name, last string) map[string]any {
		return map[string]any{"statements": []any{"insert into things values ({v})", last}, "params": map[string]any{"v": name}}
	}
	with := func(args map[string]any, name string, v any) map[string]any { args[name] = v; return args }
	for _, tc := range []struct {
		name        string
		args        map[string]any
		want        actions.Status
		class, says string
		again, made bool
	}{
		{"done", insert("done"), actions.Done, "", "", false, true},
		{"a violated constraint", insert("there"), actions.Refused, "23505", "duplicate key", false, true},
		{"a deferred mistake", several("deferred", "select 1/0"), actions.Refused, "22012", "division by zero", false, false},
		{"no permission", with(insert("denied"), "user", "nobody"), actions.Refused, "28P01", "password authentication failed", false, false},
		{"no server", with(insert("refused"), "port", int64(closed)), actions.Refused, "connection", "cannot connect", true, false},
		{"a lost response", with(insert("lost"), "port", int64(fragile(t, server.Port, "lost", executed))), actions.Unknown, "connection", "not known", true, true},
		{"a lost response without parameters", map[string]any{
			"statement": "insert into things values ('alone')", "port": int64(fragile(t, server.Port, "'alone'")),
		}, actions.Unknown, "connection", "not known", true, true},
		{"a lost transaction", with(several("lost in one", "select 'the last'"), "port", int64(fragile(t, server.Port, "the last", executed))), actions.Refused, "connection", "", true, false},
		{"a lost commit", with(several("lost at the end", "select 2"), "port", int64(fragile(t, server.Port, "commit"))), actions.Unknown, "connection", "not known", true, true},
		{"a terminated connection", map[string]any{"statement": "select pg_terminate_backend(pg_backend_pid())"}, actions.Unknown, "", "not known", true, false},
		{"a time limit", with(several("late", "select pg_sleep(60)"), "timeout", "500ms"), actions.Refused, "timeout", "no result within 500ms", false, false},
		{"a time limit of one statement", map[string]any{"statement": "insert into things select 'too late' from pg_sleep(60)", "timeout": "500ms"}, actions.Refused, "timeout", "no result within 500ms", false, false},
		{"a parameter that does not fit", map[string]any{"statement": "select {v}::int", "params": map[string]any{"v": "x"}}, actions.Refused, "22P02", "invalid input", false, false},
		{"a host that is not granted", with(insert("elsewhere"), "host", "127.0.0.2"), actions.Refused, "", "not permitted", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := exec(t, server, tc.args)
			if out.Status != tc.want || out.Class != tc.class && tc.class != "" || out.Again != tc.again {
				t.Errorf("%v, class %q, again %t: %v; expected %v, class %q, again %t", out.Status, out.Class, out.Again, out.Err, tc.want, tc.class, tc.again)
			}
			if tc.says != "" && (out.Err == nil || !strings.Contains(out.Err.Error(), tc.says)) {
				t.Errorf("%v; expected %q", out.Err, tc.says)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), database.Password) {
				t.Errorf("the error contains the password: %v", out.Err)
			}
			if params, _ := tc.args["params"].(map[string]any); params != nil {
				want := "0"
				if tc.made {
					want = "1"
				}
				expect(t, admin, fmt.Sprintf("select count(*) from things where name = '%v'", params["v"]), want)
			}
		})
	}
	settles(t, "postgres", "postgres", "postgres", server.Port, admin)
}

// exec runs sql.exec once on a PostgreSQL server.
func exec(t *testing.T, server *database.Postgres, args map[string]any) actions.Outcome {
	t.Helper()
	all := map[string]any{"driver": "postgres", "port": int64(server.Port), "user": "postgres"}
	maps.Copy(all, args)
	return run(t, all)
}

// run runs sql.exec once, as an engine does whose spec is granted the server by its address.
func run(t *testing.T, args map[string]any) actions.Outcome {
	t.Helper()
	n, err := network.New([]grant.Rule{{Access: grant.Connect, Pattern: "postgres://127.0.0.1:*"}, {Access: grant.Connect, Pattern: "mysql://127.0.0.1:*"}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := files.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"host": "127.0.0.1", "password": database.Password}
	maps.Copy(all, args)
	return runner.Open()(context.Background(), family.Family(nil).Kind("exec"), &actions.Call{Args: all, Env: &actions.Env{Files: f, Network: n}})
}

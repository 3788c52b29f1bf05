package database

import (
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	family "github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/actions/sys/network"
)

// TestLargeRowsOfSQLite: a value that is larger than maxBytes is refused before it is made. What a
// statement writes has no limit of its own.
func TestLargeRowsOfSQLite(t *testing.T) {
	l := newLibrary(t)
	small := func(statement string) map[string]any {
		return map[string]any{"maxBytes": int64(1 << 10), "statement": statement}
	}
	for name, statement := range map[string]string{
		"zeros":         "select zeroblob(1000000000) as a",
		"digits":        "select hex(zeroblob(500000000)) as a",
		"random bytes":  "select randomblob(1000000000) as a",
		"a format":      "select printf('%.*c', 1000000000, 'x') as a",
		"a replacement": "select replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 10000, 'y')) as a",
		"a group":       "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select group_concat(printf('%.*c', 10000, 'x')) as a from n",
	} {
		out := l.run(t.Context(), "query", small(statement))
		if out.Status != actions.Refused || out.Err == nil || !strings.Contains(out.Err.Error(), "maxBytes") {
			t.Errorf("%s: %v: %v", name, out.Status, out.Err)
		}
	}
	if out := l.run(t.Context(), "exec", small("insert into shelves (name, size) values ('a', 1) returning zeroblob(1000000000) as a")); out.Status == actions.Done {
		t.Errorf("returning: %v: %v", out.Status, out.Err)
	}
	long := small("insert into shelves (name, size) values ({name}, 1)")
	long["params"] = map[string]any{"name": strings.Repeat("x", 5<<20)}
	l.must("exec", long)
	out := l.run(t.Context(), "query", small("select name from shelves where length(name) > 100"))
	if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "maxBytes") {
		t.Errorf("a row that is there: %v: %v", out.Status, out.Err)
	}
}

// TestLargeGreetings: a server of PostgreSQL that announces a message of a gigabyte, before or after
// the login, gets no memory for it.
func TestLargeGreetings(t *testing.T) {
	for name, kind := range map[string]byte{"an error": 'E', "a request for a password": 'R', "a parameter": 'S', "a notice": 'N'} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
				_, _ = io.ReadAtLeast(conn, make([]byte, 1<<10), 8)
				_, _ = conn.Write(binary.BigEndian.AppendUint32([]byte{kind}, 1_000_000_000))
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		}()
		address := "postgres://" + listener.Addr().String()
		n, err := network.New([]grant.Rule{{Access: grant.Connect, Pattern: address}})
		if err != nil {
			t.Fatal(err)
		}
		l := newLibrary(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := l.runner(t.Context(), family.Family(nil).Kind("query"), &actions.Call{
			Args: map[string]any{"driver": "postgres", "url": address, "user": "me", "password": "mine", "statement": "select 1 as a"},
			Env:  &actions.Env{Files: l.env.Files, Network: n}, Mask: func(text string) string { return text },
		})
		runtime.ReadMemStats(&after)
		if out.Status == actions.Done {
			t.Errorf("%s: %v", name, out.Result)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
			t.Errorf("%s took %d MB: %v", name, took>>20, out.Err)
		}
		if out.Class != "connection" {
			t.Errorf("%s: %v: %v", name, out.Class, out.Err)
		}
		_ = listener.Close()
	}
}

package database

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	family "github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

// library runs actions on a database file that is granted.
type library struct {
	*testing.T
	dir    string
	env    *actions.Env
	runner actions.Runner
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{T: t, dir: t.TempDir(), runner: Open()}
	f, err := files.New(l.dir, []grant.Rule{{Access: grant.Write, Pattern: "granted/**"}})
	if err != nil {
		t.Fatal(err)
	}
	n, err := network.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l.env = &actions.Env{Files: f, Network: n}
	for _, name := range []string{"granted", "other"} {
		if err := os.Mkdir(filepath.Join(l.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.must("exec", map[string]any{"statement": "create table shelves (id integer primary key, name text unique not null, size int check (size < 100))"})
	return l
}

// run runs an action of the kind, on granted/library.db unless the arguments say otherwise.
func (l *library) run(ctx context.Context, kind string, args map[string]any) actions.Outcome {
	l.Helper()
	all := map[string]any{"driver": "sqlite", "file": "granted/library.db"}
	for name, v := range args {
		all[name] = v
	}
	return l.runner(ctx, family.Family(nil).Kind(kind), &actions.Call{Args: all, Env: l.env, Mask: func(text string) string {
		return strings.ReplaceAll(text, "s3cret", "[secret]")
	}})
}

func (l *library) must(kind string, args map[string]any) any {
	l.Helper()
	out := l.run(l.Context(), kind, args)
	if out.Status != actions.Done {
		l.Fatalf("%v: %v: %v", args, out.Status, out.Err)
	}
	return out.Result
}

func (l *library) count() any {
	l.Helper()
	return l.must("query", map[string]any{"statement": "select count(*) as n from shelves"}).(map[string]any)["row"].(map[string]any)["n"]
}

func TestOutcomes(t *testing.T) {
	l := newLibrary(t)
	insert := func(name string, size any) map[string]any {
		return map[string]any{"statement": "insert into shelves (name, size) values ({name}, {size}) returning id", "params": map[string]any{"name": name, "size": size}}
	}
	got := l.must("exec", insert("a'; drop table shelves --", int64(7)))
	if diff := cmp.Diff(map[string]any{"row": map[string]any{"id": int64(1)}, "affected": int64(1), "insertId": nil}, got); diff != "" {
		t.Error(diff)
	}
	for _, tc := range []struct {
		name, kind  string
		args        map[string]any
		want        actions.Status
		class, says string
	}{
		{"a violated constraint", "exec", insert("a'; drop table shelves --", int64(1)), actions.Refused, "2067", "UNIQUE"},
		{"a mistake in the statement", "exec", map[string]any{"statement": "insert info shelves"}, actions.Refused, "1", "syntax error"},
		{"no row", "query", map[string]any{"statement": "select name from shelves where id = 99"}, actions.Gone, "", "no row"},
		{"several rows", "query", map[string]any{"statement": "select 1 as a union select 2"}, actions.Refused, "", "several rows"},
		{"a query that writes", "query", map[string]any{"statement": "pragma user_version = 7"}, actions.Refused, "", "readonly"},
		{"a query with an effect", "query", map[string]any{"statement": "delete from shelves"}, actions.Refused, "", "use exec"},
		{"a control of the transaction", "exec", map[string]any{"statements": []any{"commit", "delete from shelves"}}, actions.Refused, "", "controls the transaction"},
		{"two columns of one name", "query", map[string]any{"statement": "select 1 as a, 2 as a"}, actions.Refused, "", "two columns"},
		{"too many rows", "query", map[string]any{"list": true, "maxRows": int64(1), "statement": "select 1 as a union select 2"}, actions.Refused, "", "maxRows"},
		{"too many bytes", "query", map[string]any{"maxBytes": int64(3), "statement": "select 'four' as a"}, actions.Refused, "", "maxBytes"},
		{"too many values", "query", map[string]any{"maxValues": int64(2), "statement": "select 1 as a, 2 as b"}, actions.Refused, "", "maxValues"},
		{"an unknown word", "exec", map[string]any{
			"statement": "create {what} x (y)", "words": map[string]any{"what": map[string]any{"of": []any{"table"}, "is": "table y (z); drop table"}},
		}, actions.Refused, "", "allowed words"},
		{"a file that is not granted", "exec", map[string]any{"file": "other/x.db", "statement": "create table x (y)"}, actions.Refused, "", "not permitted"},
		{"another file", "exec", map[string]any{"statement": "attach 'other/x.db' as x"}, actions.Refused, "23", "must not open other files"},
		{"another file by an expression", "exec", map[string]any{"statement": "attach 'oth' || 'er/x.db' as x"}, actions.Refused, "23", "must not open other files"},
		{"another file by vacuum", "exec", map[string]any{"statement": "vacuum into 'other/x.db'"}, actions.Refused, "23", "must not open other files"},
		{"a database that is not there", "query", map[string]any{"file": "granted/missing.db", "statement": "select 1 as a"}, actions.Gone, "", "no such database"},
		{"a secret in the server's error", "exec", map[string]any{"statement": "insert into s3cret values (1)"}, actions.Refused, "1", "[secret]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := l.run(t.Context(), tc.kind, tc.args)
			said := fmt.Sprint(out.Err)
			if out.Status != tc.want || out.Class != tc.class && tc.class != "" || out.Err == nil || !strings.Contains(said, tc.says) {
				t.Errorf("%v, class %q, %v; expected %v, class %q, %q", out.Status, out.Class, out.Err, tc.want, tc.class, tc.says)
			}
			if strings.Contains(said, "s3cret") {
				t.Errorf("the error contains a secret: %v", out.Err)
			}
		})
	}
	if n := l.count(); n != int64(1) {
		t.Errorf("the table has %v rows", n)
	}
	if found, _ := filepath.Glob(filepath.Join(l.dir, "other", "*")); found != nil {
		t.Errorf("a database that is not granted was opened: %v", found)
	}
}

func TestStatementsAreOneTransaction(t *testing.T) {
	l := newLibrary(t)
	out := l.run(t.Context(), "exec", map[string]any{"statements": []any{
		"insert into shelves (name) values ({a})", "create table more (x)", "insert into shelves (name, size) values ({b}, 1000)",
	}, "params": map[string]any{"a": "a", "b": "b"}})
	if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "statement 3: ") {
		t.Errorf("%v: %v", out.Status, out.Err)
	}
	if n := l.count(); n != int64(0) {
		t.Errorf("the table has %v rows", n)
	}
	got := l.must("exec", map[string]any{"statements": []any{"insert into shelves (name) values ('a')", "update shelves set size = 3"}})
	if diff := cmp.Diff(map[string]any{"row": nil, "affected": int64(1), "insertId": nil}, got); diff != "" {
		t.Error(diff)
	}
}

// TestValues checks what values of columns become.
func TestValues(t *testing.T) {
	l := newLibrary(t)
	got := l.must("query", map[string]any{
		"statement": "select {i} as i, {f} as f, {t} as t, {b} as b, {n} as n, {big} as big, {list} as list, x'00ff' as bytes",
		"params":    map[string]any{"i": int64(1) << 60, "f": 1.5, "t": "é\n", "b": true, "big": json.Number("12345678901234567890"), "list": []any{"a", int64(1)}},
	}).(map[string]any)["row"]
	want := map[string]any{"i": int64(1) << 60, "f": 1.5, "t": "é\n", "b": int64(1), "n": nil, "big": "12345678901234567890", "list": `["a",1]`, "bytes": "AP8="}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTimeLimit checks that a statement ends when its time is up.
func TestTimeLimit(t *testing.T) {
	l := newLibrary(t)
	forever := "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) as n from r"
	out := l.run(t.Context(), "query", map[string]any{"statement": forever, "timeout": "200ms"})
	if out.Status == actions.Done || out.Class != "timeout" || !strings.Contains(out.Err.Error(), "no result within 200ms") {
		t.Errorf("%v, class %q: %v", out.Status, out.Class, out.Err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := l.run(ctx, "query", map[string]any{"statement": forever}); out.Status == actions.Done || out.Class != "" {
		t.Errorf("%v, class %q: %v", out.Status, out.Class, out.Err)
	}
}

// TestLinksLeadNowhere checks that a symbolic link leads to no other file.
func TestLinksLeadNowhere(t *testing.T) {
	l := newLibrary(t)
	if err := os.Symlink(filepath.Join(l.dir, "other", "x.db"), filepath.Join(l.dir, "granted", "link.db")); err != nil {
		t.Skipf("this system allows no symbolic links: %v", err)
	}
	out := l.run(t.Context(), "exec", map[string]any{"file": "granted/link.db", "statement": "create table x (y)"})
	if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "not granted") {
		t.Errorf("%v: %v", out.Status, out.Err)
	}
}

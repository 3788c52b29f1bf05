package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestMissingFiles runs statements on a database whose file, or whose folder, does not exist. Only what
// makes something makes the file: the other ones are about a database that is elsewhere, for example on a
// volume that is not mounted, and an empty file in its place would show that everything in it is gone.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	const made, absent, refused = "made", "absent", "refused"
	tests := []struct {
		kind       string
		statements []any
		want       string
	}{
		{"query", []any{"select 1 as one"}, absent},
		{"exec", []any{"create table x (y)"}, made},
		{"exec", []any{"CREATE TABLE IF NOT EXISTS x (y)"}, made},
		{"exec", []any{"create table x (y)", "insert into x values (1)"}, made},
		{"exec", []any{"-- a comment\ncreate table x (y)"}, made},
		{"exec", []any{"pragma user_version = 7", "create table x (y)"}, made},
		{"exec", []any{"drop table if exists x"}, refused},
		{"exec", []any{"drop view if exists x", "drop table if exists x"}, refused},
		{"exec", []any{"delete from x"}, refused},
		{"exec", []any{"update x set y = 1"}, refused},
		{"exec", []any{"insert into x values (1)"}, refused},
		{"exec", []any{"replace into x values (1)"}, refused},
		{"exec", []any{"with a as (select 1) delete from x"}, refused},
		{"exec", []any{"alter table x rename to z"}, refused},
		{"exec", []any{"select 1 as one"}, refused},
		{"exec", []any{"reindex"}, refused},
	}
	for _, test := range tests {
		for _, folder := range []string{"granted", "granted/sub"} {
			l := newLibrary(t)
			name := folder + "/none.db"
			args := map[string]any{"file": name, "statements": test.statements}
			if test.kind == "query" {
				args = map[string]any{"file": name, "statement": test.statements[0]}
			}
			out := l.run(t.Context(), test.kind, args)
			_, err := os.Lstat(filepath.Join(l.dir, filepath.FromSlash(name)))
			exists := !errors.Is(err, fs.ErrNotExist)
			got := made
			switch {
			case errors.Is(out.Err, actions.ErrNoStore) && out.Status == actions.Gone:
				got = absent
			case errors.Is(out.Err, actions.ErrNoStore) && out.Status == actions.Refused:
				got = refused
			case out.Status != actions.Done:
				got = out.Err.Error()
			}
			want := test.want
			if folder != "granted" && want == made {
				continue // it is not granted
			}
			if got != want || exists != (want == made) {
				t.Errorf("%s %q in %s: %s, want %s; the file exists: %v", test.kind, test.statements, folder, got, want, exists)
			}
		}
	}
}

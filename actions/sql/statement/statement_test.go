package statement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFill(t *testing.T) {
	values := map[string]Value{
		"v": Parameter("x"), "w": Parameter(2), "n": Identifiers("a"), "list": Identifiers("a", `b"c`), "l": Literal(`it's \`), "words": Words("select", "insert"), "minus": Number("-1"),
	}
	for _, tc := range []struct {
		dialect    Dialect
		text, want string
		parameters []any
	}{
		{PostgreSQL, "select {v}, {w}, {v}", "select $1, $2, $1", []any{"x", 2}},
		{MySQL, "select {v}, {w}, {v}", "select ?, ?, ?", []any{"x", 2, "x"}},
		{SQLite, "select {v}", "select ?", []any{"x"}},
		{PostgreSQL, "select * from {n}.{n} where x={v}", `select * from "a"."a" where x=$1`, []any{"x"}},
		{MySQL, "select ({list})", "select (`a`, `b\"c`)", nil},
		{PostgreSQL, "select ({list})", `select ("a", "b""c")`, nil},
		{PostgreSQL, "comment on role {n} is {l}", `comment on role "a" is 'it''s \'`, nil},
		{MySQL, "select {l}", `select 'it''s \\'`, nil},
		{PostgreSQL, "grant {words} on {n} to {n}", `grant select, insert on "a" to "a"`, nil},
		{PostgreSQL, "select '{v}', e'\\'{v}', $$ {v} $$, $a$ {v} $a$, \"{v}\" -- {v}\n, /* /* {v} */ {v} */ {w}", "select '{v}', e'\\'{v}', $$ {v} $$, $a$ {v} $a$, \"{v}\" -- {v}\n, /* /* {v} */ {v} */ $1", []any{2}},
		{MySQL, "select '\\'{v}', \"\\\"{v}\", `{v}`, 1--{w}\n # {v}\n", "select '\\'{v}', \"\\\"{v}\", `{v}`, 1--?\n # {v}\n", []any{2}},
		{SQLite, "select [{v}], '\\' || {w}", "select [{v}], '\\' || ?", []any{2}},
		{PostgreSQL, "select 1::text;", "select 1::text;", nil},
		{PostgreSQL, "select a$1 from t", "select a$1 from t", nil},
	} {
		s, err := Parse(tc.dialect, tc.text)
		if err != nil {
			if strings.Contains(tc.text, "1--{w}") {
				continue // it touches
			}
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		text, parameters, err := s.Fill(values)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
		}
		if diff := cmp.Diff([]any{tc.want, tc.parameters}, []any{text, parameters}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}

func TestMistakesInStatements(t *testing.T) {
	for _, tc := range []struct {
		dialect    Dialect
		text, want string
	}{
		{PostgreSQL, "", "empty"},
		{PostgreSQL, " -- nothing", "empty"},
		{PostgreSQL, "select 1; select 2", "several statements"},
		{PostgreSQL, "select 1; {v}", "several statements"},
		{PostgreSQL, "select 1; 'x'", "several statements"},
		{PostgreSQL, "select $1", "$1 has no value"},
		{MySQL, "select ?", "? has no value"},
		{SQLite, "select ?1", "? has no value"},
		{SQLite, "select :name", ":name has no value"},
		{SQLite, "select @name", "@name has no value"},
		{PostgreSQL, "select 'x", "has no end"},
		{PostgreSQL, "select $a$ x $b$", "has no end"},
		{PostgreSQL, "select /* x", "has no end"},
		{MySQL, "select 1 /*! into outfile '/tmp/x' */", "executes"},
		{MySQL, "select /*M!100100 1 */", "executes"},
		{PostgreSQL, "select {a}{b}", "touches"},
		{PostgreSQL, "select 'x'{b}", "touches"},
		{PostgreSQL, "select e{b}", "touches"},
		{PostgreSQL, "select u&{b}", "touches"},
		{PostgreSQL, "select {b}'x'", "touches"},
		{PostgreSQL, "select {b}x", "touches"},
		{PostgreSQL, "select 1-{b}", "touches"},
		{PostgreSQL, "select {", "placeholder"},
		{PostgreSQL, "select {a b}", "placeholder"},
		{PostgreSQL, "select {1}", "placeholder"},
	} {
		if _, err := Parse(tc.dialect, tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %q: %v, expected %q", tc.dialect, tc.text, err, tc.want)
		}
	}
}

func TestIdentifiersThatCannotBe(t *testing.T) {
	for name, d := range map[string]Dialect{"": PostgreSQL, "a\x00b": SQLite, strings.Repeat("é", 32): PostgreSQL} {
		if got, err := d.Identifier(name); err == nil {
			t.Errorf("%q is %s", name, got)
		}
	}
	if _, err := MySQL.Literal("\x00"); err == nil {
		t.Error("a literal contains NUL")
	}
}

func TestWhatStatementsDo(t *testing.T) {
	type does struct{ Reads, Rows, Controls, Commits, Incomplete bool }
	for text, want := range map[string]map[Dialect]does{
		"select 1":                                {PostgreSQL: {Reads: true, Rows: true}, MySQL: {Reads: true, Rows: true}},
		"select 1 into t":                         {PostgreSQL: {}},
		"with x as (select 1) select 1":           {PostgreSQL: {Reads: true, Rows: true}},
		"with x as (delete from t) select 1":      {PostgreSQL: {Rows: true}},
		"with x as (select 1) update t set x = 1": {PostgreSQL: {}, MySQL: {}, SQLite: {}},
		"with x as (select 1), y as (values (1)) delete from t using x":           {PostgreSQL: {}},
		"with x as (select 1) insert into t select 1 returning id":                {PostgreSQL: {Rows: true}, SQLite: {Rows: true}},
		"with x as (insert into t values (1) returning id) insert into u table x": {PostgreSQL: {}},
		"/*! select */ 1":                    {PostgreSQL: {}},
		"insert into t values (1) returning": {PostgreSQL: {Rows: true}, SQLite: {Rows: true}},
		"update t set x = 1":                 {PostgreSQL: {}, MySQL: {}},
		"begin":                              {PostgreSQL: {Controls: true}},
		"prepare transaction 'x'":            {PostgreSQL: {Controls: true}},
		"/* x */ Commit":                     {SQLite: {Controls: true}},
		"create table t (a int, b int)":      {PostgreSQL: {}, MySQL: {Commits: true}},
		"drop table a, b":                    {PostgreSQL: {}, MySQL: {Commits: true, Incomplete: true}},
		"call f()":                           {PostgreSQL: {Incomplete: true}, MySQL: {Commits: true, Incomplete: true}},
		"create index concurrently on t (x)": {PostgreSQL: {Incomplete: true}},
	} {
		for d, want := range want {
			s, err := Parse(d, text)
			if err != nil {
				t.Fatal(text, err)
			}
			got := does{s.Reads(), s.ReturnsRows(), s.ControlsTransaction(), s.Commits(), s.MayBeIncomplete()}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %q (-want +got):\n%s", d, text, diff)
			}
		}
	}
}

// TestQuotedTextsAreOneToken checks that whatever a text is, it stays within its quotes: the
// dialect reads an identifier or literal as one quoted text, up to its end.
func TestQuotedTextsAreOneToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dialect{PostgreSQL, MySQL, SQLite}).Draw(t, "dialect")
		text := rapid.StringOf(rapid.SampledFrom([]rune("a'\"`\\$;-/*[]{}é "))).Draw(t, "text")
		for _, quote := range []func(string) (string, error){d.Identifier, d.Literal} {
			quoted, err := quote(text)
			if err != nil {
				continue // empty, or too long
			}
			if n := d.quotedEnd(quoted+" x", ""); n != len(quoted) {
				t.Fatalf("%s reads %d bytes of %s", d, n, quoted)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"select {v} from \"x\" where 'a' = $$b$$;", "/*", "$", "{", "\\", "e'\\'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []Dialect{PostgreSQL, MySQL, SQLite} {
			s, err := Parse(d, text)
			if err != nil {
				continue
			}
			values := map[string]Value{}
			for _, name := range s.Names() {
				values[name] = Parameter(name)
			}
			filled, parameters, err := s.Fill(values)
			if err != nil || len(values) > 0 && len(parameters) == 0 || len(values) == 0 && filled != text {
				t.Errorf("%s %q: %q, %v, %v", d, text, filled, parameters, err)
			}
		}
	})
}

package sql

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestValuesInPostgreSQL sends values as parameters of many types, and reads them back.
func TestValuesInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	list := func(items ...any) []any { return append([]any{}, items...) }
	object := func(name string, v any) map[string]any { return map[string]any{name: v} }
	const exact = 12345678901234567
	cases := []struct {
		typ        string
		sent, want any
	}{
		{"int", 7.0, 7.0},
		{"real", 0.1, 0.1},
		{"real", 16777216.0, 16777216.0},
		{"double precision", 0.1, 0.1},
		{"double precision", "NaN", "NaN"},
		{"real", "Infinity", "Infinity"},
		{"numeric", 0.1, 0.1},
		{"bool", true, true},
		{"text", "<b>&'\"", "<b>&'\""},
		{"text", 1.5, "1.5"},
		{"text", list("<", 1.0), `["<",1]`},
		{"varchar", object("a", "<&>"), `{"a":"<&>"}`},
		{"jsonb", object("a", list(1.0, "<", nil)), object("a", list(1.0, "<", nil))},
		{"json", list("a", "b"), list("a", "b")},
		{"jsonb", list(1.0, 2.0), list(1.0, 2.0)},
		{"jsonb", list(true, 1.0, "x", nil, list(object("b", false))), list(true, 1.0, "x", nil, list(object("b", false)))},
		{"json", list(), list()},
		{"text[]", list("a", `b"\,{}`, nil, ""), list("a", `b"\,{}`, nil, "")},
		{"text[]", list("1", 2.0, true), list("1", "2", "true")},
		{"text[]", list(), list()},
		{"bool[]", list(true, false, nil), list(true, false, nil)},
		{"int[]", list(1.0, -2.0), list(1.0, -2.0)},
		{"bigint[]", list(1.0, "9007199254740993"), list(1.0, json.Number("9007199254740993"))},
		{"numeric[]", list(1.0, 2.5), list(1.0, 2.5)},
		{"real[]", list(0.1), list(0.1)},
		{"double precision[]", list(0.1, 3.0), list(0.1, 3.0)},
		{"jsonb[]", list(object("a", 1.0), list("x"), 5.0), list(object("a", 1.0), list("x"), 5.0)},
		{"jsonb[]", list(`{"id": 12345678901234567}`), list(object("id", json.Number(fmt.Sprint(exact))))},
		{"uuid[]", list("00000000-0000-0000-0000-000000000001"), list("00000000-0000-0000-0000-000000000001")},
		{"date", "2026-11-28", "2026-11-28"},
		{"timestamptz", "2026-11-28T10:00:00+02:00", "2026-11-28T08:00:00Z"},
		{"bytea", `\x00ff`, "AP8="},
	}
	spec := fmt.Sprintf("name: \"values\"\nversion: \"0.1.0\"\nsql: {driver: \"postgres\", socket: %q, port: %d, user: \"postgres\"}\n", server.Socket, server.Port)
	for i, c := range cases {
		spec += fmt.Sprintf("functions: get%d: {inputs: v: _, outputs: v: _, sql: query: {statement: \"select {v}::%s as v\", params: v: \"${inputs.v}\"}, return: v: \"${jsonencode(result.row.v)}\"}\n", i, c.typ)
	}
	folder := provider.FolderWith(t, "values", ".cue", spec)
	provider.AddSQL(t, folder)
	p := provider.Configured(t, folder, "values", t.TempDir(), nil)
	for i, c := range cases {
		args, err := structpb.NewStruct(map[string]any{"v": c.sent})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: fmt.Sprintf("values:index:get%d", i), Args: args})
		if err != nil || len(res.GetFailures()) > 0 {
			t.Errorf("%s %v: %v %v", c.typ, c.sent, err, res.GetFailures())
			continue
		}
		want, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plainJSON(t, string(want)), plainJSON(t, res.GetReturn().GetFields()["v"].GetStringValue())); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", c.typ, c.sent, diff)
		}
	}
}

// TestLargeRowsInPostgreSQL: a row above maxBytes is an error, and one below it is read, also where
// its bytes take twice as many digits.
func TestLargeRowsInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	spec := fmt.Sprintf("name: \"large\"\nversion: \"0.1.0\"\nsql: {driver: \"postgres\", socket: %q, port: %d, user: \"postgres\"}\n", server.Socket, server.Port)
	spec += `functions: get: {inputs: {n: int}, outputs: n: int, sql: query: {statement: "select decode(repeat('00', {n}), 'hex') as v", params: n: "${inputs.n}", maxBytes: "3MiB"}, return: n: "${len(result.row.v)}"}` + "\n"
	folder := provider.FolderWith(t, "large", ".cue", spec)
	provider.AddSQL(t, folder)
	p := provider.Configured(t, folder, "large", t.TempDir(), nil)
	for size, fits := range map[float64]bool{1 << 20: true, 3 << 20: true, 3<<20 + 1: false, 6 << 20: false, 60 << 20: false} {
		args, err := structpb.NewStruct(map[string]any{"n": size})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "large:index:get", Args: args})
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "maxBytes") {
			t.Errorf("%v bytes: %v", size, err)
		}
	}
}

// plainJSON is a value whose numbers have all their digits.
func plainJSON(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

package sql

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestTypesOfPostgreSQL reads a value of each type, alone, as an element of arrays of one and two
// dimensions next to a null, and null: an element has the form of the single value. What is read is
// accepted as a parameter of the type.
func TestTypesOfPostgreSQL(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	db := server.Open(t, "postgres")
	do(t, db, "create type mood as enum ('sad', 'so so')")
	do(t, db, "create type pair as (a int, b text)")
	do(t, db, "create domain small as int check (value < 100)")
	do(t, db, "create domain smaller as small")
	do(t, db, "create domain day as date")
	do(t, db, "create domain days as date[]")
	cases := []struct {
		typ, literal string
		want         any
	}{
		{"text", `a"b,{}\ `, `a"b,{}\ `},
		{"text", "NULL", "NULL"},
		{"varchar", "", ""},
		{"uuid", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"},
		{"int2", "-7", -7},
		{"int8", "9007199254740993", json.Number("9007199254740993")},
		{"oid", "4000000000", json.Number("4000000000")},
		{"xid", "12", 12},
		{"numeric", "0.10", json.Number("0.10")},
		{"numeric", "NaN", "NaN"},
		{"float4", "0.1", 0.1},
		{"float4", "NaN", "NaN"},
		{"float8", "0.1", 0.1},
		{"float8", "-Infinity", "-Infinity"},
		{"bool", "true", true},
		{"json", `{"a": [1, null]}`, map[string]any{"a": []any{1, nil}}},
		{"jsonb", `"x"`, "x"},
		{"bytea", `\x00ff`, "AP8="},
		{"date", "2026-02-03", "2026-02-03"},
		{"date", "0044-03-15 BC", "0044-03-15 BC"},
		{"date", "infinity", "infinity"},
		{"timestamp", "2026-02-03 04:05:06.5", "2026-02-03T04:05:06.5"},
		{"timestamp", "0001-02-29 04:05:06 BC", "0001-02-29T04:05:06 BC"},
		{"timestamptz", "2026-02-03 04:05:06+02", "2026-02-03T02:05:06Z"},
		{"timestamptz", "0044-03-15 04:05:06+00 BC", "0044-03-15T04:05:06Z BC"},
		{"timestamptz", "-infinity", "-infinity"},
		{"time", "04:05:06", "04:05:06"},
		{"interval", "1 day 02:03:04", "1 day 02:03:04"},
		{"xml", `<a b="c"/>`, `<a b="c"/>`},
		{"inet", "10.0.0.1/8", "10.0.0.1/8"},
		{"bit(3)", "101", "101"},
		{"int4range", "[1,5)", "[1,5)"},
		{"point", "(1,2)", "(1,2)"},
		{"mood", "so so", "so so"},
		{"pair", `(1,"a b")`, `(1,"a b")`},
		{"small", "5", 5},
		{"smaller", "5", 5},
		{"day", "0044-03-15 BC", "0044-03-15 BC"},
		{"days", "{2026-02-03}", []any{"2026-02-03"}},
	}
	spec := fmt.Sprintf("name: \"types\"\nversion: \"0.1.0\"\nsql: {driver: \"postgres\", socket: %q, port: %d, user: \"postgres\"}\n", server.Socket, server.Port)
	for i, c := range cases {
		one := fmt.Sprintf("'%s'::%s", c.literal, c.typ)
		statement := fmt.Sprintf("select %[1]s as one, array[%[1]s, null] as list, array[array[%[1]s, null], array[null, %[1]s]] as rows, null::%[2]s as none, null::%[2]s[] as no_list, array[]::%[2]s[] as empty", one, c.typ)
		if c.typ == "days" { // array[…] would have two dimensions
			statement = fmt.Sprintf("select %[1]s as one, '{\"{2026-02-03}\",null}'::days[] as list, '{{\"{2026-02-03}\",null},{null,\"{2026-02-03}\"}}'::days[] as rows, null::days as none, null::days[] as no_list, '{}'::days[] as empty", one)
		}
		text, err := json.Marshal(statement)
		if err != nil {
			t.Fatal(err)
		}
		spec += fmt.Sprintf("functions: get%d: {outputs: v: _, sql: query: statement: %s, return: v: \"${jsonencode(result.row)}\"}\n", i, text)
		back, err := json.Marshal(fmt.Sprintf("select {v}::%s is not distinct from (%s) as v", c.typ, one))
		if c.typ == "days" { // a parameter of this type is not an array to the driver
			back, err = json.Marshal(fmt.Sprintf("select {v}::date[]::days is not distinct from (%s) as v", one))
		}
		if c.typ == "json" || c.typ == "xml" || c.typ == "point" { // which have no equality
			back, err = json.Marshal(fmt.Sprintf("select {v}::%s is not null as v", c.typ))
		}
		if err != nil {
			t.Fatal(err)
		}
		spec += fmt.Sprintf("functions: back%d: {inputs: v: _, outputs: v: _, sql: query: {statement: %s, params: v: \"${inputs.v}\"}, return: v: \"${jsonencode(result.row.v)}\"}\n", i, back)
	}
	folder := provider.FolderWith(t, "types", ".cue", spec)
	provider.AddSQL(t, folder)
	p := provider.Configured(t, folder, "types", t.TempDir(), nil)
	invoke := func(name string, args map[string]any) any {
		in, err := structpb.NewStruct(args)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "types:index:" + name, Args: in})
		if err != nil || len(res.GetFailures()) > 0 {
			return fmt.Sprint(err, res.GetFailures())
		}
		return plainJSON(t, res.GetReturn().GetFields()["v"].GetStringValue())
	}
	for i, c := range cases {
		want, err := json.Marshal(map[string]any{
			"one": c.want, "list": []any{c.want, nil}, "rows": []any{[]any{c.want, nil}, []any{nil, c.want}},
			"none": nil, "no_list": nil, "empty": []any{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plainJSON(t, string(want)), invoke(fmt.Sprint("get", i), nil)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.typ, c.literal, diff)
		}
		sent := c.want
		switch v := sent.(type) {
		case json.Number:
			sent = v.String()
		case map[string]any, int:
			sent = c.literal
		}
		if c.typ == "bytea" || c.typ == "jsonb" { // a parameter is not base64, nor a JSON string
			continue
		}
		if got := invoke(fmt.Sprint("back", i), map[string]any{"v": sent}); got != true {
			t.Errorf("%s %v is not accepted back: %v", c.typ, sent, got)
		}
	}
}

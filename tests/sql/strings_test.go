package sql

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/corpus"
	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
)

var count = flag.Int("strings", 400, "how many texts go through each place; make model has 10000")

// databases are fewer, since PostgreSQL copies a whole one for each.
var databases = flag.Int("databases", 20, "how many texts are names of PostgreSQL's databases; make model has 10000")

// atOnce is how many texts are on their way at once.
const atOnce = 3

// dialect is a kind of database, and the places for texts in its statements.
type dialect struct {
	driver, address string
	// hex is the expression for the bytes of a text, up to its argument.
	hex string
	// names are the kinds of objects, with the rest of their declaration, and the column and
	// table that list them.
	names map[string][3]string
	// refused reports whether a text must not arrive at a place, and mayRefuse whether it need
	// not: the server has rules of its own.
	refused, mayRefuse func(place, text string) bool
}

// open starts a provider whose functions have the places.
func (d dialect) open(t *testing.T, dir string) (*provider.Process, []string) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	spec, places := read("strings.cue"), []string{"parameter", "literal"}
	for kind, at := range d.names {
		spec += strings.NewReplacer("KIND", kind, "TYPE", typeName(kind), "COLUMNS", at[0], "(NAME)", "("+at[1]+")", "NAME", at[1], "CATALOG", at[2]).Replace(read("names.cue"))
		places = append(places, kind)
	}
	spec = strings.NewReplacer("DRIVER", d.driver, "ADDRESS", d.address, "HEX(", d.hex).Replace(spec)
	folder := provider.FolderWith(t, "hostile", ".cue", spec)
	provider.AddSQL(t, folder)
	slices.Sort(places)
	return provider.Configured(t, folder, "hostile", dir, nil), places
}

// try sends a text to a place, and reports whether it arrived.
func (d dialect) try(t *testing.T, p *provider.Process, place, text string) (bool, error) {
	try := call
	if d.names[place] != [3]string{} {
		try = makeAndRemove
	}
	outputs, err := try(t, p, place, text)
	switch {
	case err != nil && (d.refused(place, text) || d.mayRefuse(place, text)):
		return false, nil
	case err != nil:
		return false, err
	case d.refused(place, text):
		return false, fmt.Errorf("it should be refused, and arrived as %s", outputs)
	}
	if diff := cmp.Diff(hex.EncodeToString([]byte(text)), strings.ToLower(outputs)); diff != "" {
		return true, fmt.Errorf("it arrived as something else (-want +got):\n%s", diff)
	}
	return true, nil
}

// call calls a function of the provider, and returns the bytes that arrived, in hex.
func call(t *testing.T, p *provider.Process, function, text string) (string, error) {
	args, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"v": property.New(text)}))
	if err != nil {
		return "", fmt.Errorf("it cannot travel: %w", err)
	}
	res, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "hostile:index:" + function, Args: args})
	if err == nil && len(res.GetFailures()) > 0 {
		err = fmt.Errorf("%v", res.GetFailures())
	}
	return res.GetReturn().GetFields()["hex"].GetStringValue(), err
}

// typeName returns the name of the resource for a kind of object.
func typeName(kind string) string { return strings.ToUpper(kind[:1]) + kind[1:] }

// makeAndRemove makes an object with the text as its name, and removes it.
func makeAndRemove(t *testing.T, p *provider.Process, kind, text string) (string, error) {
	r := client.Resource{Type: "hostile:index:" + typeName(kind), Name: "n" + hex.EncodeToString([]byte(text))}
	checked, err := p.Check(t.Context(), r, property.Map{}, property.NewMap(map[string]property.Value{"v": property.New(text)}))
	if err == nil && len(checked.Failures) > 0 {
		err = fmt.Errorf("%v", checked.Failures)
	}
	if err != nil {
		return "", err
	}
	state, err := p.Create(t.Context(), r, checked.Inputs, client.Operation{})
	if err != nil {
		return "", err
	}
	return state.Outputs.Get("hex").AsString(), p.Delete(t.Context(), r, state, client.Operation{})
}

func hasNUL(text string) bool { return strings.Contains(text, "\x00") }

// TestHostileStringsInPostgreSQL also checks by the server's log that it received the
// statements of the spec, and nothing else.
func TestHostileStringsInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	d := dialect{
		driver: "postgres", address: fmt.Sprintf("socket: %q, port: %d, user: \"postgres\"", server.Socket, server.Port),
		hex:   "hex(",
		names: map[string][3]string{"role": {"", "rolname", "pg_roles"}, "database": {"", "datname", "pg_database"}},
		refused: func(place, text string) bool {
			name := place == "role" || place == "database"
			return hasNUL(text) || name && (text == "" || len(text) > 63)
		},
		mayRefuse: func(place, text string) bool {
			return place == "role" && (strings.HasPrefix(text, "pg_") || text == "public" || text == "none") ||
				place == "database" && strings.ContainsAny(text, "\r\n") // newer versions refuse them
		},
	}
	do(t, server.Open(t, "postgres"), `create function hex(text) returns text language sql immutable as $$select encode(convert_to($1, 'UTF8'), 'hex')$$`)
	do(t, server.Open(t, "postgres"), `create function hex(name) returns text language sql immutable as $$select encode(convert_to($1::text, 'UTF8'), 'hex')$$`)
	p, places := d.open(t, t.TempDir())
	_, from := server.Statements(t, 0)
	var mu sync.Mutex
	var want []string
	quote := func(s, mark string) string { return mark + strings.ReplaceAll(s, mark, mark+mark) + mark }
	intended := map[string]func(text string) []string{
		"parameter": func(s string) []string { return []string{"select hex($1) as hex / " + quote(s, "'")} },
		"literal":   func(s string) []string { return []string{"select hex(" + quote(s, "'") + ") as hex / "} },
		"role": func(s string) []string {
			return []string{
				"create role " + quote(s, `"`) + " / ", "drop role " + quote(s, `"`) + " / ",
				"select hex(rolname) as hex from pg_roles where rolname = $1 / " + quote(s, "'"),
			}
		},
		"database": func(s string) []string {
			return []string{
				"create database " + quote(s, `"`) + " / ", "drop database " + quote(s, `"`) + " / ",
				"select hex(datname) as hex from pg_database where datname = $1 / " + quote(s, "'"),
			}
		},
	}
	for _, place := range places {
		n := *count
		if place == "database" {
			n = *databases
		}
		corpus.Try(t, n, atOnce, []string{place}, func(place string, _ int, text string) (bool, error) {
			arrived, err := d.try(t, p, place, text)
			if arrived {
				mu.Lock()
				want = append(want, intended[place](text)...)
				mu.Unlock()
			}
			return arrived, err
		})
	}
	slices.Sort(want)
	got := received(t, server, from, len(want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the server received other statements (-want +got):\n%s", diff)
	}
}

// received returns the statements in the log of a server, sorted. The server writes its log a
// little later than it responds.
func received(t *testing.T, server *database.Postgres, from int64, count int) []string {
	t.Helper()
	var got []string
	for range 50 {
		got = nil
		statements, _ := server.Statements(t, from)
		for _, s := range statements {
			got = append(got, s.Text+" / "+strings.TrimPrefix(s.Parameters, "parameters: $1 = "))
		}
		if len(got) >= count {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	slices.Sort(got)
	return got
}

func TestHostileStringsInMariaDB(t *testing.T) {
	t.Parallel()
	server := database.StartMariaDB(t)
	d := dialect{
		driver: "mysql", address: fmt.Sprintf("host: \"127.0.0.1\", port: %d, user: \"root\", password: %q", server.Port, database.Password), hex: "hex(",
		names: map[string][3]string{"database": {" collate utf8mb4_bin", "schema_name", "information_schema.schemata"}},
		refused: func(place, text string) bool {
			return place == "literal" && hasNUL(text) || place == "database" && (text == "" || hasNUL(text))
		},
		// Names are at most 64 characters of the basic plane, and do not end in a space.
		mayRefuse: func(place, text string) bool {
			return place == "database" && (utf8.RuneCountInString(text) > 64 || strings.TrimRightFunc(text, unicode.IsSpace) != text || strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff }) ||
				len(text) > 80 || folderBytes(text) > 255 || strings.ContainsAny(text, "/\\.~"))
		},
	}
	p, places := d.open(t, t.TempDir())
	corpus.Try(t, *count, atOnce, places, func(place string, _ int, text string) (bool, error) { return d.try(t, p, place, text) })
}

// folderBytes returns at most how many bytes the name of a MariaDB database's folder has: all
// but letters and digits of ASCII are written as "@0025". File systems accept 255.
func folderBytes(name string) (bytes int) {
	for _, r := range name {
		if r < utf8.RuneSelf && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			bytes++
		} else {
			bytes += len("@0025")
		}
	}
	return bytes
}

func TestHostileStringsInSQLite(t *testing.T) {
	t.Parallel()
	d := dialect{
		driver: "sqlite", address: `file: "texts.db"`, hex: "hex(",
		names: map[string][3]string{"table": {" (x int)", "name", "sqlite_master"}},
		refused: func(place, text string) bool {
			return hasNUL(text) && place != "parameter" || place == "table" && text == ""
		},
		mayRefuse: func(place, text string) bool {
			return place == "table" && strings.HasPrefix(strings.ToLower(text), "sqlite_")
		},
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "texts.db"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p, places := d.open(t, dir)
	corpus.Try(t, *count, 1, places, func(place string, _ int, text string) (bool, error) { return d.try(t, p, place, text) })
}

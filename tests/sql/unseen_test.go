package sql

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/builtin"
	family "github.com/declprov/declprov/actions/sql"
	runner "github.com/declprov/declprov/actions/sql/database"
	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

func TestMain(m *testing.M) {
	if !supervisor.Main(os.Args) { // of commands, of which this process starts some
		os.Exit(m.Run())
	}
}

// A service keeps things, each with a name and a size. A fault spoils one write.
type service interface {
	// steps returns the block of defaults, and the steps that write a thing and read it.
	steps() (block string, step func(verb string) string)
	// set says what happens from now on: whether writes take effect, and whether responses are whole, or
	// the size in that to a write is "large" (unfit), or the mark is absent (bare), or no number (odd).
	set(effect bool, responses string)
	// size returns the size that the thing has, "" if there is none, and how many writes took effect.
	size(t *testing.T) (size string, writes int)
}

// unseenFaults are the ways in which a write may end of which only read can tell. Each is the member
// `return` of the operation, outputs, and what is wrong with the responses.
var unseenFaults = map[string]struct {
	operation string
	outputs   string
	responses string
}{
	"the response does not fit": {"", "", "unfit"},
	"return fails":              {`, return: {size: "${RESULT.size}", tag: "${int(RESULT.mark ?? '0')}"}`, `outputs: tag?: int`, "odd"},
	"an output is missing":      {"", `outputs: mark: string`, "bare"},
}

// TestWritesThatNobodyHasSeen: whatever a run could not read from the response to a write, the next
// run succeeds only if the service has what the state records, and sends nothing twice that took effect.
func TestWritesThatNobodyHasSeen(t *testing.T) {
	t.Parallel()
	for kind, open := range map[string]func(*testing.T) service{"sql": newTable, "http": newServer, "exec": newFolder} {
		for name, fault := range unseenFaults {
			for _, verb := range []string{"create", "update"} {
				for _, effect := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s/%s/%s/effect %t", kind, verb, name, effect), func(t *testing.T) {
						s := open(t)
						block, step := s.steps()
						spoiled := func(v string) string {
							text := step(v)
							if v == verb {
								text += strings.ReplaceAll(fault.operation, "RESULT", resultOf[kind])
							}
							return text
						}
						e := engineOf(t, fmt.Sprintf(`package things
name: "things"
version: "1.0.0"
%s
#Thing: {size: int, mark?: string}
resources: Thing: {
	inputs: {name: string, size: int}
	%s
	consistency: "1ms"
	id: "${inputs.name}"
	create: {%s}
	read: {%s}
	update: {%s}
	delete: {%s}
}`, block, fault.outputs, spoiled("create"), step("read"), spoiled("update"), step("delete")))
						playUnseen(t, e, s, verb, effect, fault.responses)
					})
				}
			}
		}
	}
}

var resultOf = map[string]string{"sql": "result.row", "http": "result.body", "exec": "result.stdout"}

// playUnseen spoils one write, and runs the same again.
func playUnseen(t *testing.T, e *engine.Engine, s service, verb string, effect bool, responses string) {
	t.Helper()
	ref := engine.Ref{Type: "Thing", Name: "it", Key: "urn:it"}
	inputs := func(size float64) property.Map {
		return property.NewMap(map[string]property.Value{"name": property.New("a"), "size": property.New(size)})
	}
	s.set(true, "whole")
	want, out := 1.0, engine.Result{}
	if verb == "update" {
		out, want = e.Create(t.Context(), engine.CreateRequest{Ref: ref, Inputs: inputs(1)}), 2
		if out.State == nil {
			t.Fatal(out.Err)
		}
		if out.Err != nil { // the operation of the other verb may lack the output, too
			out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: *out.State, Inputs: inputs(1)})
		}
		if out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	_, before := s.size(t)
	s.set(effect, responses)
	run := func() engine.Result {
		var next engine.Result
		if out.State == nil {
			next = e.Create(t.Context(), engine.CreateRequest{Ref: ref, Inputs: inputs(want)})
		} else {
			next = e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: *out.State, Inputs: inputs(want)})
		}
		if next.State != nil {
			out.State = next.State
		}
		size, _ := s.size(t)
		if next.Err == nil && size != fmt.Sprint(want) {
			t.Errorf("a run succeeded, and the service has the size %q", size)
		}
		return next
	}
	first := run()
	if effect && first.Err != nil && out.State == nil {
		t.Fatalf("what was made is lost: %v", first.Err)
	}
	s.set(true, "whole")
	second := run()
	if second.Err != nil && verb == "create" && !effect && out.State != nil {
		// What it made is not there: a refresh says so, and the next run makes it.
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref, Reason: engine.Refresh, State: *out.State})
		if read.Err != nil || !read.Gone {
			t.Errorf("a refresh does not tell that it is gone: %+v", read)
		}
		out.State = nil
		second = run()
	}
	if second.Err != nil {
		t.Errorf("the next run does not succeed: %v (after %v)", second.Err, first.Err)
	}
	if _, writes := s.size(t); writes != before+1 {
		t.Errorf("%d writes took effect, expected 1 (after %v)", writes-before, first.Err)
	}
}

// engineOf returns an engine with the drivers for databases.
func engineOf(t *testing.T, text string) *engine.Engine {
	t.Helper()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, text)
	}
	families := []*actions.Family{family.Family(runner.Open)}
	for _, f := range builtin.Families() {
		if f.Name != "sql" {
			families = append(families, f)
		}
	}
	prog, diags := engine.Compile(doc.Provider, families)
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, text)
	}
	e, err := prog.Configure(t.Context(), property.Map{}, engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return e
}

// table is a table of SQLite. Triggers keep what a write without effect would change.
type table struct {
	db   *sql.DB
	file string
}

func newTable(t *testing.T) service {
	s := &table{file: filepath.Join(t.TempDir(), "things.db")}
	var err error
	if s.db, err = sql.Open("sqlite", s.file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	do(t, s.db, "create table things (name text primary key, size int)")
	do(t, s.db, "create table faults (effect int, responses text, writes int)")
	do(t, s.db, "insert into faults values (1, 'whole', 0)")
	for _, verb := range []string{"insert", "update"} {
		do(t, s.db, "create trigger no_"+verb+" before "+verb+" on things when (select not effect from faults) begin select raise(ignore); end")
		do(t, s.db, "create trigger did_"+verb+" after "+verb+" on things begin update faults set writes = writes + 1; end")
	}
	return s
}

func (s *table) steps() (string, func(string) string) {
	const mark = `case when (select responses from faults) <> 'bare' then iif((select responses from faults) = 'odd', 'x', '1') end as mark`
	const shown = `case when (select responses from faults) = 'unfit' then 'large' else size end as size, ` + mark
	statements := map[string]string{
		"create": "insert into things (name, size) values ({name}, {size}) returning " + shown,
		"update": "update things set size = {size} where name = {name} returning " + shown,
		"read":   "select size, " + mark + " from things where name = {name}",
		"delete": "delete from things where name = {name}",
	}
	return fmt.Sprintf("sql: {driver: \"sqlite\", file: %q}", s.file), func(verb string) string {
		params, action, returns := `{name: "${inputs.name}", size: "${inputs.size}"}`, "exec", "\n\t\treturns: #Thing"
		switch verb {
		case "read":
			params, action = `name: "${id}"`, "query"
		case "delete":
			params, returns = `name: "${id}"`, ""
		}
		return fmt.Sprintf("sql: %s: {\n\t\tstatement: %q\n\t\tparams: %s%s\n\t}", action, statements[verb], params, returns)
	}
}

func (s *table) set(effect bool, responses string) {
	if _, err := s.db.Exec("update faults set effect = ?, responses = ?", effect, responses); err != nil {
		panic(err)
	}
}

func (s *table) size(t *testing.T) (size string, writes int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), "select ifnull((select size from things where name = 'a'), ''), writes from faults").Scan(&size, &writes); err != nil {
		t.Fatal(err)
	}
	return size, writes
}

// server is an HTTP API.
type server struct {
	*httptest.Server
	mu        sync.Mutex
	effect    bool
	responses string
	things    map[string]any
	writes    int
}

func newServer(t *testing.T) service {
	s := &server{things: map[string]any{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/")
	response := map[string]any{"mark": "1"}
	switch s.responses {
	case "bare":
		delete(response, "mark")
	case "odd":
		response["mark"] = "x"
	}
	switch r.Method {
	case http.MethodPost, http.MethodPut:
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		if s.effect {
			s.things[name] = body["size"]
			s.writes++
		}
		if response["size"] = body["size"]; s.responses == "unfit" {
			response["size"] = "large"
		}
	case http.MethodDelete:
		delete(s.things, name)
	default:
		size, there := s.things[name]
		if !there {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error": "not found"}`)
			return
		}
		response["size"] = size
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(response)
}

func (s *server) steps() (string, func(string) string) {
	steps := map[string]string{
		"create": `method: "POST", path: "/${inputs.name}", json: size: "${inputs.size}", returns: #Thing`,
		"update": `method: "PUT", path: "/${id}", json: size: "${inputs.size}", returns: #Thing`,
		"read":   `path: "/${id}", returns: #Thing`,
		"delete": `method: "DELETE", path: "/${id}"`,
	}
	return fmt.Sprintf("http: baseURL: %q", s.URL), func(verb string) string { return "http: {" + steps[verb] + "}" }
}

func (s *server) set(effect bool, responses string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effect, s.responses = effect, responses
}

func (s *server) size(*testing.T) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size, there := s.things["a"]; there {
		return fmt.Sprint(size), s.writes
	}
	return "", s.writes
}

// things is a folder with a file for each thing, which commands write.
type things struct{ dir string }

func newFolder(t *testing.T) service { return &things{t.TempDir()} }

func (s *things) steps() (string, func(string) string) {
	const show = `mark=', "mark": "1"'; if [ -e bare ]; then mark=; elif [ -e odd ]; then mark=', "mark": "x"'; fi; printf '{"size": %s%s}' "$size" "$mark"`
	const write = `if [ -e effect ]; then echo "$2" > "$1.size"; echo . >> writes; fi; size=$2; if [ -e unfit ]; then size='"large"'; fi; ` + show
	steps := map[string]string{
		"create": script(write, `"${inputs.name}", "${string(inputs.size)}"`, `stdout: "json", returns: #Thing`),
		"update": script(write, `"${id}", "${string(inputs.size)}"`, `stdout: "json", returns: #Thing`),
		"read":   script(`[ -e "$1.size" ] || exit 4; size=$(cat "$1.size"); `+show, `"${id}"`, `stdout: "json", returns: #Thing, effect: "none", exitCodes: gone: [4]`),
		"delete": script(`rm -f "$1.size"`, `"${id}"`, ""),
	}
	return fmt.Sprintf("exec: {dir: %q, sandbox: \"off\"}", s.dir), func(verb string) string { return steps[verb] }
}

// script returns a step that runs a shell script with arguments.
func script(text, args, rest string) string {
	return fmt.Sprintf(`exec: {command: ["sh", "-c", %q, "sh", %s], %s}`, text, args, rest)
}

func (s *things) set(effect bool, responses string) {
	for _, name := range []string{"effect", "whole", "unfit", "bare", "odd"} {
		path := filepath.Join(s.dir, name)
		err := os.RemoveAll(path)
		if err == nil && (name == responses || name == "effect" && effect) {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			panic(err)
		}
	}
}

func (s *things) size(*testing.T) (string, int) {
	size, _ := os.ReadFile(filepath.Join(s.dir, "a.size"))
	writes, _ := os.ReadFile(filepath.Join(s.dir, "writes"))
	return strings.TrimSpace(string(size)), strings.Count(string(writes), ".")
}

// Package house checks the structure of the repository: which packages may import which,
// what the binaries contain, and the statements in the documentation.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

const module = "github.com/declprov/declprov/"

// arrows say what a room may import directly beside itself; what those may
// import it may too. A package belongs to the room with the longest name that
// is a prefix of its own.
func arrows() map[string][]string {
	return map[string][]string{
		"spec/encode": {},
		"spec/stable": {},
		"spec/lists":  {},
		"spec/screen": {"spec/encode", "spec/lists"},
		"spec/diag":   {"spec/screen", "spec/stable", "spec/lists"},
		"spec":        {"spec/diag"},
		// What SDKs and schemas can call the parts of a spec.
		"spec/names": {"spec"},
		// What other tools write for what specs write.
		"spec/foreign": {"spec/diag"},
		"spec/load":    {"spec/load/lint", "spec/load/rest", "spec/load/let"},
		// Local names become what they stand for.
		"spec/load/let": {"spec/load/source", "spec/expr/parse"},
		// A shorthand becomes the operations that it stands for.
		"spec/load/rest": {"spec/load/source", "spec/expr/parse"},
		// A model becomes a document again.
		"spec/load/printer": {"spec/types"},
		// A text becomes the same text in one layout.
		"spec/load/layout": {},
		// The language becomes what editors read.
		"spec/load/editor": {"spec/load/source"},
		// What evaluation would hide.
		"spec/load/lint": {"spec/load/typing"},
		// Types, of CUE's values.
		"spec/load/typing": {"spec/load/walk", "spec/types"},
		// CUE's value beside its source.
		"spec/load/walk": {"spec/load/source"},
		// What was read, and where everything stands.
		"spec/load/source":        {"spec/load/block", "spec/load/jsonschema", "spec/load/source/scalar", "spec/names"},
		"spec/load/source/scalar": {"spec"},
		// The language as data: it reads nothing.
		"spec/load/block":      {"spec"},
		"spec/load/jsonschema": {"spec/foreign"},
		"spec/container":       {"spec", "spec/decode"},
		"spec/decode":          {},
		"spec/budget":          {},
		// Static types, and what values they have.
		"spec/types": {"spec", "spec/budget"},
		"spec/expr":  {"spec/expr/functions"},
		// Parsed, then checked, then evaluated; a function is checked and evaluated.
		"spec/expr/parse":     {"spec", "spec/foreign"},
		"spec/expr/check":     {"spec/expr/parse", "spec/types"},
		"spec/expr/eval":      {"spec/expr/check", "spec/decode"},
		"spec/expr/functions": {"spec/expr/eval"},
		"actions/grant":       {"spec"},
		"actions/sys/files":   {"actions/grant"},
		"actions/sys/network": {"actions/grant"},
		"actions/sys/process": {"actions/grant", "actions/sys/process/supervisor"},
		// What a binary has to call first that runs commands, and what confines them.
		"actions/sys/process/supervisor": {"actions/sys/process/sandbox"},
		"actions/sys/process/sandbox":    {"actions/sys/files", "actions/sys/network"},
		"actions":                        {"spec", "spec/decode", "actions/sys/files", "actions/sys/network", "actions/sys/process"},
		"actions/declare":                {"actions", "spec/types"},
		"actions/assets":                 {"actions"},
		"actions/ssh":                    {"actions"},
		// Any folder there that is no package of this list.
		family: {"actions/assets", "actions/declare"},
		// Arguments become a request, and a response becomes an outcome; a session sends the one
		// and receives the other.
		"actions/http/graphql": {"actions", "spec/diag"},
		"actions/http/request": {"actions/assets", "actions/http/graphql"},
		"actions/http/verdict": {"actions/http/request"},
		"actions/http/session": {"actions/declare", "actions/http/verdict"},
		"actions/http":         {"actions/http/session", "spec/foreign"},
		"actions/exec":         {"actions/assets", "actions/declare", "actions/ssh"},
		// A statement is text; the family declares and checks it; what runs it has the drivers.
		"actions/sql/statement": {},
		"actions/sql":           {"actions/declare", "actions/sql/statement"},
		"actions/sql/database":  {"actions/sql"},
		"actions/builtin":       {family, "actions/http", "actions/exec", "actions/sql"},
		"engine":                {"engine/compile", "engine/component", "engine/run"},
		// What is compiled is data: it knows neither what compiles it nor what runs it.
		"engine/value":    {"spec/expr", "actions", "engine/reserved"},
		"engine/reserved": {},
		"engine/journal":  {"spec/stable", "spec/lists"},
		"engine/plan":     {"engine/value"},
		// A spec becomes a plan: what was found, the names that templates see, arguments, grants,
		// steps, and what steps yield; then resources and components, and the judgement of them.
		"engine/compile/finding":   {"spec/expr"},
		"engine/compile/scopes":    {"engine/compile/finding", "engine/plan"},
		"engine/compile/arguments": {"engine/compile/scopes"},
		"engine/compile/grants":    {"engine/compile/arguments"},
		"engine/compile/steps":     {"engine/compile/grants"},
		"engine/compile/yield":     {"engine/compile/scopes"},
		"engine/compile/identity":  {"engine/compile/yield"},
		"engine/compile/certainty": {"engine/compile/finding", "engine/plan"},
		"engine/compile/unlikely":  {"engine/compile/finding", "engine/plan"},
		"engine/compile/order":     {},
		"engine/compile/component": {"engine/compile/grants", "engine/compile/order", "engine/compile/yield"},
		"engine/compile": {
			"spec/container", "engine/compile/steps", "engine/compile/component", "engine/compile/identity", "engine/compile/certainty",
			"engine/compile/unlikely",
		},
		// What templates see while an operation runs.
		"engine/run/scope":     {"engine/plan"},
		"engine/run/arguments": {"engine/run/scope"},
		// How an operation is cancelled, and what its attempts come to.
		"engine/run/stop":    {"engine/run/scope"},
		"engine/run/live":    {"spec/screen"},
		"engine/run/verdict": {"engine/run/scope", "engine/run/stop"},
		// What is recorded of a resource, and what templates see of it.
		"engine/run/recorded": {"engine/plan"},
		"engine/run/view":     {"engine/run/recorded", "engine/run/scope"},
		// How the steps of an operation run, whatever becomes of its resource.
		"engine/run/operation": {"engine/run/arguments", "engine/run/live", "engine/run/verdict", "engine/run/permit", "engine/run/view"},
		"engine/run/compare":   {"engine/run/operation"},
		"engine/run/outputs":   {"engine/run/operation"},
		// How resources are created, read, updated and deleted.
		"engine/run": {"engine/journal", "engine/run/compare", "engine/run/outputs"},
		// What a configured program may use.
		"engine/run/permit": {"engine/run/scope", "actions/assets"},
		"engine/component":  {"engine/run/permit"},
		// What a reviewer reads of a spec.
		"engine/permissions": {"engine/plan"},
		"engine/schema":      {"engine", "spec/names"},
		"engine/pulumi":      {"engine"},
		"engine/terraform":   {"engine"},
		"cmd":                {"spec/load", "spec/load/printer", "spec/load/editor", "spec/load/layout", "spec/names", "engine/permissions", "engine/schema", "engine/pulumi", "engine/terraform", "actions/builtin", "actions/sql/database"},
		"docs":               {"cmd"},
	}
}

// owners are the only rooms that may import a library, by its import path or
// a prefix of it. A library that is not here is anybody's.
func owners() map[string][]string {
	return map[string][]string{
		"cuelang.org/go":                            {"spec/load", "spec/load/lint", "spec/load/typing", "spec/load/walk", "spec/load/source", "spec/load/printer", "spec/load/jsonschema", "spec/load/editor", "spec/load/layout"},
		"github.com/expr-lang/expr":                 {"spec/expr", "spec/expr/parse", "spec/expr/check", "spec/expr/eval", "spec/expr/functions"},
		"github.com/pulumi/pulumi/sdk/v3/proto":     {"engine/pulumi"},
		"google.golang.org/grpc":                    {"engine/pulumi", "engine/terraform", "cmd"},
		"github.com/hashicorp/terraform-plugin-go":  {"engine/terraform"},
		"github.com/spf13/cobra":                    {"cmd"},
		"github.com/gertd/go-pluralize":             {"cmd"},
		"github.com/tmaxmax/go-sse":                 {"actions/http/session"},
		"github.com/vektah/gqlparser":               {"actions/http/graphql"},
		"database/sql":                              {"actions/sql/database"},
		"github.com/jackc/pgx":                      {"actions/sql/database"},
		"github.com/go-sql-driver/mysql":            {"actions/sql/database"},
		"modernc.org/sqlite":                        {"actions/sql/database"},
		"net/http":                                  {"actions/http", "actions/http/request", "actions/http/session", "actions/http/verdict", "actions/assets", "cmd"},
		"os/exec":                                   {"actions/sys/process", "spec/load", "cmd", "engine/pulumi"},
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi": {},
		"github.com/pulumi/pulumi/pkg/v3":           {},
	}
}

// heavy lists packages that the binary must not contain, because each of them would slow
// its start more than all other packages together.
func heavy() []string {
	return []string{
		"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin",
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi",
		"github.com/pulumi/pulumi/pkg/v3",
		"github.com/jackc/pgx/v5",
		"github.com/go-sql-driver/mysql",
		"modernc.org/sqlite",
		"testing",
	}
}

// pkg has the fields of the output of `go list -json` that the tests use.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	Imports    []string
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range list(t, "./...") {
		path := strings.TrimPrefix(p.ImportPath, module)
		from := room(path)
		if from == "" {
			t.Errorf("%s is in no room of the house: give it one in tests/house", path)
			continue
		}
		allowed := reach(from)
		for _, imported := range p.Imports {
			if to, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(allowed, room(to)) {
				t.Errorf("%s imports %s: %s may import %s", path, to, from, strings.Join(allowed, ", "))
			}
			for library, rooms := range owners() {
				if within(imported, library) && !slices.Contains(rooms, from) {
					t.Errorf("%s imports %s, which only %s may", path, imported, strings.Join(rooms, ", "))
				}
			}
		}
	}
}

func TestTheBinaryCarriesNothingHeavy(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/declprov") {
		for _, library := range heavy() {
			if within(p.ImportPath, library) {
				t.Errorf("the binary contains %s", p.ImportPath)
			}
		}
	}
}

// TestTheServingBinaryCarriesNoEvaluator checks that the serving binary does not contain CUE
// or the command line, which would cost each start of a provider time and memory.
func TestTheServingBinaryCarriesNoEvaluator(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/declprov/declprov-server") {
		for _, library := range append(heavy(), "cuelang.org/go", "github.com/cockroachdb/apd", "github.com/spf13/cobra") {
			if within(p.ImportPath, library) {
				t.Errorf("the serving binary contains %s", p.ImportPath)
			}
		}
	}
}

// family stands for the folders of actions/ that arrows does not name: a family of actions
// that needs no more than most.
const family = "actions/FAMILY"

// room is the longest room that holds a package, or "".
func room(path string) string {
	best := ""
	for name := range arrows() {
		if within(path, name) && len(name) > len(best) {
			best = name
		}
	}
	if best == "actions" && path != best {
		return family
	}
	return best
}

func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// reach are the rooms that a room may import, itself among them, sorted.
func reach(from string) []string {
	all := arrows()
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		for _, next := range all[seen[i]] {
			if !slices.Contains(seen, next) {
				seen = append(seen, next)
			}
		}
	}
	slices.Sort(seen)
	return seen
}

// list runs `go list -json` in the main module.
func list(t *testing.T, args ...string) []pkg { return listIn(t, ".", args...) }

// listTests lists the packages of the module of the tests.
func listTests(t *testing.T) []pkg { return listIn(t, "tests", "./...") }

// listIn runs `go list -json` in a folder of the repository.
func listIn(t *testing.T, folder string, args ...string) []pkg {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Standard,GoFiles,Imports"}, args...)...)
	cmd.Dir = filepath.Join(root, folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

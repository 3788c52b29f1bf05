// Package house keeps the shape of the repository true: which folder may
// import which, what the binary carries, and what CONTRIBUTING says of it.
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
		"spec/screen": {},
		"spec/diag":   {"spec/screen"},
		"spec":        {"spec/diag"},
		// What SDKs and schemas can call the parts of a spec.
		"spec/names": {"spec"},
		"spec/load":  {"spec/load/lint"},
		// What evaluation would hide.
		"spec/load/lint": {"spec/load/typing"},
		// Types, of CUE's values.
		"spec/load/typing": {"spec/load/walk", "spec/types"},
		// CUE's value beside its source.
		"spec/load/walk": {"spec/load/source"},
		// What was read, and where everything stands.
		"spec/load/source": {"spec/load/block", "spec/names"},
		// The language as data: it reads nothing.
		"spec/load/block": {"spec"},
		"spec/container":  {"spec"},
		"spec/decode":     {},
		"spec/budget":     {},
		// Static types, and what values they have.
		"spec/types": {"spec", "spec/budget"},
		"spec/expr":  {"spec/expr/functions"},
		// Parsed, then checked, then evaluated; a function is checked and evaluated.
		"spec/expr/parse":     {"spec"},
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
		"actions/declare":                {"actions"},
		"actions/assets":                 {"actions"},
		"actions/ssh":                    {"actions"},
		// Any folder there that is no package of this list.
		family: {"actions/assets", "actions/declare"},
		// Arguments become a request, and a response becomes an outcome; a session sends the one
		// and receives the other.
		"actions/http/request": {"actions/assets"},
		"actions/http/verdict": {"actions/http/request"},
		"actions/http/session": {"actions/declare", "actions/http/verdict"},
		"actions/http":         {"actions/http/session"},
		"actions/exec":         {"actions/assets", "actions/declare", "actions/ssh"},
		"actions/builtin":      {family, "actions/http", "actions/exec"},
		"engine":               {"engine/compile", "engine/journal", "engine/component"},
		// What is compiled is data: it knows neither what compiles it nor what runs it.
		"engine/value":    {"spec/expr", "actions", "engine/reserved"},
		"engine/reserved": {},
		"engine/journal":  {},
		"engine/plan":     {"engine/value"},
		"engine/compile":  {"engine/plan", "spec/container"},
		// What templates see while an operation runs.
		"engine/run/scope": {"engine/plan"},
		// What a configured program may use.
		"engine/run/permit": {"engine/run/scope"},
		"engine/component":  {"engine/run/permit"},
		// What a reviewer reads of a spec.
		"engine/permissions": {"engine/plan"},
		"engine/schema":      {"engine", "spec/names"},
		"engine/pulumi":      {"engine"},
		"engine/terraform":   {"engine"},
		"cmd":                {"spec/load", "spec/names", "engine/permissions", "engine/schema", "engine/pulumi", "engine/terraform", "actions/builtin"},
		"docs":               {"cmd"},
	}
}

// owners are the only rooms that may import a library, by its import path or
// a prefix of it. A library that is not here is anybody's.
func owners() map[string][]string {
	return map[string][]string{
		"cuelang.org/go":                            {"spec/load", "spec/load/lint", "spec/load/typing", "spec/load/walk", "spec/load/source"},
		"github.com/expr-lang/expr":                 {"spec/expr", "spec/expr/parse", "spec/expr/check", "spec/expr/eval", "spec/expr/functions"},
		"github.com/pulumi/pulumi/sdk/v3/proto":     {"engine/pulumi"},
		"google.golang.org/grpc":                    {"engine/pulumi", "engine/terraform", "cmd"},
		"github.com/hashicorp/terraform-plugin-go":  {"engine/terraform"},
		"github.com/spf13/cobra":                    {"cmd"},
		"net/http":                                  {"actions/http", "actions/http/request", "actions/http/session", "actions/http/verdict", "actions/assets", "cmd"},
		"os/exec":                                   {"actions/sys/process", "spec/load", "cmd", "engine/pulumi"},
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi": {},
		"github.com/pulumi/pulumi/pkg/v3":           {},
	}
}

// heavy must not be in the binary: each costs more start-up than all the rest
// (docs: DESIGN, "Values").
func heavy() []string {
	return []string{
		"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin",
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi",
		"github.com/pulumi/pulumi/pkg/v3",
		"testing",
	}
}

// pkg is what `go list -json` says of a package, as far as it matters here.
type pkg struct {
	ImportPath string
	Standard   bool
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
				t.Errorf("the binary has %s", p.ImportPath)
			}
		}
	}
}

// TestTheServingBinaryCarriesNoEvaluator: CUE and the command line would cost
// each start of a provider milliseconds and memory.
func TestTheServingBinaryCarriesNoEvaluator(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/declprov/pulumi-resource-declprov") {
		for _, library := range append(heavy(), "cuelang.org/go", "github.com/cockroachdb/apd", "github.com/spf13/cobra") {
			if within(p.ImportPath, library) {
				t.Errorf("the binary that only serves has %s", p.ImportPath)
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

// list runs `go list -json` in the product's module.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Imports"}, args...)...)
	cmd.Dir = filepath.Clean(root)
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

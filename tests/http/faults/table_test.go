package faults

import (
	"os"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/internal/hostile"
)

// row has the outcomes for a fault. Each cell has the outcome of the first run, that of the
// next one, and the number of objects after both. "ok 2" is a successful run with two
// requests of the verb's method. "error 1" is a failed run that leaves the state of the host
// unchanged. "open 1" is an error with an unknown effect, which the journal lists. "kept 1"
// is a failed run with a state that the next run repairs. "ok 0" as the next run means that
// there was nothing to do. The next run of a delete whose effect is unknown reads the object first.
//
// The columns of creates differ in the spec: it has an idempotency key, a `find`, or neither.
// `find` uses GET, which is not counted for creates. With neither, the next run creates
// again, and an unknown effect remains in the journal for people to resolve. Two objects are
// the outcome that vet labels at-least-once.
type row struct {
	fault              string
	keyed, found, bare string
	read               string
	update             string
	delete             string
}

// cell is one cell of the table: the promised outcome of a verb with a fault.
type cell struct{ verb, method, kind, want string }

// intents returns the journal's intents of the cell's resource.
func (c cell) intents(t testing.TB, server *hostile.Server, name string) []journal.Intent {
	t.Helper()
	book := journal.Open(os.Getenv("DECLPROV_JOURNAL"))
	all, err := book.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []journal.Intent
	for _, i := range all {
		if i.Type == c.kind && i.Name() == name && strings.Contains(string(i.Configuration), server.URL) {
			out = append(out, i)
		}
	}
	return out
}

// unresolvedIntents returns how many intents of a resource remain in the journal, because
// only a person can find out their effect.
func (c cell) unresolvedIntents() int {
	if c.verb == "create" && c.kind == "Bare" && strings.HasPrefix(c.want, "open") {
		return 1
	}
	return 0
}

// cells returns the cells of a row, for either driver.
func (r row) cells() []cell {
	return []cell{
		{"create", "POST", "Keyed", r.keyed},
		{"create", "POST", "Found", r.found},
		{"create", "POST", "Listed", r.found},
		{"create", "POST", "Bare", r.bare},
		{"read", "GET", "Bare", r.read},
		{"update", "PATCH", "Bare", r.update},
		{"delete", "DELETE", "Bare", r.delete},
	}
}

// table has the promised outcomes. They were written before the tests were run.
var table = []row{
	// No response.
	{"reset before commit", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"reset after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
	{"closed before commit", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"no HTTP", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
	{"huge headers", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
	{"closed in the body", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
	{"TLS alert after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
	{"handshake aborted", "ok 1 > ok 0 > 1", "ok 1 > ok 0 > 1", "ok 1 > ok 0 > 1", "ok 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},

	// No response in time: the operation ends with an error instead of waiting longer.
	{"slow after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"slow drip after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"length too long", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},

	// A response that cannot be used.
	{"length too short", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"truncated JSON", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"deep JSON", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"invalid UTF-8", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"compressed bomb", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},

	// A response without information: after an update, the object is read, and find tells the id of a new one.
	{"empty answer", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},
	{"wrong content type", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},

	// The server requests a delay. A 429 says that the request had no effect. A 503 may come
	// from a proxy that had forwarded the request.
	{"429 in seconds", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"429 by date", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"503 in seconds", "ok 3 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 3 > ok 1", "kept 1 > ok 1", "ok 3 > ok 0"},
	{"503 by date", "ok 3 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 3 > ok 1", "kept 1 > ok 1", "ok 3 > ok 0"},
	{"429 without end", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1", "error 4 > ok 1", "error 4 > ok 1"},
	{"429 in a year", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Refusals.
	{"425", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},
	{"307 to elsewhere", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Failures with an unknown effect.
	{"302 to elsewhere", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "open 1 > ok 1"},
	{"500 before commit", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "open 1 > ok 1"},
	{"503 alone", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "open 1 > ok 1"},
	{"500 after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "open 1 > ok 0"},
	{"408", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"502 before commit", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"504 after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
}

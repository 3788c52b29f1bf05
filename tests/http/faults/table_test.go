package faults

import (
	"os"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/internal/hostile"
)

// row is what a fault leads to: in each cell the first run, the next one, and
// how many objects there are after both. "ok 2" is a run that works with two
// requests of the verb's method, "error 1" one that fails and leaves the host
// nothing new to keep, "open 1" is an error after which nobody knows what was
// done, so that the journal lists it, and "kept 1" a run that fails and gives the
// host a state that the next run repairs. A next run of "ok 0" finds nothing to
// do.
//
// The columns of creates differ in what the spec says: an idempotency key, a
// `find`, or neither. `find` is asked by GET, which a create does not count. With
// neither, the next run sends again, and what nobody knows stays in the journal for
// people: two objects in the end are the outcome that vet labels at-least-once.
type row struct {
	fault              string
	keyed, found, bare string
	read               string
	update             string
	delete             string
}

// cell is one of the table: what is promised of a verb that meets a fault.
type cell struct{ verb, method, kind, want string }

// intents are those that the journal lists of the cell's resource.
func (c cell) intents(t testing.TB, server *hostile.Server, name string) []journal.Intent {
	t.Helper()
	book := journal.In(os.Getenv("DECLPROV_JOURNAL"))
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

// forPeople is how many intents the journal lists of a resource for good: where
// nothing can tell what became of a request, a person has to look.
func (c cell) forPeople() int {
	if c.kind == "Bare" && strings.HasPrefix(c.want, "open") {
		return 1
	}
	return 0
}

// cells are those of a row, for whichever driver tries them.
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

// table is the promise, written before it was tried.
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

	// No response in time: whoever waited so long is told, and not kept waiting.
	{"slow after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"slow drip after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"length too long", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},

	// A response that cannot be used.
	{"length too short", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"truncated JSON", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"deep JSON", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"invalid UTF-8", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"compressed bomb", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},

	// A response that says nothing: after an update what is wanted is read.
	{"empty answer", "open 1 > ok 1 > 1", "open 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},
	{"wrong content type", "open 1 > ok 1 > 1", "open 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},

	// The server asks to come back. A 429 says that nothing was done; a 503 may come
	// from a proxy that has forwarded the request.
	{"429 in seconds", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"429 by date", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"503 in seconds", "ok 3 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 3 > ok 1", "kept 1 > ok 1", "ok 3 > ok 0"},
	{"503 by date", "ok 3 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 3 > ok 1", "kept 1 > ok 1", "ok 3 > ok 0"},
	{"429 without end", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1", "error 4 > ok 1", "error 4 > ok 1"},
	{"429 in a year", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Refusals.
	{"425", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},
	{"307 to elsewhere", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Failures of which nobody knows what they did.
	{"302 to elsewhere", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"500 before commit", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"503 alone", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"500 after commit", "open 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "error 1 > ok 1"},
	{"408", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"502 before commit", "ok 2 > ok 0 > 1", "open 1 > ok 1 > 1", "open 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"504 after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "open 1 > ok 1 > 2", "ok 2 > ok 1", "ok 1 > ok 0", "ok 2 > ok 0"},
}

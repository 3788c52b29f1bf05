package faults

// row is what a fault leads to: in each cell the first run, the next one, and
// how many objects there are after both. "ok 2" is a run that works with two
// requests of the verb's method, "error 1" one that fails and leaves the host
// nothing new to keep, "kept 1" one that fails and gives the host a state that
// the next run repairs. A next run of "ok 0" finds nothing to do.
//
// The columns of creates differ in what the spec says: an idempotency key, a
// `find`, or neither. With neither, two objects in the end are the outcome that
// vet labels at-least-once.
type row struct {
	fault              string
	keyed, found, bare string
	read               string
	update             string
	delete             string
}

// cell is one of the table: what is promised of a verb that meets a fault.
type cell struct{ verb, method, kind, want string }

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
	// No answer.
	{"reset before commit", "ok 2 > ok 0 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"reset after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"closed before commit", "ok 2 > ok 0 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"no HTTP", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"huge headers", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"closed in the body", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"TLS alert after commit", "ok 2 > ok 0 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"handshake aborted", "ok 1 > ok 0 > 1", "ok 1 > ok 0 > 1", "ok 1 > ok 0 > 1", "ok 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},

	// No answer in time: whoever waited so long is told, and not kept waiting.
	{"slow after commit", "error 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"slow drip after commit", "error 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"length too long", "error 1 > ok 1 > 1", "ok 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},

	// An answer that cannot be used.
	{"length too short", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"truncated JSON", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"deep JSON", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"invalid UTF-8", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"compressed bomb", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},

	// An answer that says nothing: after an update what is wanted is read.
	{"empty answer", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},
	{"wrong content type", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "ok 1 > ok 0", "ok 1 > ok 0"},

	// The server asks to come back.
	{"429 in seconds", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"429 by date", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"503 in seconds", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"503 by date", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 0 > 1", "ok 3 > ok 1", "ok 3 > ok 0", "ok 3 > ok 0"},
	{"429 without end", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1 > 1", "error 4 > ok 1", "error 4 > ok 1", "error 4 > ok 1"},
	{"429 in a year", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Refusals.
	{"408", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},
	{"425", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},
	{"307 to elsewhere", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "error 1 > ok 1", "error 1 > ok 1"},

	// Failures of which nobody knows what they did.
	{"302 to elsewhere", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"500 before commit", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"500 after commit", "error 1 > ok 1 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"503 alone", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1", "kept 1 > ok 1", "error 1 > ok 1"},
	{"502 before commit", "ok 2 > ok 0 > 1", "error 1 > ok 1 > 1", "error 1 > ok 1 > 1", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
	{"504 after commit", "ok 2 > ok 0 > 1", "error 1 > ok 0 > 1", "error 1 > ok 1 > 2", "ok 2 > ok 1", "kept 1 > ok 1", "ok 2 > ok 0"},
}

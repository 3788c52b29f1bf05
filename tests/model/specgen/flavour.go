package specgen

import "math/rand/v2"

// Flavour is what a cell leaves open: what kind of API there is, and what else
// its spec says.
type Flavour struct {
	// IDs says who chooses ids: server, client or content.
	IDs string
	// Unique says that no two objects have the same name.
	Unique bool
	// Again says that the API recognises a create that is repeated by the same
	// owner: what `idempotent: true` is about.
	Again bool
	// Versions says that each PUT of a create makes another version, which
	// counts as made twice: what `idempotent: false` is about.
	Versions bool
	// Login says that the API wants a token, which a login gives.
	Login bool
	// InBand says that the API refuses inside a 200, and how the spec reads that:
	// "", "fail" or "refused".
	InBand string
	// Update is how an object is changed: patch, put, conditional (PUT with
	// If-Match), move (a request that gives it another id) or rename (one that
	// does so with another name, and of which the spec says that it may be repeated).
	Update string
	// Marks says how the API deletes: "" removes, "410" and "flag" leave a mark.
	Marks string
	// DeleteFirst is `deleteBeforeReplace: true`.
	DeleteFirst bool
	// Renames says that another name is an update and no replacement.
	Renames bool
	// ImportByName is an `import` without the id.
	ImportByName bool
	// Forgotten is a resource without `delete`.
	Forgotten bool
	// Lags says that a search finds a new object some time later only.
	Lags bool
	// IDFromInputs says that the id is a template over inputs, else it is taken
	// from the response.
	IDFromInputs bool
	// UndoByName is an undo step that names the object by the inputs, and not by
	// what the step answered.
	UndoByName bool
	// UndoAt are the steps that have `onFailure`, where the cell says some.
	UndoAt []int
	// Each makes the last of three steps one with forEach.
	Each bool
	// Beside makes the last of three steps one of what another owner may have under its
	// name, and Asks makes delete ask whether the create has made it.
	Beside, Asks bool
}

// flavours draws a flavour that an author could mean: an API that does what the
// spec says of it.
func (c Cell) flavour(r *rand.Rand, f Features) Flavour {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	one := func(in int) bool { return r.IntN(in) == 0 }
	v := Flavour{Marks: pick("", "", "410", "flag"), Lags: one(6)}
	switch c.Method {
	case PUT:
		v.IDs = pick("client", "client", "content")
	case PATCH:
		v.IDs = pick("server", "server", "content")
	case Other:
		v.IDs = pick("server", "client")
	default:
		v.IDs = pick("server", "server", "client", "content")
	}
	v.Unique = v.IDs == "client" || v.IDs == "server" && one(2)
	v.Again = c.Idempotent == Yes && c.Method != PUT
	v.Versions = c.Idempotent == No && c.Method == PUT
	v.IDFromInputs = v.IDs == "client" && one(2)
	v.UndoByName = v.IDs == "client" && one(2)
	v.Renames = v.IDs == "server" && one(2)
	v.Update = pick("patch", "put", "conditional")
	if c.Method == Command {
		v.Update = pick("patch", "put")
	} else {
		v.Login = one(5)
		if one(5) {
			v.InBand = "fail"
			if f.Refused && one(2) {
				v.InBand = "refused"
			}
		}
	}
	// What an update without any way to settle it does to the id is not told by
	// any label yet.
	if c.Steps == 1 && v.IDs != "content" && !v.IDFromInputs && c.Way == Find && one(4) {
		v.Update, v.Renames = "move", true
		if one(2) {
			v.Update = "rename"
		}
	}
	if c.Steps == 1 && v.IDs == "server" && v.Unique && c.Finds() && !v.Renames && one(4) {
		v.ImportByName = true
	}
	v.Each = c.Steps == 3 && c.Retry != Group && one(2)
	switch {
	case c.Steps == 1:
		v.UndoAt = []int{0}
	default:
		v.UndoAt = [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}[r.IntN(6)]
	}
	// A new object beside the old one cannot be where the API or the spec's own
	// `find` tells them apart by nothing: the author knows.
	v.DeleteFirst = c.replacesInPlace(v) || v.Each && (v.IDs != "server" || v.Again) || one(3)
	// What is forgotten would be in the way of what comes after it, elsewhere.
	v.Forgotten = v.IDs == "server" && !v.Unique && !v.Again && !c.Finds() && one(4)
	// Whoever says `fail` of a refusal says that something was done.
	v.UndoByName = v.UndoByName && v.InBand != "fail"
	return v
}

// Moves reports whether an update gives an object another id.
func (v Flavour) Moves() bool { return v.Update == "move" || v.Update == "rename" }

// replacesInPlace reports whether a replacement that keeps the name can only be
// made once the old object is gone.
func (c Cell) replacesInPlace(v Flavour) bool {
	switch {
	case v.IDs == "content":
		return c.Finds() || c.Way == Conditional
	case v.Unique:
		return c.Finds() || c.Way == Conditional || !v.Again && c.Method != PUT
	default:
		return c.Way == Conditional && v.Again
	}
}

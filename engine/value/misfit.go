package value

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// MisfitError reports a member of a response that does not match `returns`.
type MisfitError struct {
	// Path is the path of the member by declared names, and Wire by wire names.
	Path, Wire string
	// Expected is the declared type, and Got the kind of the value.
	Expected, Got string
	// Hint is a remedy, or "".
	Hint string
}

func (e *MisfitError) Error() string {
	where := e.Path
	if e.Wire != e.Path {
		where += fmt.Sprintf(" (on the wire %s)", e.Wire)
	}
	text := fmt.Sprintf("the response does not fit `returns`: %s: expected %s, got %s", where, e.Expected, e.Got)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// pathStep is an element of a path: a member by its declared name and its wire name,
// or an index of a list if name is "".
type pathStep struct {
	name, wire string
	// parents are the members that contain the member on the wire.
	parents []string
	// item is where the items of a list are in objects on the wire.
	item  []string
	index int
	// secret is true of a secret property, and key of a key of a map.
	secret, key bool
}

// misfit records a mismatch at the current path, if it is the first one.
func (r *reception) misfit(expected, got, hint string) {
	if r.first != nil {
		return
	}
	var name, wire string
	secret := false
	for i, p := range r.path {
		if secret && p.key {
			name, wire = name+"."+anyKey, wire+"."+anyKey // the keys of a secret map are a part of the secret
			break
		}
		secret = secret || p.secret
		if p.name == "" {
			name, wire = fmt.Sprintf("%s[%d]", name, p.index), fmt.Sprintf("%s[%d]", wire, p.index)
			for _, member := range r.path[i-1].item {
				wire = Join(wire, member)
			}
			continue
		}
		for _, parent := range p.parents {
			wire = Join(wire, parent)
		}
		name, wire = Join(name, p.name), Join(wire, p.wire)
	}
	r.first = &MisfitError{Path: name, Wire: wire, Expected: expected, Got: got, Hint: hint}
}

// keyStep returns a key from outside as an element of a path.
func keyStep(key string) pathStep {
	const most = 80
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	if key == "" {
		key = `""`
	}
	return pathStep{name: key, wire: key, key: true}
}

// receivedKind returns the kind of a value from outside for messages. It never shows
// the value, which may be secret.
func receivedKind(v any) string {
	switch types.ShapeOf(v, nil).Kind() {
	case spec.Bool:
		return "a boolean"
	case spec.Int, spec.Number:
		return "a number"
	case spec.String:
		return "a string"
	case spec.List:
		return "a list"
	case spec.Object:
		return "an object"
	default:
		return "null"
	}
}

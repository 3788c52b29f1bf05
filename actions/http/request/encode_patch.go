package request

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/decode"
)

// patchBody returns the body of a JSON Patch (RFC 6902), by which an object that has the members of old gets those of new. A member
// of new that is null is removed, and what new lacks stays.
func patchBody(v any) (*Body, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected an object, got %s", actions.KindOf(v))
	}
	old, _ := m["old"].(map[string]any)
	changed, ok := m["new"].(map[string]any)
	at, _ := m["at"].(string)
	switch {
	case !ok && m["new"] != nil:
		return nil, fmt.Errorf("new: expected an object, got %s", actions.KindOf(m["new"]))
	case at != "" && !strings.HasPrefix(at, "/"):
		return nil, errors.New("at: expected a pointer that begins with a slash")
	}
	p := patch{operations: []any{}}
	if err := p.compareMembers(at, old, changed, slices.Sorted(maps.Keys(changed)), 0); err != nil {
		return nil, err
	}
	data, err := EncodeJSON(p.operations)
	return NewBody("application/json-patch+json", data), err
}

// patch is a list of operations.
type patch struct{ operations []any }

// pointerEscapes escapes a name in a JSON Pointer (RFC 6901).
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// compareMembers adds the operations for some members of an object at a pointer.
func (p *patch) compareMembers(at string, old, changed map[string]any, names []string, depth int) error {
	if depth > decode.MaxDepth {
		return decode.DepthError{}
	}
	for _, name := range names {
		if err := p.compare(at+"/"+pointerEscapes.Replace(name), old[name], changed[name], depth); err != nil {
			return err
		}
	}
	return nil
}

// compare adds the operations for a value at a pointer. Null is the same as none.
func (p *patch) compare(at string, old, now any, depth int) error {
	was, wasObject := old.(map[string]any)
	is, isObject := now.(map[string]any)
	switch {
	case wasObject && isObject:
		names := maps.Clone(is)
		maps.Copy(names, was)
		return p.compareMembers(at, was, is, slices.Sorted(maps.Keys(names)), depth+1)
	case now == nil && old == nil:
		return nil
	case now == nil:
		p.operations = append(p.operations, map[string]any{"op": "remove", "path": at})
		return nil
	case old == nil:
		p.operations = append(p.operations, map[string]any{"op": "add", "path": at, "value": now})
		return nil
	}
	before, err := EncodeJSON(old)
	if err != nil {
		return err
	}
	after, err := EncodeJSON(now)
	if err == nil && !bytes.Equal(before, after) {
		p.operations = append(p.operations, map[string]any{"op": "replace", "path": at, "value": now})
	}
	return err
}

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

// updateBody returns the body with an object that was read, in which some members are changed: see the argument jsonUpdate.
// A value that was read and is no object is an error, because the changes alone would replace what exists.
func updateBody(v any) (*Body, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected an object, got %s", actions.KindOf(v))
	}
	object, ok := m["object"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("object: expected the object that was read, got %s", actions.KindOf(m["object"]))
	}
	changes, ok := m["changes"].(map[string]any)
	if !ok && m["changes"] != nil {
		return nil, fmt.Errorf("changes: expected an object, got %s", actions.KindOf(m["changes"]))
	}
	complete, omitted, at, err := pointersOf(m)
	if err != nil {
		return nil, err
	}
	old, _ := m["old"].(map[string]any)
	out, err := update{complete}.apply(object, changes, old, nil)
	if err != nil {
		return nil, err
	}
	add, _ := m["add"].(map[string]any)
	unseen, err := unseenRemovals(m, changes, old)
	if err != nil {
		return nil, err
	}
	if m["send"] == "patch" {
		pointer, _ := m["at"].(string)
		return patchBetween(pointer, object, out, unseen)
	}
	if m["send"] == "merge" {
		out, err = mergeBetween(object, out, unseen)
		omitted = nil
	}
	if err != nil {
		return nil, err
	}
	for _, path := range omitted {
		out = without(out, path)
	}
	maps.Copy(out, add)
	var body any = out
	for _, name := range slices.Backward(at) {
		body = map[string]any{name: body}
	}
	data, err := EncodeJSON(body)
	return NewBody("application/json", data), err
}

// unseenRemovals returns the members of an object that the changes remove, and that the server never shows, so that only what was recorded
// tells that they exist.
func unseenRemovals(m, changes, old map[string]any) (paths [][]string, err error) {
	list, _ := m["unseen"].([]any)
	for _, item := range list {
		text, _ := item.(string)
		path, err := parsePointer(text)
		if err != nil || path == nil {
			return nil, errors.New("unseen: expected pointers to members")
		}
		now, changed := memberAt(changes, path)
		if was, _ := memberAt(old, path); changed && now == nil && was != nil {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// memberAt returns the member of an object at a path.
func memberAt(object map[string]any, path []string) (v any, ok bool) {
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	v, ok = object[path[len(path)-1]]
	return v, ok
}

// patchBetween returns the JSON Patch that changes an object at a pointer to another one, and removes the unseen members.
func patchBetween(at string, object, changed map[string]any, unseen [][]string) (*Body, error) {
	p := patch{operations: []any{}}
	all := maps.Clone(object)
	maps.Copy(all, changed)
	if err := p.compareMembers(at, object, changed, slices.Sorted(maps.Keys(all)), 0); err != nil {
		return nil, err
	}
	for _, path := range unseen {
		pointer := at
		for _, name := range path {
			pointer += "/" + pointerEscapes.Replace(name)
		}
		p.operations = append(p.operations, map[string]any{"op": "remove", "path": pointer})
	}
	data, err := EncodeJSON(p.operations)
	return NewBody("application/json-patch+json", data), err
}

// mergeBetween returns the JSON merge patch (RFC 7396) that changes an object to another one, and removes the unseen members.
func mergeBetween(object, changed map[string]any, unseen [][]string) (map[string]any, error) {
	out, err := mergeMembers(object, changed, 0)
	for _, path := range unseen {
		in := out
		for _, name := range path[:len(path)-1] {
			inner, ok := in[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
			}
			in[name], in = inner, inner
		}
		in[path[len(path)-1]] = nil
	}
	return out, err
}

// mergeMembers returns the merge patch for the members of an object. Null is the same as none.
func mergeMembers(object, changed map[string]any, depth int) (map[string]any, error) {
	out := map[string]any{}
	for name, was := range object {
		if was != nil && changed[name] == nil {
			out[name] = nil
		}
	}
	for name, is := range changed {
		patch, same, err := mergeMember(object[name], is, depth+1)
		if err != nil {
			return nil, err
		}
		if !same {
			out[name] = patch
		}
	}
	return out, nil
}

// mergeMember returns the merge patch for one member, unless it is the same.
func mergeMember(was, is any, depth int) (patch any, same bool, err error) {
	if depth > decode.MaxDepth {
		return nil, false, decode.DepthError{}
	}
	before, wasObject := was.(map[string]any)
	after, isObject := is.(map[string]any)
	if wasObject && isObject {
		inner, err := mergeMembers(before, after, depth)
		return inner, len(inner) == 0, err
	}
	old, err := EncodeJSON(was)
	if err != nil {
		return nil, false, err
	}
	now, err := EncodeJSON(is)
	return is, bytes.Equal(old, now), err
}

// pointersOf reads the pointers among the members of an update.
func pointersOf(m map[string]any) (complete, omitted [][]string, at []string, err error) {
	list := func(name string) (paths [][]string) {
		items, _ := m[name].([]any)
		for _, item := range items {
			text, _ := item.(string)
			path, wrong := parsePointer(text)
			if wrong == nil && path == nil {
				wrong = errors.New("expected a pointer to a member")
			}
			if wrong != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", name, wrong))
			}
			paths = append(paths, path)
		}
		return paths
	}
	complete, omitted = list("complete"), list("omit")
	text, _ := m["at"].(string)
	at, wrong := parsePointer(text)
	if wrong != nil {
		err = errors.Join(err, fmt.Errorf("at: %w", wrong))
	}
	return complete, omitted, at, err
}

// pointerNames undoes pointerEscapes.
var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer returns the names of a JSON Pointer (RFC 6901); that of the whole document has none.
func parsePointer(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil, errors.New("expected a pointer that begins with a slash")
	}
	names := strings.Split(rest, "/")
	for i, name := range names {
		names[i] = pointerNames.Replace(name)
	}
	return names, nil
}

// update changes objects. complete are the paths of members that are removed from an object that did not exist before if the changes
// lack them.
type update struct{ complete [][]string }

// apply returns an object with changed members: null removes one, nested objects are changed member by member, and any other
// value replaces what was there. old is the object as it was recorded, nil if it was not; path is that of the object.
func (u update) apply(object, changes, old map[string]any, path []string) (map[string]any, error) {
	if len(path) > decode.MaxDepth {
		return nil, decode.DepthError{}
	}
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	for name := range object {
		if _, given := changes[name]; !given && old == nil && u.isComplete(append(slices.Clip(path), name)) {
			delete(out, name)
		}
	}
	for name, now := range changes {
		nested, isObject := now.(map[string]any)
		if !isObject {
			if out[name] = now; now == nil {
				delete(out, name)
			}
			continue
		}
		was, there := object[name].(map[string]any)
		before, _ := old[name].(map[string]any)
		is, err := u.apply(was, nested, before, append(slices.Clip(path), name))
		if err != nil {
			return nil, err
		}
		if there || len(is) > 0 || len(nested) == 0 { // else it only removes what is not there
			out[name] = is
		}
	}
	return out, nil
}

// isComplete reports whether a member is one of those that the changes have if it is to stay.
func (u update) isComplete(path []string) bool {
	return slices.ContainsFunc(u.complete, func(pattern []string) bool {
		return slices.EqualFunc(pattern, path, func(part, name string) bool { return part == "*" || part == name })
	})
}

// without returns an object without the member at a path.
func without(object map[string]any, path []string) map[string]any {
	inner, there := object[path[0]]
	if !there {
		return object
	}
	out := maps.Clone(object)
	if len(path) == 1 {
		delete(out, path[0])
	} else if nested, ok := inner.(map[string]any); ok {
		out[path[0]] = without(nested, path[1:])
	}
	return out
}

package types

import (
	"maps"
	"slices"
)

// Unknown is a value that is not known yet. A secret unknown value is
// Secret{Unknown{}}.
type Unknown struct{}

// Secret marks a value as secret.
type Secret struct{ Value any }

// Reveal removes the secret marks from a value. It calls seen, which may be nil, with
// each value that was marked. A value without marks is returned unchanged; others are
// copied.
func Reveal(v any, seen func(any)) any {
	out, _ := reveal(v, seen)
	return out
}

func reveal(v any, seen func(any)) (out any, changed bool) {
	switch v := v.(type) {
	case Secret:
		inner, _ := reveal(v.Value, seen)
		if seen != nil {
			seen(inner)
		}
		return inner, true
	case []any:
		return revealList(v, seen)
	case map[string]any:
		return revealMap(v, seen)
	default:
		return v, false
	}
}

func revealList(list []any, seen func(any)) (out []any, changed bool) {
	out = list
	for i, item := range list {
		revealed, marked := reveal(item, seen)
		if !marked {
			continue
		}
		if !changed {
			out, changed = slices.Clone(list), true
		}
		out[i] = revealed
	}
	return out, changed
}

func revealMap(m map[string]any, seen func(any)) (out map[string]any, changed bool) {
	out = m
	for k, item := range m {
		revealed, marked := reveal(item, seen)
		if !marked {
			continue
		}
		if !changed {
			out, changed = maps.Clone(m), true
		}
		out[k] = revealed
	}
	return out, changed
}

// HasUnknown reports whether v is or contains Unknown.
func HasUnknown(v any) bool {
	var visited int
	return FindUnknown(v, &visited)
}

// FindUnknown is like HasUnknown, and adds the number of visited values to visited.
func FindUnknown(v any, visited *int) bool {
	switch v := v.(type) {
	case Unknown:
		return true
	case Secret:
		return FindUnknown(v.Value, visited)
	case []any:
		*visited += len(v)
		for _, item := range v {
			if FindUnknown(item, visited) {
				return true
			}
		}
	case map[string]any:
		*visited += len(v)
		for _, item := range v {
			if FindUnknown(item, visited) {
				return true
			}
		}
	}
	return false
}

// HoldsMark reports whether a value is or contains a secret.
func HoldsMark(v any) bool {
	found := false
	Reveal(v, func(any) { found = true })
	return found
}

// Mark returns v marked as secret if secret is true. A marked value is returned
// unchanged.
func Mark(v any, secret bool) any {
	if _, already := v.(Secret); already || !secret {
		return v
	}
	return Secret{Value: v}
}

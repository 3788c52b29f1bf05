package types

import (
	"maps"
	"slices"
)

// Unknown stands for a value that is not known yet. One that is secret, too, is
// Secret{Unknown{}}.
type Unknown struct{}

// Secret marks a value as secret.
type Secret struct{ Value any }

// Reveal strips the marks of secrets from a value, and calls seen, which may be
// nil, with each value that was marked. A value without marks is returned as it
// is; others are copied.
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

// HasUnknown reports whether v is Unknown, or anything in it is.
func HasUnknown(v any) bool {
	var over int
	return FindUnknown(v, &over)
}

// FindUnknown is HasUnknown, and adds to over how many values it went over.
func FindUnknown(v any, over *int) bool {
	switch v := v.(type) {
	case Unknown:
		return true
	case Secret:
		return FindUnknown(v.Value, over)
	case []any:
		*over += len(v)
		for _, item := range v {
			if FindUnknown(item, over) {
				return true
			}
		}
	case map[string]any:
		*over += len(v)
		for _, item := range v {
			if FindUnknown(item, over) {
				return true
			}
		}
	}
	return false
}

// HoldsMark reports whether anything in a value is marked as secret.
func HoldsMark(v any) bool {
	found := false
	Reveal(v, func(any) { found = true })
	return found
}

// Mark returns a value marked as secret, where secret says so; it marks nothing twice.
func Mark(v any, secret bool) any {
	if _, already := v.(Secret); already || !secret {
		return v
	}
	return Secret{Value: v}
}

package model

import "slices"

// whole returns the object that one is a part of, or itself.
func (a *API) whole(t *Thing) *Thing {
	if t.Parent != "" {
		if parent := a.find(t.Parent); parent != nil {
			return parent
		}
	}
	return t
}

// outlived reports whether a part is of an object that its owner has undone since.
func (a *API) outlived(t *Thing) bool {
	return t.Parent != "" && slices.ContainsFunc(a.log, func(e *Entry) bool {
		return e.Who == t.Owner && e.Step == "undo" && e.Effect == Removed && e.Thing.ID == t.Parent && e.Seq > t.Made.Seq
	})
}

// failedToMake reports whether a client was told that an object was begun and has failed:
// by the answer to the request that made it, or to one under the same key, which speaks
// for both.
func (a *API) failedToMake(t *Thing) bool {
	return hasFailed(t.Made) || slices.ContainsFunc(a.log, func(e *Entry) bool {
		return e.Key != "" && e.Key == t.Made.Key && hasFailed(e)
	})
}

// bereft reports whether a part belongs to an object that another owner (the other
// stack, too) has deleted, or its own owner without hearing of it: whoever goes on with what the
// object was to have makes what nobody knows of.
func (a *API) bereft(t *Thing) bool {
	for _, e := range a.log {
		if t.Parent != "" && (e.Who != t.Owner || e.Excused) && e.Effect == Removed && e.Thing.ID == t.Parent {
			return true
		}
	}
	return false
}

// Package request has what the engine asks of the resources of a program, and what it gets.
package request

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
)

// Result is the result of a create, update or read. It has both a state and an error
// if the resource exists, but is not complete.
type Result struct {
	// State is nil if nothing exists: after a create that failed without effects, or a
	// read that did not find the object (Gone). In previews its ID may be "", and
	// outputs may be unknown.
	State *recorded.State
	Gone  bool
	// Err is the error. If there is also a State, the host records the resource as
	// failed.
	Err error
}

// Create is a request to create a resource.
type Create struct {
	recorded.Ref
	Inputs  property.Map
	Timeout time.Duration // 0 means that of the spec, or none
	Preview bool
	Log     operation.Log
}

// Update is a request to update a resource.
type Update struct {
	recorded.Ref
	State   recorded.State
	Inputs  property.Map
	Ignore  []string
	Timeout time.Duration
	Preview bool
	Log     operation.Log
}

// Read is a request to read a resource.
type Read struct {
	recorded.Ref
	Reason ReadReason
	State  recorded.State
	// Moved are the settings by which the object of the state may be elsewhere; see recorded.Moved.
	Moved   []string
	Timeout time.Duration
	Log     operation.Log
}

// Delete is a request to delete a resource.
type Delete struct {
	recorded.Ref
	State   recorded.State
	Timeout time.Duration
	Log     operation.Log
}

// ReadReason is the reason for a read. It cannot be derived from the state, because a
// resource may have neither inputs nor outputs.
type ReadReason uint8

// The reasons for a read.
const (
	// Refresh reads a state that this engine recorded.
	Refresh ReadReason = iota
	// Import reads by the text in State.ID that a user typed, without any other state.
	Import
	// Lookup is a read by a program that does not manage the resource. The state
	// contains what the program says about it.
	Lookup
)

// HasOnlyID reports whether nothing is known of a resource but its id.
func (req Read) HasOnlyID() bool {
	return req.Reason == Import || req.Reason == Lookup && req.State.Inputs.Len() == 0 && req.State.Outputs.Len() == 0
}

// Settle asks what an intent of the journal made.
type Settle struct {
	Intent journal.Intent
	// Inputs are added to those that the journal holds: it holds no secrets.
	Inputs property.Map
	// Delete removes what is found.
	Delete bool
	Log    operation.Log
}

// Settled is what an intent made, as far as that can be found out. The journal keeps the intent;
// if what it made was deleted, the other intents of the same create are removed.
type Settled struct {
	Found bool
	ID    string
	// By says how it was found: "find", "read", or "response" if the id was recorded and
	// the spec has no read.
	By string
	// State is the state for a delete.
	State   *recorded.State
	Deleted bool
	// Doubt is the reason why the object may not be what the intent made, or "". An object in
	// doubt is not deleted.
	Doubt string
	// Early is true if nothing was found, but the request was sent so recently that the object
	// may still appear (the spec's `consistency`).
	Early bool
}

// WithKnownID returns the result of a resumed create with the id that the host knows. A resource that
// the host has recorded as failed stays recorded, whatever this run came to.
func (out Result) WithKnownID(before recorded.State) Result {
	if out.State == nil {
		if out.Err != nil {
			out.State = &before
		}
		return out
	}
	if id := out.State.ID; id != before.ID {
		out.State.ID = before.ID
		out.State.SetCurrentID(id)
	}
	return out
}

// WithoutRead returns the recorded state of a resource whose spec has no read.
func WithoutRead(s recorded.State, req Read) Result {
	if req.Reason == Import {
		return Result{Err: fmt.Errorf("%s cannot be imported: its spec has no read", req.Type)}
	}
	s.ID, s.Private.ID = recorded.CurrentID(s), ""
	return Result{State: &s}
}

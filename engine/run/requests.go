package run

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

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

// CreateRequest is a request to create a resource.
type CreateRequest struct {
	recorded.Ref
	Inputs  property.Map
	Timeout time.Duration // 0 means that of the spec, or none
	Preview bool
	Log     operation.Log
}

// UpdateRequest is a request to update a resource.
type UpdateRequest struct {
	recorded.Ref
	State   recorded.State
	Inputs  property.Map
	Ignore  []string
	Timeout time.Duration
	Preview bool
	Log     operation.Log
}

// ReadRequest is a request to read a resource.
type ReadRequest struct {
	recorded.Ref
	Reason  ReadReason
	State   recorded.State
	Timeout time.Duration
	Log     operation.Log
}

// DeleteRequest is a request to delete a resource.
type DeleteRequest struct {
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

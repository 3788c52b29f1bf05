// Package engine does what a provider does, independently of the host: it compiles a spec into
// a Program, and checks, diffs, creates, reads, updates and deletes resources according to it.
// It knows no wire format. A server for a host (engine/pulumi) translates the host's requests
// into calls of this package, and decides nothing itself.
package engine

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// CheckRequest asks whether inputs are right, and for their defaults.
type CheckRequest struct {
	recorded.Ref
	// Old are the inputs that an earlier Check returned, where HasOld.
	Old    property.Map
	HasOld bool
	New    property.Map
	// Autoname is the name that the host proposes, or insists on.
	Autoname Autoname
	// Seed makes random choices repeatable; it may be empty.
	Seed []byte
}

// Autoname is what the host has to say on names that are derived.
type Autoname struct {
	Mode AutonameMode
	// Name is the host's, for Propose and Enforce.
	Name string
}

// AutonameMode is how much the host insists.
type AutonameMode uint8

// The modes of the Pulumi protocol's autonaming options.
const (
	// Derive: the host says nothing; the attribute's own rule holds.
	Derive AutonameMode = iota
	// Propose: the host's name is used as far as the attribute allows it.
	Propose
	// Enforce: the host's name is used as it is, or refused.
	Enforce
	// Disabled: no name is derived; it must be given.
	Disabled
)

// What is found of values: see engine/value.
type (
	// Failure is what is wrong with one input.
	Failure = value.Failure
	// Ref says which resource of the host's a call is about.
	Ref = recorded.Ref
	// State is what a resource is between two calls, and Private the engine's part of it.
	State   = recorded.State
	Private = recorded.Private
	// Failed is where an operation stopped, so that the next run can go on there.
	Failed = recorded.Failed
	// Log receives what a call has to say while it runs.
	Log      = operation.Log
	Severity = operation.Severity
	// The requests about one resource, and their result.
	CreateRequest = run.CreateRequest
	ReadRequest   = run.ReadRequest
	ReadReason    = run.ReadReason
	UpdateRequest = run.UpdateRequest
	DeleteRequest = run.DeleteRequest
	Result        = run.Result
	// SettleRequest asks what an intent of the journal made.
	SettleRequest = run.SettleRequest
	// WithheldError reports inputs that are needed, and that the journal does not hold.
	WithheldError = recorded.WithheldError
	// Change is that of one property.
	Change = value.Change
	// MisfitError reports the member of a response that is not what `returns` says.
	MisfitError = value.MisfitError
)

// The kinds of change.
const (
	Debug   = operation.Debug
	Info    = operation.Info
	Warning = operation.Warning
	Error   = operation.Error

	Refresh = run.Refresh
	Import  = run.Import
	Lookup  = run.Lookup

	Add    = value.Add
	Delete = value.Delete
	Update = value.Update
)

// CheckResponse are the inputs with their defaults, or what is wrong with them.
type CheckResponse struct {
	Inputs   property.Map
	Failures []Failure
}

// DiffRequest asks what a change of inputs means.
type DiffRequest struct {
	recorded.Ref
	State recorded.State
	New   property.Map
	// Ignore are property paths whose changes do not count.
	Ignore []string
}

// DiffResponse says what changes.
type DiffResponse struct {
	// Changes are by path, sorted. None: nothing changes, unless Force.
	Changes []Change
	// Force says that an update is due though no input differs: an earlier one
	// stopped halfway.
	Force               bool
	DeleteBeforeReplace bool
	// Stable are the outputs that an update leaves as they are.
	Stable []string
	// Moved are the settings with which the object may be elsewhere than when the state was recorded: see MovedWarning.
	Moved []string
}

// ListRequest asks for the existing resources of a type.
type ListRequest struct {
	recorded.Ref
	Query property.Map
	// Limit is the most results that are wanted; 0 is no limit.
	Limit int
	Log   operation.Log
}

// Listed is one existing resource.
type Listed struct {
	ID   string
	Name string
}

// ErrNoFind reports that a spec has no `find`, so that nothing can look for what an intent
// made.
var ErrNoFind = run.ErrNoFind

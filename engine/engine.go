// Package engine is what a provider does, whatever the host: it compiles a
// spec into a Program, and checks, diffs, creates, reads, updates and deletes
// resources by it. It knows no wire format: a server (engine/pulumi,
// engine/terraform) translates, and decides nothing.
package engine

import (
	"encoding/json"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Ref says which resource of the host's a call is about.
type Ref struct {
	// Type is the resource's name in the spec: "File".
	Type string
	// Name is the resource's name in the program, "" where the host has none.
	Name string
	// Key tells this resource apart from all others of the host, over runs; a
	// URN, for Pulumi. "" where the host has none.
	Key string
}

// State is what a resource is between two calls.
type State struct {
	ID string
	// Inputs are as Check returned them.
	Inputs property.Map
	// Outputs hold the inputs that are not ephemeral and the declared outputs.
	Outputs property.Map
	Private Private
}

// Private is the engine's own part of a state, which a host stores and never
// shows. Its zero value says nothing.
type Private struct {
	// SchemaVersion is the resource's `schemaVersion` when this was written.
	SchemaVersion int `json:"v,omitempty"`
	// ID is the current id, where an update changed it and the host still has
	// the old one.
	ID string `json:"id,omitempty"`
	// Token is that of the create or import by which the resource came: see
	// tokens.go.
	Token string `json:"t,omitempty"`
	// Lookup says that the state is of a read for a program that does not manage
	// the resource.
	Lookup bool `json:"lookup,omitempty"`
	// ETag is that of the last answer about the resource; "" where it had none.
	ETag string `json:"etag,omitempty"`
	// Unmade names the create's steps that have made nothing for this resource, with a
	// space between them, so that a Private can be compared: see made.go.
	Unmade string `json:"unmade,omitempty"`
	// Failed says that a create or update stopped halfway.
	Failed *Failed `json:"failed,omitempty"`
}

// Failed is where an operation stopped, so that the next run can go on there.
type Failed struct {
	// Op is create or update.
	Op string `json:"op"`
	// Step is the index of the step that failed.
	Step int `json:"step"`
	// Results are those of the finished steps, by index; Undone are the indices of
	// those that were undone since.
	Results []any `json:"results,omitempty"`
	Undone  []int `json:"undone,omitempty"`
	// Doubted are the indices of those of which nobody knows whether they were undone.
	Doubted []int `json:"doubted,omitempty"`
	// Kept are the indices of finished steps behind the one that failed, which had
	// been undone and was run again.
	Kept []int `json:"kept,omitempty"`
	// Misfits are the indices of finished steps whose responses are not of the types
	// that they declare.
	Misfits []int `json:"misfits,omitempty"`
	// Elements are the results of the elements that the step has finished, by key.
	Elements map[string]any `json:"elements,omitempty"`
	// Stuck says that a create cannot go on with what its steps were answered, however
	// often it is tried: it is to be made anew.
	Stuck bool `json:"stuck,omitempty"`
	// Seen says that the resource was read since: what differs is known.
	Seen bool `json:"seen,omitempty"`
	// Unknown says that nobody knows whether the step was done.
	Unknown bool `json:"unknown,omitempty"`
	// ID is the id that the steps of an update have seen, where it has another one
	// since.
	ID string `json:"id,omitempty"`
	// World are the inputs that the resource was made with, where the host has
	// recorded others: as recordable writes them.
	World json.RawMessage `json:"world,omitempty"`
	// Secret says that there may be a secret in this, so that a server keeps it
	// encrypted.
	Secret bool `json:"secret,omitempty"`
	// Steps says which steps the operation had, so that another version of the
	// spec does not go on in the middle of other ones.
	Steps string `json:"steps,omitempty"`
	// Inputs is the hash of the inputs that the operation ran with.
	Inputs string `json:"inputs"`
	// Error is what went wrong, for people.
	Error string `json:"error,omitempty"`
}

// Log receives what a call has to say while it runs. Implementations are safe
// for concurrent use, and never fail.
type Log interface {
	// Message is kept; severity is debug, info, warning or error.
	Message(severity Severity, text screen.Text)
	// Status is shown live, and replaced by the next one.
	Status(text screen.Text)
}

// Severity is that of a log message.
type Severity uint8

// The severities of messages.
const (
	Debug Severity = iota + 1
	Info
	Warning
	Error
)

// CheckRequest asks whether inputs are right, and for their defaults.
type CheckRequest struct {
	Ref
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
	// Change is that of one property.
	Change = value.Change
	// ChangeKind says what a change does to its property.
	ChangeKind = value.ChangeKind
	// MisfitError reports the member of a response that is not what `returns` says.
	MisfitError = value.MisfitError
	// UnrecordableError reports what Pulumi cannot record.
	UnrecordableError = value.UnrecordableError
)

// The kinds of change.
const (
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
	Ref
	State State
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
}

// CreateRequest asks for a resource to be made.
type CreateRequest struct {
	Ref
	Inputs  property.Map
	Timeout time.Duration // 0: the spec's own, or none
	Preview bool
	Log     Log
}

// UpdateRequest asks for a resource to be changed.
type UpdateRequest struct {
	Ref
	State   State
	Inputs  property.Map
	Ignore  []string
	Timeout time.Duration
	Preview bool
	Log     Log
}

// ReadRequest asks how a resource is.
type ReadRequest struct {
	Ref
	Reason  ReadReason
	State   State
	Timeout time.Duration
	Log     Log
}

// ReadReason is why a resource is read. Nothing else says so: a resource may
// have neither inputs nor outputs.
type ReadReason uint8

// The reasons for a read.
const (
	// Refresh: the state is one that this engine recorded.
	Refresh ReadReason = iota
	// Import: there is a text that a user typed, in State.ID, and nothing else.
	Import
	// Lookup: a program looks at what it does not manage; the state is what it
	// says of it.
	Lookup
)

// DeleteRequest asks for a resource to be removed.
type DeleteRequest struct {
	Ref
	State   State
	Timeout time.Duration
	Log     Log
}

// Result is what a create, update or read leaves: a state together with an
// error where the resource exists and is not as it should be.
type Result struct {
	// State is nil where there is nothing: a create that failed cleanly, a read
	// that found the thing gone (Gone). In previews its ID may be "", and
	// outputs may be computed.
	State *State
	Gone  bool
	// Err is what went wrong; with a State, the resource is kept as failed.
	Err error
}

// ListRequest asks for the existing resources of a type.
type ListRequest struct {
	Ref
	Query property.Map
	// Limit is the most results that are wanted; 0 is no limit.
	Limit int
	Log   Log
}

// Listed is one existing resource.
type Listed struct {
	ID   string
	Name string
}

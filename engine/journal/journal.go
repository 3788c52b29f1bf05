// Package journal keeps intents on disk: what a create or an update is about to
// do, written before the request is sent. If the process dies, or the response is
// lost, the next run finds the intent and settles it (by the same idempotency key,
// or by looking) before anything is sent again. So nothing is made twice, and
// nothing is lost sight of.
package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Subject names one resource of a host.
type Subject struct {
	Provider string `json:"provider"`
	// Type is the resource's name in the spec.
	Type string `json:"type"`
	// Resource is the host's key of the resource: a URN for Pulumi, else a name.
	Resource string `json:"resource"`
	// Settings is the hash of the provider's configuration without its secrets.
	// Hosts give the same name to resources of different servers; a renewed token
	// changes nothing.
	Settings string `json:"settings,omitempty"`
}

// Project returns the project that a URN names, "" if Resource is not a URN.
func (s Subject) Project() string { return s.urn(1) }

// Stack returns the stack that a URN names, "" if Resource is not a URN.
func (s Subject) Stack() string { return s.urn(0) }

// Name returns the resource's name in its program: the last part of a URN, ""
// if Resource is not a URN.
func (s Subject) Name() string { return s.urn(3) }

// urn returns a part of urn:pulumi:STACK::PROJECT::TYPES::NAME. Only a name may
// contain "::" itself.
func (s Subject) urn(part int) string {
	rest, ok := strings.CutPrefix(s.Resource, "urn:pulumi:")
	parts := strings.SplitN(rest, "::", 4)
	if !ok || len(parts) != 4 {
		return ""
	}
	return parts[part]
}

// file returns the name of the subject's file.
func (s Subject) file() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Provider, s.Type, s.Resource, s.Settings}, "\x00")))
	return hex.EncodeToString(sum[:16]) + ending
}

// Operation is what an intent is about to do.
type Operation string

// The operations that are journalled.
const (
	Create Operation = "create"
	Update Operation = "update"
)

// Status is what is known of an intent.
type Status string

// The statuses of an intent.
const (
	// Begun: its owner works on it; nothing is known yet.
	Begun Status = "begun"
	// Answered: a response came. The intent stays until the host shows that it
	// has recorded the resource.
	Answered Status = "answered"
	// Handed: a response came, and a state with it was returned to the host. Whatever
	// has it by now, no later create goes on with it.
	Handed Status = "handed"
	// Failed: it had an effect, which is not complete. The intent is listed for
	// people.
	Failed Status = "failed"
	// Unknown: a request was sent, and nobody knows what came of it.
	Unknown Status = "unknown"
)

// Intent is one effect of a create or an update that was begun.
type Intent struct {
	Subject
	// Key identifies the intent. It is random, and also the idempotency key of
	// all its attempts.
	Key       string    `json:"key"`
	Operation Operation `json:"operation"`
	// Token is that of the create, which the recorded state then carries.
	Token string `json:"token,omitempty"`
	// ID is the resource's id, once known; for an update, the id before it.
	ID string `json:"id,omitempty"`
	// Step is the index of the step, StepName its name for people, and Element
	// the key of the element in a forEach.
	Step     int    `json:"step"`
	StepName string `json:"stepName,omitempty"`
	Element  string `json:"element,omitempty"`
	// Hash is the hash of all inputs, secret ones included.
	Hash string `json:"hash,omitempty"`
	// Inputs and Configuration are recorded without secret values, so that the
	// intent can be settled later. Withheld names the inputs that were left out.
	Inputs        json.RawMessage `json:"inputs,omitempty"`
	Withheld      []string        `json:"withheld,omitempty"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
	Began         time.Time       `json:"began,omitzero"`
	// Sent is when the last attempt was sent.
	Sent time.Time `json:"sent,omitzero"`
	// Looked records that `find` found nothing before the first attempt was
	// sent: what it finds later was made by this intent.
	Looked bool `json:"looked,omitempty"`
	// Proves records that nothing else of an update had an effect since then: if
	// `find` finds another id later, this step has given it.
	Proves bool `json:"proves,omitempty"`
	// Moved records that ID is the one that an update has given.
	Moved  bool   `json:"moved,omitempty"`
	Status Status `json:"status"`
	// Error says why the outcome is as it is, for people and without secrets.
	Error string `json:"error,omitempty"`
	// Owner is the process that works on it, or was the last to do so.
	Owner Process `json:"owner,omitzero"`

	// live reports whether the owner was alive when the intent was read.
	live bool
}

// UnderWay reports whether a living process worked on the intent when it was
// read from the journal.
func (i Intent) UnderWay() bool { return i.Status == Begun && i.live }

// Open reports whether nobody knows what came of the intent, and nobody worked
// on it when it was read from the journal.
func (i Intent) Open() bool { return i.Status == Unknown || i.Status == Begun && !i.live }

// WasAnswered reports whether a response came, and nothing is wrong with it.
func (i Intent) WasAnswered() bool { return i.Status == Answered || i.Status == Handed }

// Accompanies reports whether an intent was answered, and is of the same create as
// another one: once that create is over, nothing goes on with it.
func (i Intent) Accompanies(o Intent) bool {
	return i.Subject == o.Subject && i.Operation == Create && o.Operation == Create && i.Token != "" && i.Token == o.Token && i.WasAnswered()
}

// sameEffect reports whether two intents of a subject are about the same effect.
func (i Intent) sameEffect(o Intent) bool {
	return i.Operation == o.Operation && i.Step == o.Step && i.Element == o.Element
}

// variable is the environment variable that names the journal's folder.
const variable = "DECLPROV_JOURNAL"

// DefaultDir returns the folder of the journal: DECLPROV_JOURNAL, else one in the
// user's state folder (XDG_STATE_HOME, ~/.local/state). It must outlive the
// process; on machines that do not last, point the variable at storage that does.
func DefaultDir(getenv func(string) string) (string, error) {
	if dir := getenv(variable); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "declprov", "journal"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the journal: %w; set %s to a folder", err, variable)
	}
	return filepath.Join(home, ".local", "state", "declprov", "journal"), nil
}

// Fleeting reports whether the journal is likely to be lost with the machine: on
// a CI runner, unless DECLPROV_JOURNAL names a folder.
func Fleeting(getenv func(string) string) bool {
	switch strings.ToLower(getenv("CI")) {
	case "", "0", "false", "no":
		return false
	}
	return getenv(variable) == ""
}

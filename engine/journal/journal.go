// Package journal stores intents on disk. An intent describes what a create or an
// update is about to do, and is written before the request is sent. If the process
// dies or the response is lost, the next run finds the intent. It settles it, by the
// same idempotency key or by looking for the object, before it sends anything else.
// So no object is created twice or lost.
package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Subject identifies one resource of a host.
type Subject struct {
	Provider string `json:"provider"`
	// Type is the name of the resource in the spec.
	Type string `json:"type"`
	// Resource is the host's key of the resource: a URN for Pulumi, otherwise a name.
	Resource string `json:"resource"`
	// Settings is the hash of the provider's configuration without its secrets. It
	// distinguishes resources with the same name on different servers. A renewed token
	// does not change it.
	Settings string `json:"settings,omitempty"`
	// State is the token of a recorded state, if the intents are about that state: they are found
	// by it alone, whatever names the stack and the resource have by then.
	State string `json:"state,omitempty"`
}

// Project returns the project of a URN, or "" if Resource is not a URN.
func (s Subject) Project() string { return s.urn(1) }

// Stack returns the stack of a URN, or "" if Resource is not a URN.
func (s Subject) Stack() string { return s.urn(0) }

// Name returns the resource's name in its program, which is the last part of a URN,
// or "" if Resource is not a URN.
func (s Subject) Name() string { return s.urn(3) }

// urn returns a part of urn:pulumi:STACK::PROJECT::TYPES::NAME. Only a name may
// contain "::".
func (s Subject) urn(part int) string {
	rest, ok := strings.CutPrefix(s.Resource, "urn:pulumi:")
	parts := strings.SplitN(rest, "::", 4)
	if !ok || len(parts) != 4 {
		return ""
	}
	return parts[part]
}

// Former returns the subject of a resource whose type had another name: a name in the same
// provider, or a type token of Pulumi, "pkg:module:Name".
func (s Subject) Former(name string) Subject {
	former := s
	if token := strings.Split(name, ":"); len(token) == 3 {
		former.Provider, former.Type = token[0], token[2]
	} else {
		former.Type = name
	}
	types := s.urn(2)
	at := strings.LastIndex(types, "$") + 1 // the types of the parents come first
	token := types[at:]
	if former.Type != name {
		token = name
	} else if end := strings.LastIndex(token, ":") + 1; end > 0 {
		token = token[:end] + name
	}
	if before, after, ok := strings.Cut(s.Resource, "::"+types+"::"); ok && types != "" {
		former.Resource = before + "::" + types[:at] + token + "::" + after
	}
	return former
}

// file returns the name of the subject's file. Files of one resource under different settings have names
// that begin alike.
func (s Subject) file() string {
	if s.State != "" {
		return sum("state", s.State) + ending
	}
	return s.stem() + "-" + sum(s.Settings)[:16] + ending
}

// stem is what the names of the files of a resource begin with, whatever its settings are.
func (s Subject) stem() string { return sum(s.Provider, s.Type, s.Resource) }

// formerFile is the name that the subject's file had before files of one resource had names that begin alike.
func (s Subject) formerFile() string {
	return sum(s.Provider, s.Type, s.Resource, s.Settings) + ending
}

func sum(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Operation is the kind of operation of an intent.
type Operation string

// The operations that are recorded in the journal.
const (
	Create Operation = "create"
	Update Operation = "update"
	Delete Operation = "delete"
)

// Status is what is known about an intent.
type Status string

// The statuses of an intent.
const (
	// Begun means that the owner works on the intent, and nothing is known yet.
	Begun Status = "begun"
	// Answered means that a response arrived. The intent remains until the host shows
	// that it has recorded the resource.
	Answered Status = "answered"
	// Handed means that a response arrived, and a state was returned to the host. No
	// later create continues such an intent.
	Handed Status = "handed"
	// Failed means that the step had an effect, which is not complete. The intent is
	// listed for users.
	Failed Status = "failed"
	// Unknown means that a request was sent, and its outcome is not known.
	Unknown Status = "unknown"
)

// Intent is one effect of a create or an update, or a delete.
type Intent struct {
	Subject
	// Key identifies the intent. It is random, and also the idempotency key of all
	// attempts.
	Key       string    `json:"key"`
	Operation Operation `json:"operation"`
	// Token is the token of the create, which is also in the recorded state.
	Token string `json:"token,omitempty"`
	// ID is the id of the resource, if known. For an update it is the id before the
	// update.
	ID string `json:"id,omitempty"`
	// Step is the index of the step, StepName its name for messages, and Element the key
	// of the element in a forEach.
	Step     int    `json:"step"`
	StepName string `json:"stepName,omitempty"`
	Element  string `json:"element,omitempty"`
	// Place is the address of the request as the spec has it, without values: if that changes,
	// neither a key nor `find` tells what the request made.
	Place string `json:"place,omitempty"`
	// Hash is the hash of all inputs, including secret ones.
	Hash string `json:"hash,omitempty"`
	// Inputs and Configuration are the values without secrets, so that the intent can be
	// settled later. Withheld are the names of the omitted inputs.
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	Withheld []string        `json:"withheld,omitempty"`
	// Made is the private part of the state that a create of several steps would leave if it stopped now,
	// or what a delete has done so far, without secrets. Other intents have none.
	Made json.RawMessage `json:"made,omitempty"`
	// Once is true if a delete has sent a step that may have its effect each time it is sent.
	Once bool `json:"once,omitempty"`
	// Given are the names of the inputs of an update.
	Given         []string        `json:"given,omitempty"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
	Began         time.Time       `json:"began,omitzero"`
	// Sent is the time of the last attempt.
	Sent time.Time `json:"sent,omitzero"`
	// Looked is true if `find` found nothing before the first attempt was sent. What it
	// finds later was created by this intent.
	Looked bool `json:"looked,omitempty"`
	// Unproven is true if nothing proves that what is there is what the request has made.
	Unproven bool `json:"unproven,omitempty"`
	// Keyed says how Key was sent with the request, so that the server knows it; "" if it was not.
	Keyed string `json:"keyed,omitempty"`
	// Vacant is true if `find` did not find the object of an update either, before the first attempt was sent. If it finds
	// it later, the update gave it the name by which find looks.
	Vacant bool `json:"vacant,omitempty"`
	// Proves is true if no other part of the update has had an effect since then. If
	// `find` finds another id later, this step assigned it.
	Proves bool `json:"proves,omitempty"`
	// Stays is true if the update gives the resource no other id: it changes no input that the id contains
	// or that `find` uses, and without `find`, no response has the id.
	Stays bool `json:"stays,omitempty"`
	// Moved is true if ID is the id that an update assigned.
	Moved bool `json:"moved,omitempty"`
	// Named is another id that the response to a step of an update names, "" if it names none.
	Named  string `json:"named,omitempty"`
	Status Status `json:"status"`
	// Ongoing is true while the run goes on whose request has an unknown outcome, or is a request of a create that
	// was answered: the run may still find out what came of it, undo it, or return a state.
	Ongoing bool `json:"ongoing,omitempty"`
	// Error is the reason for the outcome, for users and without secrets.
	Error string `json:"error,omitempty"`
	// Owner is the process that works on the intent, or did last.
	Owner Process `json:"owner,omitzero"`

	// live is true if the owner was alive when the intent was read.
	live bool
}

// isHeld reports whether the owner works on the intent if it is alive.
func (i Intent) isHeld() bool {
	return i.Status == Begun || (i.Status == Unknown || i.Status == Answered) && i.Ongoing
}

// UnderWay reports whether a living process was working on the intent when it was
// read.
func (i Intent) UnderWay() bool { return i.isHeld() && i.live }

// Open reports whether the outcome of the intent is not known, and no process was
// working on it when it was read.
func (i Intent) Open() bool { return (i.Status == Unknown || i.Status == Begun) && !i.UnderWay() }

// IsInterrupted reports whether a response arrived, and the process ended before the run returned a state. The host
// knows nothing of what was made.
func (i Intent) IsInterrupted() bool { return i.Status == Answered && i.Ongoing && !i.live }

// IsUnsettled reports whether something may exist that no state contains, and no process was working on the intent
// when it was read.
func (i Intent) IsUnsettled() bool { return i.Open() || i.IsInterrupted() }

// LastSent returns when the step was sent last, as far as that is known.
func (i Intent) LastSent() time.Time {
	if i.Sent.IsZero() {
		return i.Began
	}
	return i.Sent
}

// Whole is the step of an intent that stands for all steps of its operation.
const Whole = -1

// IsWhole reports whether an intent stands for a whole update.
func (i Intent) IsWhole() bool { return i.Operation == Update && i.Step == Whole }

// Distinct returns the intents without those that only repeat what another one says. These are intents of whole updates, if
// there is one of a step of the update, or of the next run of it; and those of steps of an interrupted create, if there
// is one of the whole create. The engine needs them all, a reader does not.
func Distinct(list []Intent) []Intent {
	var out []Intent
	for n, i := range list {
		whole := func(o Intent) bool { return o.Step == Whole && o.Open() && i.Accompanies(o) }
		if i.IsInterrupted() && slices.ContainsFunc(list, whole) {
			continue
		}
		more := func(o Intent) bool {
			return o.Operation == Update && o.Subject == i.Subject && o.Token == i.Token && o.Open()
		}
		if i.IsWhole() && i.Open() &&
			(slices.ContainsFunc(list[n+1:], more) || slices.ContainsFunc(list[:n], func(o Intent) bool { return !o.IsWhole() && more(o) })) {
			continue
		}
		out = append(out, i)
	}
	return out
}

// Repeated returns the intents that Distinct leaves out of a list because of the one with a key: whoever forgets that has not
// been shown them, and forgets them, too.
func Repeated(list []Intent, key string) []Intent {
	shown := Distinct(list)
	without := func(key string) []Intent {
		return slices.DeleteFunc(slices.Clone(list), func(i Intent) bool { return i.Key == key })
	}
	var out []Intent
	for more := []string{key}; len(more) > 0; {
		list, more = without(more[0]), more[1:]
		for _, i := range Distinct(list) {
			if !slices.ContainsFunc(shown, func(o Intent) bool { return o.Key == i.Key }) {
				shown, out, more = append(shown, i), append(out, i), append(more, i.Key)
			}
		}
	}
	return out
}

// WasAnswered reports whether a successful response arrived.
func (i Intent) WasAnswered() bool { return i.Status == Answered || i.Status == Handed }

// Accompanies reports whether the intent was answered and belongs to the same create
// as o. Nothing continues such an intent after the create.
func (i Intent) Accompanies(o Intent) bool {
	return i.Subject == o.Subject && i.Operation == Create && o.Operation == Create && i.Token != "" && i.Token == o.Token && i.WasAnswered()
}

// sameEffect reports whether two intents of a subject are for the same effect.
func (i Intent) sameEffect(o Intent) bool {
	return i.Operation == o.Operation && i.Step == o.Step && i.Element == o.Element
}

// variable is the environment variable with the journal's folder.
const variable = "DECLPROV_JOURNAL"

// DefaultDir returns the folder of the journal: DECLPROV_JOURNAL, or else a folder in
// the user's state folder (XDG_STATE_HOME or ~/.local/state). The folder must outlive
// the process. On temporary machines, users must set the variable to persistent
// storage.
func DefaultDir(getenv func(string) string) (string, error) {
	if dir := getenv(variable); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "declprov", "journal"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("cannot choose a folder for the journal: %w; set %s to a folder", err, variable)
	}
	return filepath.Join(home, ".local", "state", "declprov", "journal"), nil
}

// IsFleeting reports whether the journal is likely to be lost with the machine: on a
// CI runner, unless DECLPROV_JOURNAL is set.
func IsFleeting(getenv func(string) string) bool {
	switch strings.ToLower(getenv("CI")) {
	case "", "0", "false", "no":
		return false
	}
	return getenv(variable) == ""
}

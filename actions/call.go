package actions

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// Call is one run of an action.
type Call struct {
	// Args are the arguments of mode Value and Raw that are given, the family's
	// defaults among them, of their declared types, as plain Go: nil, bool,
	// int64, float64, json.Number (what neither holds exactly), string,
	// []any, map[string]any, *spec.File for an asset or archive.
	Args map[string]any
	// Parts are the parts of the arguments of mode Path, and the words of those of mode
	// Words. A part of an argument (Arg.Inner) has its dotted path as its name:
	// "auth.login.http.path".
	Parts map[string][]spec.Part
	// Late are the arguments of mode Late. A late part of an argument (Arg.Inner) has its
	// dotted path as its name.
	Late map[string]LateExpr
	Env  *Env
	// Written reports whether the spec gives the argument, even if its value is null and
	// therefore not in Args. Nil: Args contains all given arguments.
	Written func(argument string) bool
	// Source returns where an argument comes from, or a member of a Merged argument, named
	// by its dotted path. Nil: the step gives all arguments.
	Source func(argument string) Source
	// Defaults are the values in the family's block of Recalled arguments that the step
	// also gives.
	Defaults map[string]any
	// LateKey returns a key for a late expression, named as in Late. Expressions with the
	// same key have the same value for the same response. Nil: all keys differ.
	LateKey func(path string) string
	// Hidden reports whether an argument contains a secret, or a part of an argument, named
	// by its dotted path (upload.0.content). Nil: no argument does.
	Hidden func(argument string) bool
	// Key is the idempotency key of the call, if its certainty is Keyed; else "". It is the
	// same for every attempt, also after a restart of the process.
	Key string
	// Mark identifies the create, if the kind is Marked; else "". It is the same for every
	// run of the same create of the same resource with the same inputs.
	Mark string
	// Wants reports whether the spec refers to this member of the result. Members that
	// nobody refers to, such as the content of a large file, are not fetched. A member of
	// the elements of a list is written "items.sha256". Nil: the spec refers to all.
	Wants func(member string) bool
	// Mask masks known secrets in a text from outside. It must run before the text is cut,
	// since it does not recognize half of a secret. Nil: there are no secrets.
	Mask func(text string) string
	// Resembles reports whether a text has a part in common with a known secret, also in a changed
	// form. Nil: it is not known.
	Resembles func(text string) bool
	// Secrets are the wire names of secret members of responses.
	Secrets []string
	// Unfinished returns how many bytes at the end of a text may be the beginning of a
	// secret. They are masked together with the text that follows, not before. Nil: none.
	Unfinished func(text string) int
	// Progress shows a short text during the run; never nil.
	Progress func(text string)
	// Log adds a text to the log of the resource. With detail, the host shows it only at
	// its most verbose level. Nil: the text is dropped.
	Log func(text string, detail bool)
	// Attempt counts the runs of this call from 1; 0 means 1. The engine decides on retries.
	Attempt int
	// ETags are those of the object, with those of what the operation has read, "" if none is known.
	ETags ETags
	// Receive converts the typed member of the result to the type that a Typed argument
	// names, under its declared names. vet checks Late arguments against the same type. If a
	// part of the value does not fit, Receive returns the rest, and an error. Nil: the call
	// has no typed result.
	Receive func(v any, form Form) (any, error)
	// Adapt does the same for the response of a failed call, which has no declared type: it
	// keeps all members, and adds those that fit under their declared names. Nil: the call
	// has no typed result.
	Adapt func(v any, form Form) any
	// WithDictionaries returns a value from outside in which each map of the declared type is a *Dictionary: its
	// members are data, and not what the server says about the response. Nil: the call has no
	// typed result.
	WithDictionaries func(v any, form Form) any
	// Event judges an event of a run that reads a stream (Facts.Streams): the outcome is Done,
	// with a result as if the run had ended with this event. It reports whether the run goes
	// on to the next one; if not, the run ends with this outcome. Nil: it goes on to the end.
	Event func(Outcome) (more bool)
	// Until says that only Event ends the stream. If it ends before, it was cut.
	Until bool
	// Limit is the maximum number of list items to fetch; 0 means all.
	Limit int
	// Values is the maximum number of values to read if the arguments do not set one; 0
	// means decode.DefaultValues. See MaxValues.
	Values int
	// Secret registers a text as secret from now on, such as a token from a login. Nil: the
	// text is not registered.
	Secret func(text string)
}

// Dictionary is an object whose members have keys that somebody has chosen; see Call.WithDictionaries.
type Dictionary struct {
	Members map[string]any
	// OfAny says that the type of the members is any, as in `{...}`, by which authors also leave open what an object is.
	OfAny bool
}

// Source is where an argument of a call comes from.
type Source uint8

const (
	// Own arguments are given by the step.
	Own Source = iota
	// Inherited arguments are family defaults that the step does not mention.
	Inherited
	// Requested arguments are family defaults that the step requests with "default".
	Requested
)

// SourceOf returns where an argument comes from.
func (c *Call) SourceOf(argument string) Source {
	if c.Source == nil {
		return Own
	}
	return c.Source(argument)
}

// Form is the form in which a value was received.
type Form uint8

const (
	// Data distinguishes lists, numbers, booleans and null from strings, as JSON does.
	Data Form = iota
	// XML has only elements and text. Names include the namespace: see decode.LocalNames.
	XML
)

// LateExpr evaluates an argument of mode Late, in the scope of the step extended by what
// the action knows by then (`body`, `status`). A time.Time is a point in time there.
type LateExpr func(extra map[string]any) (any, error)

// HidesAny reports whether one of the arguments contains a secret.
func (c *Call) HidesAny(arguments ...string) bool {
	return c.Hidden != nil && slices.ContainsFunc(arguments, c.Hidden)
}

// Asks reports whether the spec refers to this member of the result.
func (c *Call) Asks(member string) bool { return c.Wants == nil || c.Wants(member) }

// MaxValues is the name of the argument that limits how many values a call may read.
const MaxValues = "maxValues"

// MaxValues returns how many values the call may read.
func (c *Call) MaxValues() int {
	if most, ok := c.Args[MaxValues].(int64); ok && most > 0 {
		return int(most)
	}
	return cmp.Or(c.Values, decode.DefaultValues)
}

// Status is how a run ended, as far as the run itself can tell.
type Status uint8

const (
	// Done means success; Outcome.Result is set.
	Done Status = iota + 1
	// Gone means that the object does not exist (404, no such file).
	Gone
	// Refused means that the run certainly had no effect.
	Refused
	// Failed means that the run had an effect, which is not complete.
	Failed
	// Unknown means that the call was sent or started, and its effect is not known.
	Unknown
)

func (s Status) String() string {
	return [...]string{"no status", "done", "gone", "refused", "failed", "unknown"}[s]
}

// Outcome is the result of a run.
type Outcome struct {
	Status Status
	// Result is set if Status is Done. Other statuses may set it, for example to the
	// response that reported the failure; `gone` and `retry.if` then read it.
	Result any
	// Received says that the typed member of Result was already converted, by Call.Receive
	// or, after a failure, by Call.Adapt. Otherwise the engine converts it. Unfit is the
	// error that Receive returned.
	Received bool
	Unfit    error
	// AsReceived returns the result with the typed member as after a failure: converted by
	// Call.Adapt. It is set if Status is Done and Received is true.
	AsReceived func() any
	// Partial says that Result may be incomplete, so that an object that is missing in it may
	// exist; nil if it is complete.
	Partial *Partial
	// Title says, if Status is Done, what was attempted and what came of it, for messages: "GET /pets/7
	// returned 204 No Content". Nil: the action has no such text.
	Title func() string
	// Claim is what a response with an effect says that it has done, "" if it does not tell.
	Claim Claim
	// Idle says that a run that is Done has found nothing to change, or nothing to remove; nil if that
	// is not known. The engine then does not take its word for an effect.
	Idle *Idle
	// ETag identifies the version of the object that the response is about (RFC 9110, 8.8.3);
	// it is "" if the response does not name one. ETagOf is its address (AddressOf). The next change of
	// the object gets both in Call.ETags.
	ETag, ETagOf string
	// Err is the error, unless Status is Done. It says what was attempted and what to do,
	// and contains no secret.
	Err error
	// Again says that another attempt may succeed, because nothing was sent, or because the
	// server asked for a retry. The default policy then retries. The engine decides whether
	// a retry is safe.
	Again bool
	// RetryAfter is the delay that the server asked for; 0 if it did not.
	RetryAfter time.Duration
	// Class is what `retry: on` matches: "connection", "timeout", an HTTP
	// status, an exit code.
	Class string
}

// Claim is what a response says about the effect of a run that is Done.
type Claim string

const (
	// Made means that this run has made the object.
	Made Claim = "made"
	// Accepted means that the target will try: whether the run has an effect is decided later.
	Accepted Claim = "accepted"
)

// And returns the claim of two runs together.
func (c Claim) And(other Claim) Claim {
	switch {
	case c == other:
		return c
	case c == Accepted || other == Accepted:
		return Accepted
	default:
		return ""
	}
}

// Idle is how a run had no effect without an error.
type Idle struct {
	// Err says what was not found.
	Err error
	// Removal says that the run was to remove something. In an update, that may be gone already.
	Removal bool
}

// Partial is why a result may be incomplete.
type Partial struct {
	// Why completes "it was not found, but …", and says what to do.
	Why string
	// Listed says that the result is a list, which has more items than those that were read.
	Listed bool
}

// Succeed returns the outcome of a successful run.
func Succeed(result any) Outcome { return Outcome{Status: Done, Result: result} }

// ErrNoStore is wrapped by the error of an outcome of Missing if what would have the object does not exist
// either, such as a database file on a volume that is not mounted. Nothing is there then, for a create;
// but a read does not show that an object has been removed.
var ErrNoStore = errors.New("so it is not known whether it still exists")

// Missing returns the outcome of a run whose object does not exist.
func Missing(err error) Outcome { return Outcome{Status: Gone, Err: err} }

// Refuse returns the outcome of a run that changed nothing.
func Refuse(err error) Outcome { return Outcome{Status: Refused, Err: err} }

// Fail returns the outcome of a run that had an incomplete effect.
func Fail(err error) Outcome { return Outcome{Status: Failed, Err: err} }

// Env gives an action access to files, the network and programs. Each member refuses what
// the spec's permissions do not grant, before any system call.
type Env struct {
	Files     *files.Files
	Network   *network.Network
	Processes *process.Programs
	// Declared says that the spec has a permissions block.
	Declared bool
	// Capabilities are the capabilities that commands of root keep in the kernel's sandbox;
	// nil means the default.
	Capabilities []string
}

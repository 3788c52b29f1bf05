package actions

import (
	"cmp"
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
	// Parts are the arguments of mode Path, and the words of those of mode Words; a
	// part of an argument (Arg.Inner) is found under its dotted path,
	// "auth.login.http.path".
	Parts map[string][]spec.Part
	// Late are the arguments of mode Late, and such parts of arguments.
	Late map[string]LateExpr
	Env  *Env
	// Written reports whether the spec gives the argument, even if its value is
	// null and so not in Args. Nil: what is in Args is all that was written.
	Written func(argument string) bool
	// Source says where an argument comes from, or a member of a Merged one by its dotted
	// path. Nil: the step gives all of them.
	Source func(argument string) Source
	// Defaults are what the family's block says of Recalled arguments that the step gives
	// itself.
	Defaults map[string]any
	// LateKey is the same for late expressions, by their names in Late, that find the same
	// in the same response. Nil: no two do.
	LateKey func(path string) string
	// Hidden reports whether an argument holds a secret, or a part of one by its dotted
	// path (upload.0.content). Nil: none does.
	Hidden func(argument string) bool
	// Key is the same for every attempt at a call, over restarts of the process
	// too, where the kind says that the call is Keyed; else "".
	Key string
	// Mark is the same for every run of the same create of the same resource
	// with the same inputs, where the kind is Marked; else "".
	Mark string
	// Wants reports whether the spec refers to this member of the result, so
	// that what nobody asks for (a large file's content) is not fetched. A
	// member of a list's elements is asked for as "items.sha256". Nil: all.
	Wants func(member string) bool
	// Mask hides what is known to be secret in a text from outside, before it is
	// cut to be shown: no half of a secret is known as one. Nil: nothing is.
	Mask func(text string) string
	// Secrets are the names on the wire of members of answers that are secret.
	Secrets []string
	// Unfinished is how many bytes at the end of a text may be the beginning of a
	// secret, which what follows would complete: they are masked with that, and
	// not before. Nil: none.
	Unfinished func(text string) int
	// Progress shows a short text while the run goes on; never nil.
	Progress func(text string)
	// Log keeps a text among what the host shows of the resource; with detail only
	// where it shows everything. Nil: nobody listens.
	Log func(text string, detail bool)
	// Attempt counts the runs of this call from 1; 0 is 1. Repeating is the
	// engine's.
	Attempt int
	// ETag is that of the last read of the object, "" where none is known.
	ETag string
	// Receive returns what the typed member of the result is made of as a value of
	// the type that a Typed argument names, under its declared names: the same that
	// vet checks Late arguments by. Of a value that does not fit, what does is
	// returned beside the error. Nil: the call types nothing.
	Receive func(v any, form Form) (any, error)
	// Adapt does the same for a failure, which is of no declared type: what is there
	// stays, and what fits stands under its declared name, too. Nil: nothing is typed.
	Adapt func(v any, form Form) any
	// Limit is how many items of a list are wanted; 0 is all.
	Limit int
	// Values is how many values the call may read where its arguments do not say; 0 is
	// decode.DefaultValues. See MaxValues.
	Values int
	// Secret tells the engine of a text that must not show from now on, such as
	// a token that a login gave. Nil: nobody listens.
	Secret func(text string)
}

// Source is where an argument of a call comes from.
type Source uint8

const (
	// Own arguments are the step's.
	Own Source = iota
	// Inherited arguments are the family's defaults, of which the step says nothing.
	Inherited
	// Requested arguments are the family's defaults, which the step asks for by name.
	Requested
)

// SourceOf is where an argument comes from.
func (c *Call) SourceOf(argument string) Source {
	if c.Source == nil {
		return Own
	}
	return c.Source(argument)
}

// Form says how a value came.
type Form uint8

const (
	// Data tells lists, numbers, booleans and null from text by itself: JSON.
	Data Form = iota
	// XML has elements and text, under whole names: see decode.LocalNames.
	XML
)

// LateExpr evaluates an argument of mode Late, with what the action knows by
// then (`body`, `status`) beside what the step's scope has.
type LateExpr func(extra map[string]any) (any, error)

// HidesAny reports whether one of the arguments holds a secret.
func (c *Call) HidesAny(arguments ...string) bool {
	return c.Hidden != nil && slices.ContainsFunc(arguments, c.Hidden)
}

// Asks reports whether the spec refers to this member of the result.
func (c *Call) Asks(member string) bool { return c.Wants == nil || c.Wants(member) }

// MaxValues is the name of the argument that bounds how many values a call may read.
const MaxValues = "maxValues"

// MaxValues returns how many values the call may read.
func (c *Call) MaxValues() int {
	if most, ok := c.Args[MaxValues].(int64); ok && most > 0 {
		return int(most)
	}
	return cmp.Or(c.Values, decode.DefaultValues)
}

// Status says how a run ended, as far as the run itself can tell.
type Status uint8

const (
	// Done: it worked; Result holds what it yields.
	Done Status = iota + 1
	// Gone: what it is about is not there (404, no such file).
	Gone
	// Refused: it certainly had no effect.
	Refused
	// Failed: it had an effect, and what it did is not complete.
	Failed
	// Unknown: it was sent or started, and nobody knows what it did.
	Unknown
)

func (s Status) String() string {
	return [...]string{"no status", "done", "gone", "refused", "failed", "unknown"}[s]
}

// Outcome is what a run answers.
type Outcome struct {
	Status Status
	// Result is set when Status is Done, and may be for others (the answer that
	// said so): what `gone` and `retry.if` then look at.
	Result any
	// Received says that the typed member of Result comes from Call.Receive or, of a
	// failure, from Call.Adapt; Unfit is the error that Receive gave. Else the engine
	// receives it.
	Received bool
	Unfit    error
	// Cut says that there is more than what Result has, because the author wanted no
	// more: what is not in it may be there.
	Cut bool
	// Err says what went wrong, for all but Done. It names what was tried and
	// what to do, and holds no secret.
	Err error
	// Again says that another attempt may succeed, so that the default policy
	// makes one: nothing was sent, or the other side asks to come back. Whether
	// an attempt may be repeated at all is for the engine to judge.
	Again bool
	// RetryAfter is when the other side asked to come back; 0 where it did not.
	RetryAfter time.Duration
	// Class is what `retry: on` matches: "connection", "timeout", an HTTP
	// status, an exit code.
	Class string
}

// Succeed is the outcome of a run that worked.
func Succeed(result any) Outcome { return Outcome{Status: Done, Result: result} }

// Missing is the outcome of a run whose object is not there.
func Missing(err error) Outcome { return Outcome{Status: Gone, Err: err} }

// Refuse is the outcome of a run that changed nothing.
func Refuse(err error) Outcome { return Outcome{Status: Refused, Err: err} }

// Fail is the outcome of a run that changed something, and not all that it should.
func Fail(err error) Outcome { return Outcome{Status: Failed, Err: err} }

// Env is the part of the world that an action may touch: each member refuses
// what the spec's permissions do not grant, before any system call.
type Env struct {
	Files     *files.Files
	Network   *network.Network
	Processes *process.Programs
	// Declared says that the spec has a permissions block, so that what it may do is
	// written down, and no more than that is meant.
	Declared bool
	// Capabilities are those that commands keep which root runs in the kernel's
	// sandbox; nil is the default.
	Capabilities []string
}

// File is the kind of argument value that an asset or archive arrives as.
type File = spec.File

// Package actions says what an action is: the families (file, http, exec), the
// kinds in them, what a kind declares of itself, and what a run of one is given
// and answers.
//
// A kind is declared once. vet, the documentation, the CUE definitions and the
// compiler read the declaration; Run does the work. Retry, polling, undo and
// the journal are the engine's, once, for all kinds.
package actions

import (
	"context"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Family is a folder of kinds, and the block of defaults that a spec may give
// them at its top (`file: root: …`).
type Family struct {
	Name    string
	Summary string
	// Defaults are the arguments that the block takes. A kind's own argument
	// of the same name wins over the block's.
	Defaults []Arg
	// Check finds what is wrong with the block of defaults beyond the types of its
	// arguments; nil is nothing.
	Check func(Static) []Fault
	// Kinds are the family's, in the order of the documentation. A family of
	// one kind with the name "" is written without it: `http: {…}`.
	Kinds []*Kind
	// Open returns what runs the family's kinds for one engine: it owns what lives as long
	// (pools, tokens, limits). What may be touched comes with each call, for it may depend
	// on inputs. Nil: each kind has a Run of its own, and nothing outlives a run.
	Open func() Runner
	// Shorthands says that members of the latest result are names of their own in
	// expressions: `body`, `status` and `headers`. A broken call of the family has them, too.
	Shorthands bool
	// Grants are the permissions that a spec without a permissions block gets
	// from this family's defaults: what it names.
	Grants func(Static) []Grant
}

// Kind is the family's kind of that name, or nil.
func (f *Family) Kind(name string) *Kind {
	for _, k := range f.Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Kind is one kind of action.
type Kind struct {
	Name    string // within its family: "write"
	Summary string // one line
	Doc     string // Markdown
	Args    []Arg
	// OneOf are groups of arguments of which exactly one must be given.
	OneOf [][]string
	// AtMostOne are groups of which no more than one may be given.
	AtMostOne [][]string
	// Analyze returns what is known of a call before it runs, by its arguments as written.
	Analyze func(Static) Facts
	// Ambiguous reports whether an outcome of a class that `retry: on` names may
	// be Unknown; nil: none is.
	Ambiguous func(class string) bool
	// Tells are the members of the result from which an argument that is secret
	// could be found out, such as its hash: they are then secret, too.
	Tells []string
	// Marked says that what a run makes can carry Call.Mark, by which a create
	// that was cut off knows its own work when it is run again.
	Marked bool
	// Sees are the names that the expression of a Late argument, or a Late part
	// of one ("auth.login.token"), has beside the step's scope; nil is none.
	Sees     func(s Static, argument string) []*spec.Property
	Examples []Example
	// Run does it, where the family has no Open. It returns soon after ctx ends.
	Run func(ctx context.Context, call *Call) Outcome
}

// Runner runs an action of its family. It returns soon after ctx ends.
type Runner func(ctx context.Context, kind *Kind, call *Call) Outcome

// Runner opens the family for one engine.
func (f *Family) Runner() Runner {
	if f.Open != nil {
		return f.Open()
	}
	return func(ctx context.Context, kind *Kind, call *Call) Outcome { return kind.Run(ctx, call) }
}

// Facts are what is known of a call before it runs.
type Facts struct {
	// Result is the type of what a run yields; an object for all file kinds.
	Result *spec.Type
	// Yields names the member of the result that an operation yields which ends with this
	// call and says nothing else: an answer's body. It comes from outside, so its names are
	// those on the wire. "" is the whole result.
	Yields string
	// Effect says whether a run changes the world; Certainty what is known of one that was
	// sent and not answered.
	Effect    Effect
	Certainty Certainty
	// Overwrites says that a run replaces whatever stands in its place, whoever made it,
	// without a word of the author's that this is meant.
	Overwrites bool
	// Place is the text, as written, that says what a run makes, changes or removes: a path
	// or a URL; "" is that nobody can tell. Makes says that a run may be what brings it into
	// the world.
	Place string
	Makes bool
	// Grants are the permissions that a run needs, as far as the arguments tell before it
	// runs; vet reports those that can never be had.
	Grants []Grant
	// Sandbox says, where a run starts programs of others, whether the system keeps these to
	// what the spec is granted: "auto" where there is a permissions block, as far as it can;
	// "required" always; "off" never; "" where none are started.
	Sandbox string
	// Faults are what is wrong with the call beyond the types of its arguments. Run checks
	// again: not all of it is known before.
	Faults []Fault
}

// Mode says how an argument reaches Run.
type Mode uint8

const (
	// Value arguments arrive evaluated, in Call.Args.
	Value Mode = iota
	// Path arguments arrive in parts, in Call.Parts, to be escaped one by one.
	Path
	// Late arguments are expressions that the action evaluates after the
	// answer, in Call.Late.
	Late
	// Raw arguments take no templates.
	Raw
	// Typed arguments are types, not values (`returns: #Pet`). They reach
	// Static.Types, and Call.Args as true.
	Typed
	// Words arguments are lists of text of which the action must know what the
	// author has written: a command line. They arrive in Call.Parts, one by one,
	// Literal where a word begins with the author's own text. An item that is a
	// list stands for its items, and one that is null for none.
	Words
)

// Fault is a mistake in a call that its declaration alone does not show.
type Fault struct {
	// Argument is the one that is wrong, Path the part of it ("oauth2.scopes"),
	// or "".
	Argument, Path string
	Summary        string
	// Remedy says what to do.
	Remedy string
	// Warning: it works, and is probably not meant.
	Warning bool
	// Exposes says that the mistake shows a secret to others.
	Exposes bool
}

// Arg is one argument of a kind.
type Arg struct {
	spec.Property
	Mode Mode
	// Wire arguments are sent: what of them is a typed struct goes out under
	// the names on the wire, without what is absent.
	Wire bool
	// Inner are the modes of parts of the argument that differ from its own, by
	// their dotted paths within it: {"cursor.next": Late}. Late and Path parts
	// are left out of the value (see Split); Raw ones take no templates.
	Inner map[string]Mode
	// Merged says that the members of a kind's own value come over those of the
	// family's default, one by one, instead of the one value over the other.
	Merged bool
	// Recalled arguments are found in Call.Defaults where a step gives its own in the
	// place of the family's.
	Recalled bool
	// Requestable arguments take the text "default" for what the family's block says.
	Requestable bool
	// Instead says how a value is passed that a Raw argument does not take, or a
	// secret that an Exposed one does not, where that can be said.
	Instead string
	// NotNull arguments may be left out, but not by a null at run time: to do
	// without what they ask for would do harm.
	NotNull bool
	// Exposed arguments end up where others can read them (a path, a command
	// line): a secret may not go in.
	Exposed bool
	// ExposedWithin are the parts of the argument that end up so, by their dotted
	// paths within it: "login.http.query".
	ExposedWithin []string
	// ExposedNames are the maps within the argument whose names do, though their
	// values may be secret; "" is the argument itself.
	ExposedNames []string
}

// Effect is what an action does to the world.
type Effect uint8

const (
	// None: it only looks. Such a step may run in a preview, and be repeated.
	None Effect = iota + 1
	// Write: it changes something.
	Write
)

// Certainty is what can be known of a run whose response does not come, and
// what it means to repeat it. Only runs with an effect are ever in doubt.
type Certainty uint8

const (
	// Settled runs always know what they did, such as those that change files of
	// this machine.
	Settled Certainty = iota
	// Safe runs may be repeated: done twice is as good as done once.
	Safe
	// Keyed runs are sent under Call.Key: the other side does them once, however
	// often it is asked.
	Keyed
	// Conditional runs take effect once at most. A repeated one that is refused
	// may be refused because the first took effect.
	Conditional
	// Uncertain runs may take effect as often as they are sent.
	Uncertain
)

// Repeatable reports whether a run may be sent again while nobody knows what it
// did.
func (c Certainty) Repeatable() bool { return c == Safe || c == Keyed }

// Static is what the compiler knows of a call before it runs.
type Static struct {
	// Nodes are the arguments as written, with the family's defaults below
	// them. An argument that is not there is not given.
	Nodes map[string]*spec.Node
	// Literals are those of them that hold no template.
	Literals map[string]any
	// Secret are the arguments that refer to what is declared secret.
	Secret map[string]bool
	// Sources are where the arguments come from, Requests the texts that ask for those
	// of the family, and Defaults all that its block of defaults has, as written.
	Sources  map[string]Source
	Requests map[string]*spec.Node
	Defaults map[string]*spec.Node
	// Types are what is known of types: that of a Typed argument is the type
	// that it is, that of a Late one what its expression yields.
	Types map[string]*spec.Type
}

// Given reports whether the argument is written, here or in the defaults.
func (s Static) Given(name string) bool { return s.Nodes[name] != nil }

// Grant is one permission: an access to what a pattern names. Pattern is a
// template where it comes from a spec, and evaluated where it is in force.
type Grant struct {
	Access  grant.Access
	Pattern *spec.Node
	// Name is what a step asks for, where Pattern covers something else or is quoted:
	// a path, which starts at Root unless it is absolute.
	Name, Root *spec.Node
	// Perhaps says that values decide whether a step asks for it at all.
	Perhaps bool
}

// Example is documented usage; a test runs each.
type Example struct {
	Summary string
	// Spec is the step in CUE, as an author writes it: `file: write: {…}`.
	Spec string
	// Files are there before the step runs: text by slash-separated path, below
	// the folder of the user's program.
	Files map[string]string
	// Handed are the inputs that it refers to: the path of an asset, or, with a
	// slash at its end, of an archive.
	Handed map[string]string
	// Answers are what a server gives, by request: "GET /pets/7". Below the
	// server's address lies whatever path the step names.
	Answers map[string]Answer
}

// Answer is what the server of an example says to a request.
type Answer struct {
	// Status is 200 where it is 0.
	Status  int
	Headers map[string]string
	Body    string
}

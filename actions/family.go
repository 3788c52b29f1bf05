// Package actions defines what an action is: families (file, http, exec, sql), their kinds, what
// a kind declares about itself, and the arguments and outcome of a run.
//
// A kind is declared once. vet, the documentation, the CUE definitions and the
// compiler read the declaration; Run does the work. The engine implements retry, polling,
// undo and the journal for all kinds.
package actions

import (
	"context"
	"slices"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// Family is a group of kinds. A spec may give defaults for all of them in a block at its
// top (`file: root: …`).
type Family struct {
	Name    string
	Summary string
	// Declare returns the family's defaults and kinds; see Defaults and Kinds. They take a part of the start of
	// a provider, so they are declared when they are first asked for.
	Declare func() (defaults []Arg, kinds []*Kind)
	// Check returns the mistakes in the block of defaults that the types of its arguments do
	// not show. Nil: there are none.
	Check func(Static) []Fault
	// Open returns the runner of the family's kinds for one engine. The runner owns what
	// lives as long as the engine (pools, tokens, limits). Permissions may depend on inputs,
	// so they come with each call. Nil: each kind has its own Run, and nothing outlives a
	// run.
	Open func() Runner
	// Shorthands says that expressions may refer to the members `body`, `status`,
	// `headers` and `errors` of the latest result by these names alone, also after a failed call.
	Shorthands bool
	// Grants returns the permissions that the family's defaults imply for a spec without a
	// permissions block.
	Grants func(Static) []Grant
	// Schemes are the schemes of the servers that the family connects to, which `permissions: hosts`
	// may have.
	Schemes []string
	// Variant is the name of the serving binary that runs the family, because what it needs
	// would cost every other provider its size and start: declprov-server-VARIANT. A
	// spec that uses the family has its block of defaults. "" means every binary.
	Variant string

	once     sync.Once
	defaults []Arg
	kinds    []*Kind
}

// declare declares the family once.
func (f *Family) declare() {
	f.once.Do(func() {
		if f.Declare != nil {
			f.defaults, f.kinds = f.Declare()
		}
	})
}

// Defaults returns the arguments that the block of defaults takes. A kind's own argument of the same name
// wins over the block's.
func (f *Family) Defaults() []Arg {
	f.declare()
	return f.defaults
}

// Kinds returns the kinds of the family, in the order of the documentation. If the family has one kind with
// the name "", a step omits the kind: `http: {…}`.
func (f *Family) Kinds() []*Kind {
	f.declare()
	return f.kinds
}

// Kind returns the kind with that name, or nil.
func (f *Family) Kind(name string) *Kind {
	return lists.Find(f.Kinds(), func(k *Kind) bool { return k.Name == name })
}

// Kind is one kind of action.
type Kind struct {
	Name    string // within its family: "write"
	Summary string // one line
	Doc     string // Markdown
	Args    []Arg
	// OneOf are groups of arguments of which exactly one must be given.
	OneOf [][]string
	// AtMostOne are groups of arguments of which at most one may be given.
	AtMostOne [][]string
	// Analyze returns what is known about a call before it runs, from its arguments as
	// written.
	Analyze func(Static) Facts
	// Ambiguous reports whether the outcome of a class in `retry: on` may be Unknown. Nil:
	// it never is.
	Ambiguous func(class string) bool
	// Echoes are the members of the result that reveal a secret argument, such as the hash
	// of a secret content. They are secret if the argument is.
	Echoes []string
	// Marked says that the object that a run makes can carry Call.Mark. By the mark, a
	// repeated create recognizes the object of an interrupted one.
	Marked bool
	// LateScope returns the names that the expression of a Late argument, or of a Late part
	// ("auth.login.token"), may use in addition to the step's scope. Nil: there are none.
	LateScope func(s Static, argument string) []*spec.Property
	Examples  []Example
	// Run runs a call, if the family has no Open. It returns soon after ctx ends.
	Run func(ctx context.Context, call *Call) Outcome
}

// Runner runs an action of its family. It returns soon after ctx ends.
type Runner func(ctx context.Context, kind *Kind, call *Call) Outcome

// Runner returns the family's runner for one engine.
func (f *Family) Runner() Runner {
	if f.Open != nil {
		return f.Open()
	}
	return func(ctx context.Context, kind *Kind, call *Call) Outcome { return kind.Run(ctx, call) }
}

// Denial is a response that a run may get because of its credentials, whether the object exists or not.
type Denial struct {
	// Response has the values, by name, by which `gone` recognizes it.
	Response map[string]any
	// Rights is true if valid credentials get it, too, that lack a right.
	Rights bool
}

// Facts are what is known about a call before it runs.
type Facts struct {
	// Result is the type of what a run yields; an object for all file kinds.
	Result *spec.Type
	// Yields is the member of the result (such as the body of a response) that an operation
	// yields if it ends with this call and has no `return`. The member comes from outside, so
	// its names are wire names. "" means the whole result.
	Yields string
	// NullIsNothing says that the run always has that member, so that null is what came, and
	// not its absence. A response without a body may still be about an object.
	NullIsNothing bool
	// Effect says whether a run changes anything.
	Effect Effect
	Target
	Loss
	// Streams says that a run reads events, and calls Call.Event for each.
	Streams bool
	// Grants are the permissions that a run needs, as far as the arguments as written tell.
	// vet reports those that the spec's permissions can never grant.
	Grants []Grant
	// Trusts says what a run trusts, or entrusts to others, that its grants do not show: texts for
	// people who review the permissions of a spec, such as "https://api.example.com with credentials".
	Trusts []string
	// Sandbox says how the programs that a run starts are confined to the spec's grants:
	// "auto" as far as the system can, if the spec has a permissions block; "required"
	// always; "off" never. It is "" if a run starts no program.
	Sandbox string
	// Faults are the mistakes in the call that the types of its arguments do not show. Run
	// checks again, since some are known only then.
	Faults []Fault
}

// Target is what is known of the object of a run.
type Target struct {
	// Place is the text, as written, that identifies what a run makes, changes or removes: a
	// path or a URL. "" means that it is not known. Makes says that a run may create it, and Names
	// that the service gives what it creates an address, which no argument contains: a POST.
	Place        string
	Makes, Names bool
	// Joins says that a run keeps what it finds at Place, and adds to it. Sweeps says that a run removes
	// everything below Place, whoever put it there.
	Joins, Sweeps bool
	// GoneRemedy says how the author tells that the object of a run does not exist, as a
	// sentence. "" means that the run reports that by itself.
	GoneRemedy string
	// Denials are the responses that a run also gets because of its credentials.
	Denials []Denial
	// SendsETag says that a run may send the ETag of the last read (Call.ETag).
	SendsETag bool
	// IfAbsent is the argument that lets a run succeed only if the object does not exist, given or by its
	// default, or "" if a run may also succeed otherwise.
	IfAbsent string
}

// Loss is what is known of a run that was sent and whose response was lost.
type Loss struct {
	// Certainty says what is known then.
	Certainty Certainty
	// KeyedBy says how a Keyed run sends Call.Key, such as the header: a server does not recognize it if
	// it was sent in another way.
	KeyedBy string
	// Address are the arguments that say which object a run replaces, if it is only Safe, or only
	// replaces one, because they do.
	Address []string
	// RepeatRemedy says how the author makes a run harmless to repeat, as a sentence. It is
	// required of calls whose certainty is Uncertain.
	RepeatRemedy string
	// OverwriteRemedy says how the author prevents a run from replacing an existing object,
	// even one that somebody else made, as the beginning of a sentence. "" means that no run
	// replaces one.
	OverwriteRemedy string
}

// Arg returns the argument with a name, or nil.
func (k *Kind) Arg(name string) *Arg { return FindArg(k.Args, name) }

// FindArg returns the argument with a name, or nil.
func FindArg(args []Arg, name string) *Arg {
	i := slices.IndexFunc(args, func(a Arg) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &args[i]
}

// Mode says how an argument reaches Run.
type Mode uint8

const (
	// Value arguments are evaluated, in Call.Args.
	Value Mode = iota
	// Path arguments are split into parts, in Call.Parts, each escaped by the action.
	Path
	// Late arguments are expressions, in Call.Late, that the action evaluates after the
	// response.
	Late
	// Raw arguments take no templates.
	Raw
	// Typed arguments are types, not values (`returns: #Pet`). They are in Static.Types, and
	// true in Call.Args.
	Typed
	// Words arguments are lists of strings, such as a command line. Call.Parts has one part
	// per word, which is Literal if the word begins with text that the author wrote. An item
	// that is a list adds its items; an item that is null adds nothing.
	Words
)

// Fault is a mistake in a call that its declaration alone does not show.
type Fault struct {
	// Argument is the wrong argument; Path is the wrong part of it ("oauth2.scopes"), or "".
	Argument, Path string
	Summary        string
	// Remedy says what to do.
	Remedy string
	// Old is a part of the text of a literal argument for which New should be written. ""
	// means that there is no such part.
	Old, New string
	// Warning says that the call works, but probably not as intended.
	Warning bool
	// Exposes says that the mistake exposes a secret.
	Exposes bool
}

// Arg is one argument of a kind.
type Arg struct {
	spec.Property
	Mode Mode
	// Wire arguments are sent to a server: the members of a typed struct get their wire
	// names, and absent members are omitted.
	Wire bool
	// Inner are the modes of parts of the argument that differ from its own, by
	// their dotted paths within it: {"cursor.next": Late}. Split removes Late and Path
	// parts from the value. Raw parts take no templates. If the argument is a list, the
	// paths of Inner, ExposedWithin and ExposedNames are within each of its items.
	Inner map[string]Mode
	// Merged says that the step's value is merged into the family's default, member by
	// member, instead of replacing it.
	Merged bool
	// Recalled arguments keep the family's default in Call.Defaults if a step replaces it.
	Recalled bool
	// Requestable arguments accept the string "default", which requests the family's default.
	Requestable bool
	// Instead says how to pass a value that a Raw argument does not take, or a secret that
	// an Exposed argument does not take; "" if there is no other way.
	Instead string
	// Decides marks arguments that are Late, and tell whether something exists: to read a member of a response without a body is an
	// error in them.
	Decides bool
	// NotNull arguments may be omitted, but must not be null at run time: the call would do
	// harm without what they ask for.
	NotNull bool
	// Locates marks arguments that say which object a call is about, or where that is, beside those that are Exposed. With another
	// value of a setting in them, read and delete are about another object.
	Locates bool
	// Exposed arguments appear where others can read them (a path, a command line), so they
	// must not contain a secret.
	Exposed bool
	// ExposedWithin are the exposed parts of the argument, by their dotted paths within it:
	// "login.http.query".
	ExposedWithin []string
	// ExposedNames are the maps within the argument whose names are exposed; their values
	// may be secret. "" is the argument itself.
	ExposedNames []string
}

// Effect says whether an action changes anything.
type Effect uint8

const (
	// None only reads. Such a step may run in a preview, and may be repeated.
	None Effect = iota + 1
	// Write changes something.
	Write
)

// Certainty says what is known about a run whose response was lost, and what a repetition
// does. It matters only for runs with an effect.
type Certainty uint8

const (
	// Settled runs always know what they did, such as those that change files of
	// this machine.
	Settled Certainty = iota
	// Safe runs may be repeated: two runs have the same effect as one.
	Safe
	// Keyed runs are sent with Call.Key, so the server processes them once, however often
	// they are sent.
	Keyed
	// Conditional runs take effect at most once. A repeated run may be refused because the
	// first one took effect.
	Conditional
	// Uncertain runs may take effect each time they are sent.
	Uncertain
)

// Repeatable reports whether a run may be sent again if its effect is not known.
func (c Certainty) Repeatable() bool { return c == Safe || c == Keyed }

// Static is what the compiler knows about a call before it runs.
type Static struct {
	// Nodes are the given arguments as written, in the step or in the family's defaults.
	Nodes map[string]*spec.Node
	// Literals are the values of those arguments that contain no template.
	Literals map[string]any
	// Secret are the arguments that refer to something declared secret.
	Secret map[string]bool
	// Free are the references of those arguments, such as inputs.name, whose values may contain
	// any text. Of an argument that is not here, nothing is known.
	Free map[string][]string
	// Sources says where the arguments come from. Requests are the strings "default" that
	// request defaults of the family. Defaults are all arguments in the family's block of
	// defaults, as written.
	Sources  map[string]Source
	Requests map[string]*spec.Node
	Defaults map[string]*spec.Node
	// Types are the types that are known: of a Typed argument the type that it names, of a
	// Late argument the type of its expression, of another one the type of its value.
	Types map[string]*spec.Type
	// Named are the definitions of the spec that types refer to. Wire is the rule that names
	// their members on the wire.
	Named spec.Types
	Wire  string
}

// Given reports whether the argument is given, in the step or in the defaults.
func (s Static) Given(name string) bool { return s.Nodes[name] != nil }

// Grant is a permission: an access to what a pattern names. Pattern may be a template; it is
// evaluated before the grant takes effect.
type Grant struct {
	Access  grant.Access
	Pattern *spec.Node
	// Name is the path that a step accesses, if Pattern is quoted or covers something else.
	// It is relative to Root unless it is absolute.
	Name, Root *spec.Node
	// Perhaps says that it depends on values whether the step needs the permission.
	Perhaps bool
}

// Example is documented usage; a test runs each.
type Example struct {
	Summary string
	// Spec is the step in CUE, as an author writes it: `file: write: {…}`.
	Spec string
	// Files are the files that exist before the step runs: their content by slash-separated
	// path, relative to the folder of the user's program.
	Files map[string]string
	// Inputs are the inputs that the step refers to, by name: each is the path of an asset
	// or, if it ends in a slash, of an archive.
	Inputs map[string]string
	// Responses are the responses of a test server, by request: "GET /pets/7". The path is
	// the one that the step names.
	Responses map[string]Response
}

// Response is the response of an example's test server.
type Response struct {
	// Status is the HTTP status; 0 means 200.
	Status  int
	Headers map[string]string
	Body    string
}

// Package run creates, reads, updates and deletes resources: it keeps in the journal what their
// operations send, and settles what earlier runs left open. Package operation runs the steps.
//
// Resources are the resources of a configured provider; their methods are the operations on
// resources (create.go, read.go, update.go, delete.go). A run is one execution of an operation
// that changes a resource, and owner.go is what its steps ask of it: sending.go sends a step
// with an effect under an intent. undo.go and aftermath.go deal with a create that stopped. Package
// lookup tells whether something that is there is the resource's own.
package run

import (
	"cmp"
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/lookup"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Resources are the resources of a configured provider. It is safe for concurrent use.
type Resources struct {
	*operation.Runtime
	journal *journal.Provider
	// Tokens are the tokens of the resources that were created or shown as live.
	Tokens recorded.Tokens
}

// New returns the resources of a program with a complete configuration, after it has run the
// spec's `configure`. Relative paths start at dir. locks are shared by all resources of the
// program. openJournal opens the journal, once.
func New(
	ctx context.Context, p *plan.Program, locks *operation.Locks, config property.Map, dir string, openJournal func() (*journal.Journal, error),
) (*Resources, error) {
	public := recorded.WithoutSecrets(p, config)
	configuration, _ := value.EncodeRecordable(public)
	rs := &Resources{journal: journal.NewProvider(openJournal, p.Provider.Name, configuration, recorded.HashInputs(public))}
	hash := func(text string) string {
		sum, _ := rs.journal.Hash(text)
		return sum
	}
	var err error
	rs.Runtime, err = operation.NewRuntime(ctx, p, locks, config, dir, hash)
	return rs, err
}

// Journal opens the journal.
func (rs *Resources) Journal() (*journal.Journal, error) { return rs.journal.Open() }

// resource is a resource of a program.
type resource struct {
	lookup.Instance
	all *Resources
}

// resource returns a resource of a program. log may be nil.
func (rs *Resources) resource(res *plan.Resource, ref recorded.Ref, log operation.Log) resource {
	return resource{lookup.Instance{Resource: res, Runtime: rs.Runtime, Tokens: &rs.Tokens, Ref: ref, Log: log}, rs}
}

// book returns the part of the journal that is about the resource, and about its recorded state with
// a token, "" if it has none.
func (res resource) book(token string) *journal.Resource {
	all := res.all.journal.Resource(res.Ref.Type, cmp.Or(res.Ref.Key, res.Ref.Name), res.FormerNames())
	if token == "" {
		return all
	}
	return all.OfState(token)
}

// run is one execution of an operation that changes a resource.
type run struct {
	lookup.Finder
	res resource
	// server are the inputs as the write, or the read after it, returns them. They are only
	// collected if a property has @normalised().
	server property.Map
	// resumed is true if the run continues an earlier one.
	resumed bool
	// stopped is true if the earlier run stopped after its last step: there is nothing left to send.
	stopped bool
	// remakes is true if the object itself was undone and is created again.
	remakes bool
	// looked is true if find found nothing before the first step was sent, or, before an update, the object itself. vacant
	// is true if it did not find that either.
	looked, vacant bool
	// old is the state before an update, or that of a create that is resumed.
	old recorded.State
	// misnamed is the id of something else that the response to an update names, "" if it names none. Nothing of
	// that response is recorded.
	misnamed string
	// untold is true if an update succeeded, and neither its responses nor find returned the id
	// that the resource has now.
	untold bool
	// sending is the step that is being sent, nil if that has no intent.
	sending *sending
	// entry is the journal's entry of what the create has made so far, nil if it needs none; news is true if a step
	// was done since it was written.
	entry *journal.Intent
	news  bool
	// begun are the intents that this run wrote and did not remove.
	begun []journal.Intent
	// journal is the part of the journal that is about the resource, nil until book opens it.
	journal *journal.Resource
	// unidentified are the intents of steps of an update that were done, and whose responses do not contain the id.
	unidentified []journal.Intent
	// named is another id that the response to a step of an update names, nil if there is none, or if it is settled.
	named *recorded.Named
	// hash is the hash of the inputs, "" until inputsHash makes it; that of the original ones is began, if an
	// earlier run began the create.
	hash, began string
}

// begin returns a run of an operation of the resource.
func (res resource) begin(ctx context.Context, op *plan.Operation, v plan.Verb) *run {
	r := &run{Finder: lookup.Finder{Run: res.all.New(ctx, res.Resource, op, v, res.Ref, res.Log), Instance: res.Instance}, res: res}
	r.Owner = owner{r}
	return r
}

// beginWith is begin with inputs.
func (res resource) beginWith(ctx context.Context, op *plan.Operation, v plan.Verb, inputs property.Map) *run {
	r := res.begin(ctx, op, v)
	r.SetInputs(inputs)
	r.Given = inputs
	return r
}

// book returns the part of the journal that is about the run's resource.
func (r *run) book() *journal.Resource {
	if r.journal == nil {
		r.journal = r.res.book(r.Token)
	}
	return r.journal
}

// warn logs an error of the journal after a response came. The run goes on, because the
// recorded state settles the intent later.
func (r *run) warn(err error) {
	if err != nil {
		r.Log.Message(operation.Warning, err.Error())
	}
}

// warn logs an error of the journal that changes nothing about the result.
func (res resource) warn(err error) {
	if err != nil && res.Log != nil {
		res.Log.Message(operation.Warning, screen.Show(err.Error(), nil))
	}
}

// recordHandover records in the journal that the host gets a state. The host has the state from then on,
// unless it is killed at this moment.
func (r *run) recordHandover(out Result) {
	if out.State != nil && r.Token != "" && r.res.Journals() && r.book().MayHaveIntents() {
		r.warn(r.book().Hand(r.Token, recorded.CurrentID(*out.State)))
	}
}

// isUnseen reports whether only read can tell what the run did: an earlier run stopped after its last step, or a
// step with an effect did not respond with what it returns, or succeeded without an effect.
func (r *run) isUnseen() bool {
	return r.Resource.Read != nil && (r.stopped || len(r.Misfits) > 0 || len(r.Idle) > 0)
}

package engine

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/engine/run/operation"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// MethodRequest calls a method of a resource.
type MethodRequest struct {
	recorded.Ref
	Method string
	// State is what the host has recorded. It needs no inputs: those that a
	// method may see are among the outputs.
	State recorded.State
	Args  property.Map
	// Preview asks what a call would yield.
	Preview bool
	// Pending says, in a preview, that the resource is still to be made or
	// changed before the method is called.
	Pending bool
	Log     operation.Log
}

// CallMethod calls a method of a resource. In previews one that changes something
// does not run, and neither does one whose resource or arguments are not known
// yet: what they would yield is unknown.
func (e *Engine) CallMethod(ctx context.Context, req MethodRequest) (InvokeResponse, error) {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return InvokeResponse{}, err
	}
	f, what := res.Methods[req.Method], plan.Verb("method "+req.Method)
	if f == nil {
		known, _ := e.program.Methods(req.Type) // the resource is there
		return InvokeResponse{}, fmt.Errorf("%s has no method %q. %s", req.Type, req.Method, diag.Remedy(req.Method, known))
	}
	found := value.Findings{Context: scope.BeforeSending(ctx)}
	args := checkedArguments(f, req.Args, &found)
	if found.List != nil {
		return InvokeResponse{Failures: found.List}, nil
	}
	unknown := property.New(args).HasComputed() || property.New(req.State.Outputs).HasComputed()
	switch {
	case req.Preview && (unknown || req.Pending || len(f.Operation.Effects()) > 0):
		return InvokeResponse{Return: f.Outputs.UnknownMembers()}, nil
	case unknown:
		return InvokeResponse{}, fmt.Errorf("method %s of %s: %w", req.Method, req.Type, scope.ErrNotKnown)
	case req.State.ID == "":
		return InvokeResponse{}, fmt.Errorf("method %s of %s: the resource has no id", req.Method, req.Type)
	}
	states := e.states(res, req.Ref)
	state, err := states.upgrade(ctx, withRecordedInputs(res, req.State))
	if err == nil {
		state, err = refitted(res, state)
	}
	if err == nil {
		err = states.checkLocation(state)
	}
	if err == nil {
		err = recorded.CheckCompleteFor(res, state, what, f.ReliesOn)
	}
	if err != nil {
		return InvokeResponse{}, err
	}
	r := e.functionRun(ctx, res, f, what, req.Ref, req.Log)
	r.SetState(state)
	r.TakeID(recorded.CurrentID(state))
	r.ETags = state.Private.ETags
	if err := openMethod(r, state, f, args); err != nil {
		return InvokeResponse{}, err
	}
	out, err := askFunction(f, ctx, r)
	return InvokeResponse{Return: out}, r.Mask().Error(err)
}

// withRecordedInputs is a state whose inputs are those among its outputs.
func withRecordedInputs(r *plan.Resource, s recorded.State) recorded.State {
	for _, m := range r.Inputs.Fields {
		if v, ok := s.Outputs.GetOk(m.Name); ok && s.Inputs.Get(m.Name).IsNull() {
			s.Inputs = s.Inputs.Set(m.Name, v)
		}
	}
	return s
}

// openMethod puts the arguments of a method into scope, and opens what the method may use.
func openMethod(r *operation.Run, s recorded.State, f *plan.Function, args property.Map) error {
	r.SetObject("inputs", f.Inputs, args)
	return r.AsGranted(s, r.Open)
}

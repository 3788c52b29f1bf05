package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/run/operation"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// InvokeRequest asks a function of the provider.
type InvokeRequest struct {
	Function string
	Args     property.Map
	Log      operation.Log
}

// InvokeResponse is what a function yields, or what is wrong with its arguments.
type InvokeResponse struct {
	Return   property.Map
	Failures []Failure
}

// Invoke asks a function. Functions only look, so that a preview asks them as
// well. An argument that is not known yet makes every output unknown.
func (e *Engine) Invoke(ctx context.Context, req InvokeRequest) (InvokeResponse, error) {
	f, err := e.program.Function(req.Function)
	if err != nil {
		return InvokeResponse{}, err
	}
	found := value.Findings{Context: scope.BeforeSending(ctx)}
	args := checkedArguments(f, req.Args, &found)
	if found.List != nil {
		return InvokeResponse{Failures: found.List}, nil
	}
	r := e.functionRun(ctx, nil, f, plan.Verb("function "+req.Function), recorded.Ref{}, req.Log)
	r.SetObject("inputs", f.Inputs, args)
	if property.New(args).HasComputed() {
		return InvokeResponse{Return: shownToHost(f, f.Outputs.UnknownMembers())}, nil
	}
	if err := r.Open(); err != nil {
		return InvokeResponse{}, err
	}
	out, err := askFunction(f, ctx, r)
	if err == nil && f.Ephemeral != nil {
		e.keep(f, args, out, r.Log.To)
	}
	return InvokeResponse{Return: shownToHost(f, out)}, r.Mask().Error(err)
}

// shownToHost is what a function yields as the host gets it: of an ephemeral all is
// secret.
func shownToHost(f *plan.Function, values property.Map) property.Map {
	if f.Ephemeral == nil {
		return values
	}
	for name, value := range values.AllStable {
		values = values.Set(name, value.WithSecret(true))
	}
	return values
}

// checkedArguments are the arguments with their defaults. None may be secret that the
// function puts where others can read it.
func checkedArguments(f *plan.Function, args property.Map, found *value.Findings) property.Map {
	args = f.Inputs.Complete(property.New(args), "", found).AsMap()
	refuseSecrets(f.Sinks, args, found)
	return args
}

// functionRun prepares a function, or, of a resource, what is made like one.
func (e *Engine) functionRun(ctx context.Context, res *plan.Resource, f *plan.Function, v plan.Verb, ref recorded.Ref, log operation.Log) *operation.Run {
	op := f.Operation
	if op == nil {
		op = &plan.Operation{Return: f.Return}
	}
	r := e.resources.New(ctx, res, op, v, ref, log)
	r.Naming = f.Naming
	r.SecretNames = append(slices.Clone(r.SecretNames), f.Naming.SecretNames()...)
	return r
}

// askFunction runs the function and fits what it yields onto its outputs.
func askFunction(f *plan.Function, ctx context.Context, r *operation.Run) (property.Map, error) {
	if err := r.Steps(ctx); err != nil {
		return property.Map{}, err
	}
	yield, err := r.Return(r.Operation)
	if err != nil {
		return property.Map{}, err
	}
	got, err := f.Outputs.Project(yield, r.Mask())
	if err == nil && got.Missing != nil {
		err = errors.New("it yields no " + diag.And(got.Missing))
	}
	if err != nil {
		return property.Map{}, fmt.Errorf("%s: %w", r.Verb, err)
	}
	return property.NewMap(got.Values), nil
}

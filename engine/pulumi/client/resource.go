package client

import (
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// State is the recorded state of a resource. Outputs include the provider's private
// part, under a key that begins with two underscores.
type State struct {
	ID              string
	Inputs, Outputs property.Map
}

// InitFailed is the error of an operation after which the resource exists, but is not
// complete. The caller must record State.
type InitFailed struct {
	State   State
	Reasons []string
	status  error
}

func (f *InitFailed) Error() string { return strings.Join(f.Reasons, "; ") }

// Unwrap returns the original error.
func (f *InitFailed) Unwrap() error { return f.status }

// Checked is the result of a check.
type Checked struct {
	Inputs   property.Map
	Failures []Failure
}

// Failure is one mistake in inputs.
type Failure struct{ Property, Reason string }

// Diff is the effect of a change.
type Diff struct {
	Changed             bool
	Details             []Change // by path; complete if HasDetails is true
	HasDetails          bool
	Diffs, Replaces     []string
	Stables             []string
	DeleteBeforeReplace bool
}

// Replace reports whether the change replaces the resource, according to Pulumi's
// rules.
func (d Diff) Replace() bool {
	return d.Changed && (len(d.Replaces) > 0 || slices.ContainsFunc(d.Details, func(c Change) bool {
		return strings.HasSuffix(c.Kind, "_REPLACE")
	}))
}

// Change is the change of one property. Kind is ADD, DELETE, UPDATE, or one of these
// with _REPLACE.
type Change struct {
	Path, Kind string
	Input      bool
}

// Check checks inputs. olds are the inputs that an earlier check returned.
func (c *Client) Check(ctx context.Context, r Resource, olds, news property.Map) (Checked, error) {
	sentOlds, err := encode(olds)
	if err != nil {
		return Checked{}, err
	}
	sentNews, err := encode(news)
	if err != nil {
		return Checked{}, err
	}
	res, err := c.provider.Check(ctx, &pulumirpc.CheckRequest{
		Urn: c.URN(r), Name: r.Name, Type: r.Type, Olds: sentOlds, News: sentNews,
	})
	if err != nil {
		return Checked{}, err
	}
	return checked(res)
}

// Diff returns the effect of a change of inputs.
func (c *Client) Diff(ctx context.Context, r Resource, old State, news property.Map, ignore ...string) (Diff, error) {
	inputs, outputs, err := encodeState(old)
	if err != nil {
		return Diff{}, err
	}
	sent, err := encode(news)
	if err != nil {
		return Diff{}, err
	}
	res, err := c.provider.Diff(ctx, &pulumirpc.DiffRequest{
		Id: old.ID, Urn: c.URN(r), Name: r.Name, Type: r.Type,
		OldInputs: inputs, Olds: outputs, News: sent, IgnoreChanges: ignore,
	})
	if err != nil {
		return Diff{}, err
	}
	return readDiff(res), nil
}

// Operation contains the options of an operation.
type Operation struct {
	Timeout time.Duration
	Preview bool
	Ignore  []string
}

// Create creates a resource. The error may be an *InitFailed with a state.
func (c *Client) Create(ctx context.Context, r Resource, inputs property.Map, o Operation) (State, error) {
	sent, err := encode(inputs)
	if err != nil {
		return State{}, err
	}
	res, err := c.provider.Create(ctx, &pulumirpc.CreateRequest{
		Urn: c.URN(r), Name: r.Name, Type: r.Type, Properties: sent,
		Timeout: o.Timeout.Seconds(), Preview: o.Preview,
	})
	if err != nil {
		return State{}, initFailed(err, State{Inputs: inputs})
	}
	outputs, err := wire.Decode(res.GetProperties())
	return State{ID: res.GetId(), Inputs: inputs, Outputs: outputs}, err
}

// Read reads a resource. A state with only an id imports the resource. If the result
// has no id, the resource no longer exists.
func (c *Client) Read(ctx context.Context, r Resource, old State, o Operation) (State, error) {
	inputs, outputs, err := encodeState(old)
	if err != nil {
		return State{}, err
	}
	res, err := c.provider.Read(ctx, &pulumirpc.ReadRequest{
		Id: old.ID, Urn: c.URN(r), Name: r.Name, Type: r.Type,
		Properties: outputs, Inputs: inputs, Timeout: o.Timeout.Seconds(),
	})
	if err != nil {
		return State{}, initFailed(err, State{ID: old.ID, Inputs: old.Inputs})
	}
	return readState(res)
}

// Lookup reads a resource by what a user types to import it, as the `get` of a program does. In
// contrast to an import, the resource does not become part of the stack.
func (c *Client) Lookup(ctx context.Context, r Resource, id string) (State, error) {
	nothing := &structpb.Struct{}
	res, err := c.provider.Read(ctx, &pulumirpc.ReadRequest{
		Id: id, Urn: c.URN(r), Name: r.Name, Type: r.Type, Properties: nothing, Inputs: nothing,
	})
	if err != nil {
		return State{}, err
	}
	return readState(res)
}

// readState returns the state of a response to a read.
func readState(res *pulumirpc.ReadResponse) (now State, err error) {
	now = State{ID: res.GetId()}
	if now.Inputs, err = wire.Decode(res.GetInputs()); err != nil {
		return State{}, err
	}
	now.Outputs, err = wire.Decode(res.GetProperties())
	return now, err
}

// Update updates a resource. After an *InitFailed, the resource has the old inputs
// and new outputs.
func (c *Client) Update(ctx context.Context, r Resource, old State, news property.Map, o Operation) (State, error) {
	inputs, outputs, err := encodeState(old)
	if err != nil {
		return State{}, err
	}
	sent, err := encode(news)
	if err != nil {
		return State{}, err
	}
	res, err := c.provider.Update(ctx, &pulumirpc.UpdateRequest{
		Id: old.ID, Urn: c.URN(r), Name: r.Name, Type: r.Type, Olds: outputs, OldInputs: inputs, News: sent,
		Timeout: o.Timeout.Seconds(), Preview: o.Preview, IgnoreChanges: o.Ignore,
	})
	if err != nil {
		return State{}, initFailed(err, State{ID: old.ID, Inputs: old.Inputs})
	}
	now := State{ID: old.ID, Inputs: news}
	now.Outputs, err = wire.Decode(res.GetProperties())
	return now, err
}

// Delete deletes a resource.
func (c *Client) Delete(ctx context.Context, r Resource, old State, o Operation) error {
	inputs, outputs, err := encodeState(old)
	if err != nil {
		return err
	}
	_, err = c.provider.Delete(ctx, &pulumirpc.DeleteRequest{
		Id: old.ID, Urn: c.URN(r), Name: r.Name, Type: r.Type,
		Properties: outputs, OldInputs: inputs, Timeout: o.Timeout.Seconds(),
	})
	return err
}

// Call contains the arguments of a method call.
type Call struct {
	Method  string
	Args    property.Map
	Preview bool
	// Monitor is the endpoint of the monitor from which the provider gets the resource's
	// state.
	Monitor string
}

// Called is the result of a method.
type Called struct {
	Return   property.Map
	Failures []Failure
	// On are the URNs on which the values depend, by name.
	On map[string][]string
}

// Call calls a method of a resource.
func (c *Client) Call(ctx context.Context, r Resource, call Call) (Called, error) {
	args, err := encode(call.Args.Set("__self__", property.New(property.ResourceReference{URN: urn.URN(c.URN(r))})))
	if err != nil {
		return Called{}, err
	}
	res, err := c.provider.Call(ctx, &pulumirpc.CallRequest{
		Tok: r.Type + "/" + call.Method, Args: args, DryRun: call.Preview,
		MonitorEndpoint: call.Monitor, AcceptsOutputValues: true,
	})
	if err != nil {
		return Called{}, err
	}
	out := Called{On: map[string][]string{}}
	for _, f := range res.GetFailures() {
		out.Failures = append(out.Failures, Failure{Property: f.GetProperty(), Reason: f.GetReason()})
	}
	for name, on := range res.GetReturnDependencies() {
		out.On[name] = on.GetUrns()
	}
	out.Return, err = wire.Decode(res.GetReturn())
	return out, err
}

// Listing is a page of existing resources.
type Listing struct {
	Results []Listed
	// Next is the token of the next page, or "" at the end.
	Next string
	// Unknown is true if the query contains unknown values.
	Unknown bool
}

// Listed is one existing resource.
type Listed struct{ ID, Name string }

// List lists the resources of a type: at most limit (0: all), in pages of size (0:
// one page), beginning at next of the previous page.
func (c *Client) List(ctx context.Context, token string, query property.Map, limit, size int, next string) (Listing, error) {
	sent, err := encode(query)
	if err != nil {
		return Listing{}, err
	}
	stream, err := c.provider.List(ctx, &pulumirpc.ListRequest{
		Token: token, Query: sent, Limit: int64(limit), PageSize: int64(size), ContinuationToken: next,
	})
	if err != nil {
		return Listing{}, err
	}
	var l Listing
	for {
		res, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return l, nil
		case err != nil:
			return l, err
		case res.GetComputed() != nil:
			l.Unknown = true
		case res.GetContinuation() != nil:
			l.Next = res.GetContinuation().GetContinuationToken()
		default:
			l.Results = append(l.Results, Listed{ID: res.GetResult().GetId(), Name: res.GetResult().GetName()})
		}
	}
}

// encodeState encodes the inputs and the outputs of a state. Both are nil if the state only has an id.
func encodeState(s State) (inputs, outputs *structpb.Struct, err error) {
	if s.Inputs.Len() == 0 && s.Outputs.Len() == 0 {
		return nil, nil, nil
	}
	if inputs, err = encode(s.Inputs); err != nil {
		return nil, nil, err
	}
	outputs, err = encode(s.Outputs)
	return inputs, outputs, err
}

func checked(res *pulumirpc.CheckResponse) (Checked, error) {
	var out Checked
	for _, f := range res.GetFailures() {
		out.Failures = append(out.Failures, Failure{Property: f.GetProperty(), Reason: f.GetReason()})
	}
	var err error
	out.Inputs, err = wire.Decode(res.GetInputs())
	return out, err
}

func readDiff(res *pulumirpc.DiffResponse) Diff {
	d := Diff{
		Changed:             res.GetChanges() == pulumirpc.DiffResponse_DIFF_SOME,
		HasDetails:          res.GetHasDetailedDiff(),
		Diffs:               res.GetDiffs(),
		Replaces:            res.GetReplaces(),
		Stables:             res.GetStables(),
		DeleteBeforeReplace: res.GetDeleteBeforeReplace(),
	}
	for path, c := range res.GetDetailedDiff() {
		d.Details = append(d.Details, Change{Path: path, Kind: c.GetKind().String(), Input: c.GetInputDiff()})
	}
	sort.Slice(d.Details, func(i, j int) bool { return d.Details[i].Path < d.Details[j].Path })
	return d
}

// initFailed returns the error as an *InitFailed if it contains a state. from is the
// previous state.
func initFailed(err error, from State) error {
	for _, detail := range status.Convert(err).Details() {
		d, ok := detail.(*pulumirpc.ErrorResourceInitFailed)
		if !ok {
			continue
		}
		failed := &InitFailed{State: from, Reasons: d.GetReasons(), status: err}
		failed.State.ID = d.GetId()
		var malformed error
		if failed.State.Outputs, malformed = wire.Decode(d.GetProperties()); malformed != nil {
			return errors.Join(err, malformed)
		}
		if d.GetInputs() != nil {
			if failed.State.Inputs, malformed = wire.Decode(d.GetInputs()); malformed != nil {
				return errors.Join(err, malformed)
			}
		}
		return failed
	}
	return err
}

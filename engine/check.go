package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// Check validates a resource's inputs and adds their defaults; nothing else of
// them changes. What is unknown passes, and what is secret stays secret. An
// error is for an unknown type; the user's faults are failures.
func (e *Engine) Check(ctx context.Context, req CheckRequest) (CheckResponse, error) {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return CheckResponse{}, err
	}
	f := value.Findings{Context: scope.BeforeSending(ctx)}
	inputs := e.autonames(res, req, &f)
	inputs = res.Inputs.Complete(property.New(inputs), "", &f).AsMap()
	if f.List == nil {
		inputs = e.derive(res.Inputs, res.Defaults, req.Ref, inputs, &f)
	}
	refuseSecrets(res.Sinks, inputs, &f)
	if f.List == nil {
		e.assert(res, req.Ref, inputs, &f)
	}
	if f.List == nil {
		e.readsBack(res, inputs, &f)
	}
	if f.List == nil && !req.HasOld { // else create may not run at all
		e.refuseUngranted(res, req.Ref, inputs, &f)
	}
	return CheckResponse{Inputs: inputs, Failures: f.List}, nil
}

// derive fills in the @default templates of inputs that are absent.
func (e *Engine) derive(c *value.Type, defaults []*plan.Derived, ref recorded.Ref, inputs property.Map, f *value.Findings) property.Map {
	for _, d := range defaults {
		if v, given := inputs.GetOk(d.Property); given && !v.IsNull() {
			continue
		}
		r := e.resources.New(f.Context, nil, nil, plan.Create, ref, nil)
		r.SetObject("inputs", c, inputs)
		r.Vars.Secrets = r.Secrets.Paths
		out, err := d.Value.Eval(r.Vars)
		if err != nil {
			f.Add(d.Property, "has no default here: %v", r.Mask().Error(err))
			continue
		}
		m := c.ByName[d.Property]
		value, err := m.Check.FromPlain(out, d.Property, r.Mask())
		switch {
		case err != nil:
			f.Add(d.Property, "its default does not fit: %v", err)
		case value.IsNull():
		default:
			value = m.Check.Complete(value, d.Property, f)
			inputs = inputs.Set(d.Property, value.WithSecret(value.Secret() || m.IsSecret()))
		}
	}
	return inputs
}

// refuseSecrets reports secrets that the user put where others could read them.
func refuseSecrets(sinks []plan.Sink, inputs property.Map, f *value.Findings) {
	reported := map[string]bool{}
	for _, s := range sinks {
		refuseSecret(property.New(inputs), s.Path, "", func(at string) {
			if !reported[at] {
				reported[at] = true
				f.Add(at, "may not be secret: it becomes %s, which others can read", s.What)
			}
		})
	}
}

// refuseSecret visits what a path leads to, and tells where that is secret or holds a
// secret. A step that is no index stands for every item of a list, * for all.
func refuseSecret(v property.Value, path []string, at string, tell func(at string)) {
	switch {
	case len(path) == 0 || v.Secret():
		if v.HasSecrets() {
			tell(at)
		}
	case v.IsMap() && path[0] != "*":
		refuseSecret(v.AsMap().Get(path[0]), path[1:], value.Join(at, path[0]), tell)
	case v.IsMap():
		for name, item := range v.AsMap().AllStable {
			refuseSecret(item, path[1:], value.Join(at, name), tell)
		}
	case v.IsArray():
		for i, item := range v.AsArray().All {
			if index := strconv.Itoa(i); path[0] == index || !isIndex(path[0]) {
				refuseSecret(item, path[1:], at+"["+index+"]", tell)
			}
		}
	}
}

func isIndex(step string) bool {
	_, err := strconv.Atoi(step)
	return err == nil
}

// assert evaluates the rules over several inputs; one that depends on an
// unknown waits.
func (e *Engine) assert(res *plan.Resource, ref recorded.Ref, inputs property.Map, f *value.Findings) {
	if len(res.Checks) == 0 {
		return
	}
	r := e.resources.New(f.Context, res, nil, plan.Create, ref, nil)
	r.SetInputs(inputs)
	for _, c := range res.Checks {
		holds, err := r.Eval(c.Assert)
		if err != nil {
			f.Add(c.Property, "cannot be checked: %v", r.Mask().Error(err))
			continue
		}
		if holds == true || expr.HasUnknown(holds) {
			continue
		}
		message, err := r.Text(c.Message)
		if err != nil || message == "" {
			message = fmt.Sprintf("breaks a rule of %s", res.Spec.Name)
		}
		f.Add(c.Property, "%s", r.Mask().Text(message))
	}
}

// refuseUngranted reports the inputs that make create ask for what is not granted.
// What depends on the answers of its steps waits for the preview.
func (e *Engine) refuseUngranted(res *plan.Resource, ref recorded.Ref, inputs property.Map, f *value.Findings) {
	if !slices.ContainsFunc(res.Asking, func(s *plan.Step) bool { return !e.resources.Permits.GrantedAsTheyAre(s, inputs) }) {
		return
	}
	r := e.resources.New(f.Context, res, res.Create, plan.Create, ref, nil)
	r.SetInputs(inputs)
	for _, name := range plan.NamesOfResponses {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if r.Open() != nil {
		return // it depends on the grants, and the operation reports it
	}
	for _, s := range res.Asking {
		for _, u := range r.Refusals(s) {
			told := slices.ContainsFunc(f.List, func(other Failure) bool { return other.Path == u.Property })
			if u.Property != "" && !told {
				f.Add(u.Property, "%s", u.Reason)
			}
		}
	}
}

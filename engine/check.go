package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run"
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
	c := inputCheck{resources: e.resources, ref: req.Ref, found: &f}
	inputs := withAutonames(res, req, &f)
	inputs = res.Inputs.Complete(property.New(inputs), "", &f).AsMap()
	if f.List == nil {
		inputs = c.derive(res.Inputs, res.Defaults, inputs)
	}
	refuseSecrets(res.Sinks, inputs, &f)
	if f.List == nil {
		c.assert(res, inputs)
	}
	if f.List == nil {
		refuseAmbiguousID(res, e.resources.Config, inputs, &f)
	}
	if f.List == nil && !req.HasOld { // else create may not run at all
		c.refuseUngranted(res, inputs)
	}
	return CheckResponse{Inputs: inputs, Failures: f.List}, nil
}

// inputCheck is a check of the inputs of one resource or component.
type inputCheck struct {
	resources *run.Resources
	ref       recorded.Ref
	found     *value.Findings
}

// derive fills in the @default templates of inputs that are absent.
func (c inputCheck) derive(declared *value.Type, defaults []*plan.Derived, inputs property.Map) property.Map {
	for _, d := range defaults {
		if v, given := inputs.GetOk(d.Property); given && !v.IsNull() {
			continue
		}
		r := c.resources.New(c.found.Context, nil, nil, plan.Create, c.ref, nil)
		r.SetObject("inputs", declared, inputs)
		r.Vars.Secrets = r.Secrets.Paths
		out, err := d.Value.Eval(r.Vars)
		if err != nil {
			c.found.Add(d.Property, "has no default here: %v", r.Mask().Error(err))
			continue
		}
		m := declared.ByName[d.Property]
		value, err := m.Check.FromPlain(out, d.Property, r.Mask())
		switch {
		case err != nil:
			c.found.Add(d.Property, "its default does not fit: %v", err)
		case value.IsNull():
		default:
			value = m.Check.Complete(value, d.Property, c.found)
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
func (c inputCheck) assert(res *plan.Resource, inputs property.Map) {
	if len(res.Checks) == 0 {
		return
	}
	r := c.resources.New(c.found.Context, res, nil, plan.Create, c.ref, nil)
	r.SetInputs(inputs)
	for _, rule := range res.Checks {
		holds, err := r.Eval(rule.Assert)
		if err != nil {
			c.found.Add(rule.Property, "cannot be checked: %v", r.Mask().Error(err))
			continue
		}
		if holds == true || expr.HasUnknown(holds) {
			continue
		}
		message, err := r.Text(rule.Message)
		if err != nil || message == "" {
			message = fmt.Sprintf("breaks a rule of %s", res.Spec.Name)
		}
		c.found.Add(rule.Property, "%s", r.Mask().Text(message))
	}
}

// refuseUngranted reports the inputs with which create would need more than the permissions grant.
// What depends on the responses to its steps is checked in the preview.
func (c inputCheck) refuseUngranted(res *plan.Resource, inputs property.Map) {
	if !slices.ContainsFunc(res.Asking, func(s *plan.Step) bool { return !c.resources.Permits.GrantedAsTheyAre(s, inputs) }) {
		return
	}
	r := c.resources.New(c.found.Context, res, res.Create, plan.Create, c.ref, nil)
	r.SetInputs(inputs)
	for _, name := range plan.NamesOfResponses {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if r.Open() != nil {
		return // it depends on the grants, and the operation reports it
	}
	for _, s := range res.Asking {
		for _, u := range r.Refusals(s) {
			told := slices.ContainsFunc(c.found.List, func(other Failure) bool { return other.Path == u.Property })
			if u.Property != "" && !told {
				c.found.Add(u.Property, "%s", u.Reason)
			}
		}
	}
}

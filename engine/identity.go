package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// toRead is the state that a read starts with.
func (e *Engine) toRead(ctx context.Context, res *plan.Resource, req ReadRequest) (State, error) {
	switch req.Reason {
	case Import:
		if err := value.RecordableID(req.State.ID, "the id"); err != nil {
			return State{}, err
		}
		state, err := e.imported(ctx, res, req.Ref, req.State.ID)
		state.Private = Private{SchemaVersion: res.Spec.SchemaVersion, Token: e.tokens.next()}
		return state, err
	case Lookup:
		req.State.Private = Private{SchemaVersion: res.Spec.SchemaVersion, Lookup: true}
		state, err := e.lookedUp(ctx, res, req.Ref, req.State)
		if err != nil {
			return state, err
		}
		return refitted(res, state)
	default:
		state, err := e.recorded(ctx, res, req.Ref, req.State)
		if err == nil && state.Private.Lookup {
			return e.lookedUp(ctx, res, req.Ref, state)
		}
		return state, err
	}
}

// imported is the state that an id alone gives, as a user types it.
func (e *Engine) imported(ctx context.Context, res *plan.Resource, ref Ref, text string) (State, error) {
	if !res.Identity.Imports.Given() {
		return State{ID: text}, nil
	}
	inputs, id, err := res.Identity.Imports.Read(res, e.plainConfig, text)
	if err != nil {
		return State{}, err
	}
	if id != "" && res.Identity.ID.Given() {
		more, _, err := res.Identity.ID.Read(res, e.plainConfig, id)
		if err != nil {
			return State{}, err
		}
		for name, v := range more.AllStable {
			if before, given := inputs.GetOk(name); given && !value.PlainEqual(before, v) {
				return State{}, fmt.Errorf("%q says two things of %s: the form is %q, where the id is %q", text, name, res.Identity.Imports.Text, res.Identity.ID.Text)
			}
			inputs = inputs.Set(name, v)
		}
	}
	state := State{ID: id, Inputs: inputs}
	if id == "" && res.Identity.Known {
		r := e.newRun(ctx, res, nil, plan.Read, ref, nil)
		r.inputs(inputs)
		if state.ID, err = r.evalID(); err != nil {
			return State{}, r.Mask().Error(err)
		}
	}
	return state, nil
}

// lookedUp is the state that a program's `.get` gives: an id, in the form of an
// import or as it is, and what the user says of the resource. The text is the id
// where it is not of the form, or contradicts what the user says.
func (e *Engine) lookedUp(ctx context.Context, res *plan.Resource, ref Ref, s State) (State, error) {
	said := s.Inputs
	for _, m := range res.Inputs.Fields {
		if v, given := s.Outputs.GetOk(m.Name); given {
			if _, both := said.GetOk(m.Name); !both {
				said = said.Set(m.Name, v)
			}
		}
	}
	s.Inputs = said
	state, err := e.imported(ctx, res, ref, s.ID)
	if err != nil && said.Len() == 0 {
		return s, err
	}
	if err != nil {
		return s, nil
	}
	for name, v := range state.Inputs.AllStable {
		if other, given := said.GetOk(name); given && !value.PlainEqual(other, v) {
			return s, nil
		}
		said = said.Set(name, v)
	}
	s.ID, s.Inputs = state.ID, said
	return s, nil
}

// readsBack reports inputs that could not be told from the id that they make:
// the resource could not be imported, and another one might have its id.
func (e *Engine) readsBack(res *plan.Resource, inputs property.Map, f *value.Findings) {
	p := res.Identity.ID
	if !p.Given() {
		return
	}
	pieces, err := p.Settled(e.plainConfig)
	if err != nil {
		f.Add("", "has no id: %v", err)
		return
	}
	id, texts := "", make([]string, len(pieces))
	for i, s := range pieces {
		if s.Literal {
			id += s.Text
			continue
		}
		v := inputs.Get(s.Ref[1])
		if v.IsComputed() || v.IsNull() || v.Secret() {
			return // it waits, or others say what is wrong
		}
		text, err := value.Text(res.Inputs.ByName[s.Ref[1]].Check.Plain(v, nil, &value.Secrets{}))
		if err != nil || text == "" {
			f.Add(s.Ref[1], "must not be empty: it is a part of the id, %q", p.Text)
			return
		}
		if err := value.RecordableID(text, "the id"); err != nil {
			f.Add(s.Ref[1], "is a part of the id, %q, and so of what Pulumi shows: %v", p.Text, err)
			return
		}
		texts[i] = text
		id += text
	}
	if len(pieces) == 1 {
		return // the whole id is that input
	}
	back, _ := plan.Split(pieces, id)
	for i, s := range pieces {
		if s.Literal || back[s.Ref[1]] == texts[i] {
			continue
		}
		ends := ""
		if i+1 < len(pieces) {
			ends = fmt.Sprintf(", where %q follows", pieces[i+1].Text)
		}
		f.Add(s.Ref[1], "cannot be %s: it is a part of the id, %q%s, and could not be told from it again; use a value without that", value.Quote(texts[i]), p.Text, ends)
		return
	}
}

// seenID is the id that a read's answer gives a resource with the inputs that it
// saw; "" where it gives none.
func (e *Engine) seenID(r *run, inputs property.Map) string {
	if !r.res.Identity.Follows {
		return ""
	}
	of := r.res.Identity
	if of.Answered && r.op.Return == nil && len(of.OfInputs) == 0 || !of.Answered && r.stand(of.OfInputs, inputs) {
		return r.plainID() // of what is in scope already
	}
	before := r.Vars
	defer func() { r.Vars = before }()
	var found []string
	answers := []any{nil}
	if of.Answered {
		answers = r.answers()
	}
	for _, answer := range answers {
		vars := *before
		vars.Values = maps.Clone(before.Values)
		r.Vars = &vars
		r.inputs(inputs)
		if s := plan.Last(r.op.Steps); s != nil && answer != nil {
			r.SetResult(s, answer)
		}
		if id := r.plainID(); id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if len(found) == 2 && r.id != "" {
		return "" // the answer and what read makes of it say two things
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// stand reports whether those inputs are as they were recorded.
func (r *run) stand(names []string, inputs property.Map) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v, given := inputs.GetOk(name)
		return !given || v.IsNull() || !v.Equals(r.before.Get(name))
	})
}

// answers are what stands for the answer of a create's step after a read: the
// read's own, and what it yields as the body of such.
func (r *run) answers() []any {
	raw := r.Vars.Values["result"]
	s := plan.Last(r.op.Steps)
	yield, err := r.PlainReturn(r.op)
	if s == nil || err != nil || yield == nil || s.ForEach != nil {
		return []any{raw}
	}
	return []any{raw, answering(s, raw, yield)}
}

// plainID evaluates the id: "" where it cannot be told, or holds a secret.
func (r *run) plainID() string {
	r.Vars.Secrets = r.Secrets.Paths
	out, err := r.res.ID.Eval(r.Vars)
	if err != nil || out == nil || expr.HasUnknown(out) {
		return ""
	}
	secret := false
	out = expr.Reveal(out, func(any) { secret = true })
	text, err := value.Text(out)
	if err != nil || secret || value.RecordableID(text, "") != nil || r.Mask().Holds(text) {
		return ""
	}
	return text
}

// identified is the state that a read found, with its id: the one that the read
// gives, else the one that it had.
func (e *Engine) identified(r *run, old State, found State) (State, error) {
	found.ID = e.seenID(r, found.Inputs)
	if found.ID == "" {
		found.ID = currentID(old)
	}
	found.Private.ID = ""
	if found.ID == "" {
		return found, errors.New("its id cannot be told: neither the text that it is imported by nor what read gives has it")
	}
	return found, nil
}

// mentionAnotherID warns of a refresh that found another id where its read does not ask
// for the one that was recorded: what is there may be another object, in the place of the
// one that was.
func (r *run) mentionAnotherID(old, now string) {
	if old == now || old == "" {
		return
	}
	if r.op.AsksByID() {
		return
	}
	r.log.Message(Warning, fmt.Sprintf("its id was %q and is %q now. Read asks neither for the id nor for what was recorded, so this may be another object, in the place of yours; "+
		"if somebody else owns it, run `pulumi state delete '%s'` before you update or destroy it", old, now, r.ref.Key))
}

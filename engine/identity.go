package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// toRead is the state that a read starts with.
func (l stateLoader) toRead(ctx context.Context, req run.ReadRequest) (recorded.State, error) {
	switch req.Reason {
	case run.Import:
		if err := value.CheckID(req.State.ID, "the id"); err != nil {
			return recorded.State{}, err
		}
		state, err := l.imported(ctx, req.State.ID)
		state.Private = recorded.Private{SchemaVersion: l.res.Spec.SchemaVersion, Token: l.resources.Tokens.Next()}
		return state, err
	case run.Lookup:
		req.State.Private = recorded.Private{SchemaVersion: l.res.Spec.SchemaVersion, Lookup: true}
		state, err := l.lookedUp(ctx, req.State)
		if err != nil {
			return state, err
		}
		return refitted(l.res, state)
	default:
		state, err := l.recorded(ctx, req.State)
		if err == nil && state.Private.Lookup {
			return l.lookedUp(ctx, state)
		}
		return state, err
	}
}

// imported is the state that an id alone gives, as a user types it.
func (l stateLoader) imported(ctx context.Context, text string) (recorded.State, error) {
	if !l.res.Identity.Imports.IsSet() {
		return recorded.State{ID: text}, nil
	}
	inputs, id, err := l.res.Identity.Imports.Read(l.res, l.resources.Config, text)
	if err != nil {
		return recorded.State{}, err
	}
	if id != "" && l.res.Identity.ID.IsSet() {
		more, _, err := l.res.Identity.ID.Read(l.res, l.resources.Config, id)
		if err != nil {
			return recorded.State{}, err
		}
		for name, v := range more.AllStable {
			if before, given := inputs.GetOk(name); given && !value.PlainEqual(before, v) {
				return recorded.State{}, fmt.Errorf("%q says two things of %s: the form is %q, where the id is %q", text, name, l.res.Identity.Imports.Text, l.res.Identity.ID.Text)
			}
			inputs = inputs.Set(name, v)
		}
	}
	state := recorded.State{ID: id, Inputs: inputs}
	if id == "" && l.res.Identity.Known {
		r := l.resources.New(ctx, l.res, nil, plan.Read, l.ref, nil)
		r.SetInputs(inputs)
		if state.ID, err = r.EvalID(); err != nil {
			return recorded.State{}, r.Mask().Error(err)
		}
	}
	return state, nil
}

// lookedUp is the state that a program's `.get` gives: an id, in the form of an
// import or as it is, and what the user says of the resource. The text is the id
// where it is not of the form, or contradicts what the user says.
func (l stateLoader) lookedUp(ctx context.Context, s recorded.State) (recorded.State, error) {
	said := s.Inputs
	for _, m := range l.res.Inputs.Fields {
		if v, given := s.Outputs.GetOk(m.Name); given {
			if _, both := said.GetOk(m.Name); !both {
				said = said.Set(m.Name, v)
			}
		}
	}
	s.Inputs = said
	state, err := l.imported(ctx, s.ID)
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

// ImportID returns the text by which a user imports an object of a resource with an id, which may
// be "" if it is not known, and inputs. ok is false if these do not determine the text, or if the
// resource cannot be imported.
func (p *Program) ImportID(name, id string, inputs, config property.Map) (text string, ok bool) {
	res, err := p.Resource(name)
	if err != nil || res.Read == nil {
		return "", false
	}
	template := res.Identity.Imports
	if !template.IsSet() {
		if id == "" {
			id = constantID(res)
		}
		return id, id != ""
	}
	return template.Write(res, p.ConfigType.PlainMap(config, nil, &value.Secrets{}), id, inputs)
}

// constantID returns the id of a resource that refers to nothing, such as the settings of a server, or "".
func constantID(res *plan.Resource) (id string) {
	for _, s := range res.ID.Segments() {
		if !s.Literal {
			return ""
		}
		id += s.Text
	}
	return id
}

// MayRunTwice returns the name of the first step that a lost response to the create of a resource may
// run twice, because nothing can tell what it has made, or "" if there is none.
func (p *Program) MayRunTwice(name string) string {
	r, err := p.Resource(name)
	if err != nil || r.Create == nil {
		return ""
	}
	if i := slices.IndexFunc(r.Create.Steps, r.MayRunTwice); i >= 0 {
		return r.Create.Steps[i].Name
	}
	return ""
}

// RefusesExisting reports whether the create of a resource fails if its object exists already,
// because it is conditional or looks for the object first.
func (p *Program) RefusesExisting(name string) bool {
	res, err := p.Resource(name)
	if err != nil || res.Create == nil {
		return false
	}
	return res.FindFirst || slices.ContainsFunc(res.Create.Steps, func(s *plan.Step) bool { return s.Certainty == actions.Conditional })
}

// refuseAmbiguousID reports inputs that could not be told from the id that they make:
// the resource could not be imported, and another one might have its id.
func refuseAmbiguousID(res *plan.Resource, config map[string]any, inputs property.Map, f *value.Findings) {
	p := res.Identity.ID
	if !p.IsSet() {
		return
	}
	pieces, err := p.WithSettings(config)
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
		if err := value.CheckID(text, "the id"); err != nil {
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

// WithPlaceholders returns the state of a resource with a placeholder for each required file that the
// import has not shown, and no program has given since: without them, `pulumi import` prints no code.
// Check refuses those that come back; for recorded ones, see value.WithoutPlaceholders.
func (e *Engine) WithPlaceholders(typ string, s State) State {
	unshown := strings.Fields(s.Private.Unshown)
	res, err := e.program.Resource(typ)
	if err != nil || len(unshown) == 0 {
		return s
	}
	for name, v := range value.Placeholders(res.Inputs, s.Inputs) {
		if slices.Contains(unshown, name) {
			s.Inputs = s.Inputs.Set(name, v)
		}
	}
	return s
}

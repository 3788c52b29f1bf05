package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Read looks how a resource is in the world. Without recorded inputs and outputs
// it imports: the id gives what it can. Gone says that there is nothing.
func (e *Engine) Read(ctx context.Context, req ReadRequest) Result {
	res, err := e.program.resource(req.Type)
	if err != nil {
		return Result{Err: err}
	}
	state, err := e.recorded(res, req.Ref, written(res, req.State))
	if err != nil {
		return Result{Err: err}
	}
	importing := state.Inputs.Len() == 0 && state.Outputs.Len() == 0
	if res.read == nil {
		if importing {
			return Result{Err: fmt.Errorf("%s cannot be imported: its spec has no read", req.Type)}
		}
		return Result{State: &state} // what is recorded is all there is to know
	}
	if importing {
		if state, err = res.imported(state.ID); err != nil {
			return Result{Err: err}
		}
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if err := e.relocate(ctx, res, req.Ref, &state, req.Log); err != nil {
		return Result{Err: err}
	}
	r := e.newRun(res, res.read, read, req.Ref, req.Log)
	r.recall(state)
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	yield, err := r.look(ctx)
	if errors.Is(err, errGone) {
		return Result{Gone: true}
	}
	if err != nil {
		return Result{Err: r.mask().error(err)}
	}
	return e.seen(r, req.Ref, state, yield, importing)
}

// written is a state as the version of the spec that wrote it is known: what the
// user of a `.get` writes has outputs alone, and the shape of now.
func written(res *resource, s State) State {
	if s.Inputs.Len() == 0 && len(res.inputs.fields) > 0 && s.Private == (Private{}) {
		s.Private.SchemaVersion = res.spec.SchemaVersion
	}
	return s
}

// currentID is the id that the world knows a resource by.
func currentID(s State) string {
	if s.Private.ID != "" {
		return s.Private.ID
	}
	return s.ID
}

// seen is the state that a read found.
func (e *Engine) seen(r *run, ref Ref, old State, yield any, importing bool) Result {
	m := r.mask()
	outputs, err := r.res.outputs.project(yield, m)
	if err == nil && len(outputs.missing) > 0 {
		err = fmt.Errorf("read yields no %s", enumerateAnd(outputs.missing))
	}
	if err != nil {
		return Result{Err: m.error(fmt.Errorf("read of %s: %w", r.res.spec.Name, err))}
	}
	inputs, err := e.seenInputs(r, ref, old, yield, importing)
	if err != nil {
		return Result{Err: m.error(fmt.Errorf("read of %s: %w", r.res.spec.Name, err))}
	}
	for name, value := range outputs.values {
		if recorded := old.Outputs.Get(name); recorded.Secret() {
			outputs.values[name] = value.WithSecret(true)
		}
	}
	private := old.Private
	private.ETag = r.etag
	private.SchemaVersion = r.res.spec.SchemaVersion // an import has none yet
	return Result{State: &State{
		ID: old.ID, Inputs: inputs, Outputs: withInputs(inputs, outputs.values), Private: private,
	}}
}

// seenInputs are the recorded inputs, brought to what the world has. What it
// does not give back stands, and so does what means the same.
func (e *Engine) seenInputs(r *run, ref Ref, old State, yield any, importing bool) (property.Map, error) {
	inputs := old.Inputs
	found, err := r.res.inputs.project(yield, r.mask())
	if err != nil {
		return inputs, err
	}
	for _, m := range r.res.inputs.fields {
		recorded, given := old.Inputs.GetOk(m.Name)
		value, there := found.values[m.Name]
		// The server may choose what is an input and an output: the input is
		// the program's only where the program set it.
		chosen := !importing && !given && r.res.outputs.byName[m.Name] != nil
		switch {
		case m.NoRead || m.Ephemeral || chosen:
			if importing && !given && m.Default != nil {
				inputs = inputs.Set(m.Name, m.fallback)
			}
		case !there && m.Required:
			// The world does not say, and it cannot be unset.
		case !there && m.Default != nil:
			inputs = inputs.Set(m.Name, m.fallback)
		case !there:
			inputs = inputs.Delete(m.Name)
		case given && (plainEqual(recorded, value) || e.same(r.res, ref, m, recorded, value)):
		default:
			inputs = inputs.Set(m.Name, value.WithSecret(value.Secret() || recorded.HasSecrets()))
		}
	}
	return inputs, nil
}

// same reports whether two values mean the same, by all rules of a diff.
func (e *Engine) same(res *resource, ref Ref, m *member, old, new property.Value) bool {
	d := &differ{equal: func(m *member, old, new property.Value) bool { return e.equal(res, ref, m, old, new) }}
	d.value(m.check, m, old, new, m.Name, false)
	return len(d.changes) == 0
}

// imported is the state that an id alone gives: the import template read
// backwards. A variable reaches to the next literal, the last takes the rest.
func (r *resource) imported(text string) (State, error) {
	if r.importID == nil {
		return State{ID: text}, nil
	}
	state, rest := State{}, text
	for i := 0; i < len(r.importID); i++ {
		s := r.importID[i]
		if s.Literal {
			if !strings.HasPrefix(rest, s.Text) {
				return State{}, r.importMistake(text)
			}
			rest = rest[len(s.Text):]
			continue
		}
		value := rest
		if i+1 < len(r.importID) {
			end := strings.Index(rest, r.importID[i+1].Text)
			if end < 0 {
				return State{}, r.importMistake(text)
			}
			value = rest[:end]
		}
		rest = rest[len(value):]
		if value == "" {
			return State{}, r.importMistake(text)
		}
		if s.Ref[0] == "id" {
			state.ID = value
			continue
		}
		v, ok := fromText(value, r.inputs.byName[s.Ref[1]].check.t)
		if !ok {
			return State{}, r.importMistake(text)
		}
		state.Inputs = state.Inputs.Set(s.Ref[1], v)
	}
	if rest != "" {
		return State{}, r.importMistake(text)
	}
	if state.ID == "" {
		state.ID = text
	}
	return state, nil
}

func (r *resource) importMistake(text string) error {
	return fmt.Errorf("%q is no id that %s can be imported by: the form is %q", text, r.spec.Name, r.spec.Import.Text)
}

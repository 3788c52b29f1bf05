package recorded

import (
	"encoding/json"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// Written are the values of the properties with @normalised() at the last write: what the program
// wrote, and what the server has made of it. As long as both are the same, the property has not
// changed.
type Written struct {
	// Names are the properties, in the order of the spec.
	Names []string `json:"names"`
	// Program and Server have the values, encoded by value.EncodeRecordable. A property that a
	// side does not have is absent there.
	Program json.RawMessage `json:"program,omitempty"`
	Server  json.RawMessage `json:"server,omitempty"`
	// Secret is true if a value is secret, so that hosts encrypt them.
	Secret bool `json:"secret,omitempty"`
}

// NewWritten returns what the program has written and what the server has made of it. It returns
// nil if the resource has no property with @normalised().
func NewWritten(res *plan.Resource, program, server property.Map) *Written {
	var w Written
	for _, m := range res.Inputs.Fields {
		if m.Normalised {
			w.Names = append(w.Names, m.Name)
		}
	}
	if w.Names == nil {
		return nil
	}
	w.Program, w.Server = w.encode(program), w.encode(server)
	return &w
}

// Rewrite returns a state with other inputs after an update that changes only what is recorded, such as a secret
// mark, or the first value of an input that an import did not show.
func Rewrite(res *plan.Resource, s State, inputs property.Map) *State {
	names, _, server := s.Private.Written.Decode(res)
	if names == nil {
		server = s.Inputs // as the import has shown them
	}
	private := s.Private
	private.Written = NewWritten(res, inputs, server)
	return &State{ID: s.ID, Inputs: inputs, Outputs: WithInputs(inputs, DeclaredOutputs(res, s)), Private: private}
}

// encode encodes the properties with @normalised().
func (w *Written) encode(values property.Map) json.RawMessage {
	var kept property.Map
	for _, name := range w.Names {
		if v, ok := values.GetOk(name); ok {
			w.Secret = w.Secret || v.HasSecrets()
			kept = kept.Set(name, value.WithoutSecrecy(v))
		}
	}
	text, _ := value.EncodeRecordable(kept)
	return text
}

// Decode returns the properties, and their values of the program and of the server. It returns
// nothing if nothing was written, or if the text is not from this program.
func (w *Written) Decode(res *plan.Resource) (names []string, program, server property.Map) {
	if w == nil {
		return nil, program, server
	}
	program, err := decodeInputs(res, w.Program)
	if err != nil {
		return nil, program, server
	}
	if server, err = decodeInputs(res, w.Server); err != nil {
		return nil, program, server
	}
	return w.Names, program, server
}

// decodeInputs decodes recorded inputs, and fits them to the types that the spec has now.
func decodeInputs(res *plan.Resource, text json.RawMessage) (property.Map, error) {
	values, err := value.DecodeRecorded(text)
	if err != nil {
		return values, err
	}
	return value.RefitEach(values, values.AllStable, res.Inputs.Member)
}

// WrittenValue is the value of a property with @normalised() at the last write: what the program
// wrote, if it wrote it, and what the server has made of it.
type WrittenValue struct {
	Program, Server property.Value
	Given           bool
}

// Values returns the values of the properties with @normalised() at the last write.
func (w *Written) Values(res *plan.Resource) map[string]WrittenValue {
	names, program, server := w.Decode(res)
	all := make(map[string]WrittenValue, len(names))
	for _, name := range names {
		if m := res.Inputs.ByName[name]; m != nil && m.Normalised {
			v, given := program.GetOk(name)
			all[name] = WrittenValue{v, server.Get(name), given}
		}
	}
	return all
}

// Drifted returns the value of a property that somebody has changed since the last write. It is what the server
// shows, without what the server had rewritten in it or added to it and still shows: of such members and entries, it
// has what the program wrote. So repairing the others leaves them alone.
func (w WrittenValue) Drifted(shown property.Value) property.Value {
	if !w.Given {
		return shown
	}
	return drifted(w.Program, w.Server, shown)
}

func drifted(program, server, shown property.Value) property.Value {
	if !program.IsMap() || !server.IsMap() || !shown.IsMap() {
		return shown
	}
	wrote, made, shows := program.AsMap(), server.AsMap(), shown.AsMap()
	out := shows
	for _, name := range value.Keys(wrote, made, shows) {
		part, given := wrote.GetOk(name)
		was, had := made.GetOk(name)
		now, has := shows.GetOk(name)
		switch {
		case had != has: // somebody has added or removed it
		case had && !value.PlainEqual(was, now):
			if given {
				out = out.Set(name, drifted(part, was, now))
			}
		case given:
			out = out.Set(name, CopySecrecy(part, now))
		default:
			out = out.Delete(name)
		}
	}
	return property.WithGoValue(shown, out)
}

// Restore gives a property the value that the program wrote.
func (w WrittenValue) Restore(inputs property.Map, name string) property.Map {
	was, there := inputs.GetOk(name)
	switch {
	case !w.Given:
		return inputs.Delete(name)
	case there && value.PlainEqual(was, w.Program):
		return inputs // with its marks
	default:
		return inputs.Set(name, CopySecrecy(w.Program, was))
	}
}

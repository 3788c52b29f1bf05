package pulumi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// privateKey is the output that holds the engine's own part of a state, as
// JSON. The CLI does not show outputs that begin with two underscores.
const privateKey = "__declprov"

// readState makes the engine's state of what the host recorded. The private
// part is believed where it can be read; what another tool, or the user of a
// `.get`, wrote there is as good as nothing.
func readState(decoder *wire.Decoder, id string, inputs, outputs *structpb.Struct) (engine.State, error) {
	state := engine.State{ID: id, Private: readPrivate(outputs)}
	var err error
	if state.Inputs, err = decoder.Decode(inputs); err != nil {
		return engine.State{}, err
	}
	if _, ok := outputs.GetFields()[privateKey]; ok {
		// The message is ours alone, and goes nowhere from here.
		delete(outputs.Fields, privateKey)
	}
	state.Outputs, err = decoder.Decode(outputs)
	return state, err
}

// isPreviewed reports whether a preview of a create or update made these
// outputs: there the private part is not known yet.
func isPreviewed(outputs *structpb.Struct) bool {
	field, ok := outputs.GetFields()[privateKey]
	if !ok {
		return false
	}
	v, err := wire.DecodeValue(field)
	return err == nil && v.IsComputed()
}

func readPrivate(outputs *structpb.Struct) engine.Private {
	field, ok := outputs.GetFields()[privateKey]
	if !ok {
		return engine.Private{}
	}
	v, err := wire.DecodeValue(field)
	if err != nil || !v.IsString() {
		return engine.Private{}
	}
	if token, ok := tokenAlone(v.AsString()); ok {
		return engine.Private{Token: token}
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(v.AsString())))
	decoder.UseNumber() // results may hold ids beyond 2^53
	var p engine.Private
	if decoder.Decode(&p) != nil {
		return engine.Private{}
	}
	return p
}

// A private part that holds a token alone, as most do, is written and read without
// a JSON library: that costs more than the rest of a Diff.
const beforeToken, afterToken = `{"t":"`, `"}`

// tokenAlone is the token of such a text.
func tokenAlone(text string) (token string, ok bool) {
	if !strings.HasPrefix(text, beforeToken) || !strings.HasSuffix(text, afterToken) || len(text) < len(beforeToken)+len(afterToken) {
		return "", false
	}
	token = text[len(beforeToken) : len(text)-len(afterToken)]
	return token, isToken(token)
}

// isToken reports whether a text has only the characters of tokens.
func isToken(text string) bool { return text != "" && strings.Trim(text, "0123456789abcdef") == "" }

// privateValue is the private part as it travels, or nil where it says nothing.
func privateValue(p engine.Private) *structpb.Value {
	if p == (engine.Private{}) {
		return nil
	}
	if p == (engine.Private{Token: p.Token}) && isToken(p.Token) {
		return wire.String(beforeToken + p.Token + afterToken)
	}
	raw, err := json.Marshal(p)
	if err != nil && p.Failed != nil {
		// A result that JSON cannot hold. Without the results the engine
		// cannot go on where it stopped, and without the hash it will not try:
		// it starts over, with every input as a change.
		failed := *p.Failed
		failed.Results, failed.Inputs = nil, ""
		p.Failed = &failed
		raw, err = json.Marshal(p)
	}
	if err != nil || string(raw) == "{}" {
		return nil
	}
	v := wire.String(string(raw))
	if p.Failed != nil && p.Failed.Secret {
		return wire.Secret(v)
	}
	return v
}

// writeState is a state's outputs as they travel. What cannot travel is left
// out, and told in the error: the rest has to be recorded all the same.
func writeState(e wire.Encoder, state *engine.State) (*structpb.Struct, error) {
	outputs, lost := writeSalvaging(e, state.Outputs)
	if private := privateValue(state.Private); private != nil {
		outputs.Fields[privateKey] = private
	}
	return outputs, lost
}

// writeSalvaging writes the properties that can be written.
func writeSalvaging(e wire.Encoder, m property.Map) (*structpb.Struct, error) {
	s, err := e.Encode(m)
	if err == nil {
		return s, nil
	}
	s = &structpb.Struct{Fields: make(map[string]*structpb.Value, m.Len())}
	var lost []error
	for k, v := range m.AllStable {
		one, err := e.Encode(property.NewMap(map[string]property.Value{k: v}))
		if err != nil {
			lost = append(lost, err)
			continue
		}
		s.Fields[k] = one.Fields[k]
	}
	return s, errors.Join(lost...)
}

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
	"github.com/declprov/declprov/engine/value"
)

// privateKey is the output that contains the private part of the engine's state as
// JSON. The CLI does not show outputs that begin with two underscores.
const privateKey = "__declprov"

// readState converts the state that the host recorded. It ignores a private part that
// it cannot parse, such as one from another tool or from the user of a `.get`.
func readState(decoder *wire.Decoder, id string, inputs, outputs *structpb.Struct) (engine.State, error) {
	state := engine.State{ID: id, Private: readPrivate(outputs)}
	var err error
	if state.Inputs, err = decoder.Decode(inputs); err != nil {
		return engine.State{}, err
	}
	state.Inputs = value.WithoutPlaceholders(state.Inputs, state.Private.Unshown)
	if _, ok := outputs.GetFields()[privateKey]; ok {
		// Nothing else uses the message.
		delete(outputs.Fields, privateKey)
	}
	state.Outputs, err = decoder.Decode(outputs)
	return state, err
}

// isPreviewed reports whether the outputs are from a preview of a create or update,
// in which the private part is unknown.
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
	if p, ok := parseUsual(v.AsString()); ok {
		return p
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(v.AsString())))
	decoder.UseNumber() // results may hold ids beyond 2^53
	var p engine.Private
	if decoder.Decode(&p) != nil {
		return engine.Private{}
	}
	return p
}

// Most private parts only contain a token and a location. They are written and parsed without a JSON
// library, which would cost more than the rest of a Diff.
const beforeToken, beforeLocation, end = `{"t":"`, `","at":"`, `"}`

// parseUsual returns the private part that such a text is.
func parseUsual(text string) (p engine.Private, ok bool) {
	text, opened := strings.CutPrefix(text, beforeToken)
	text, closed := strings.CutSuffix(text, end)
	p.Token, p.Location, _ = strings.Cut(text, beforeLocation)
	return p, opened && closed && isToken(p.Token) && isPlain(p.Location)
}

// writeUsual returns the text of a private part that is of that form.
func writeUsual(p engine.Private) (text string, ok bool) {
	if p != (engine.Private{Token: p.Token, Location: p.Location}) || !isToken(p.Token) || !isPlain(p.Location) {
		return "", false
	}
	if p.Location == "" {
		return beforeToken + p.Token + end, true
	}
	return beforeToken + p.Token + beforeLocation + p.Location + end, true
}

// isPlain reports whether a text is the same in JSON.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
}

// isToken reports whether a text only has the characters of tokens.
func isToken(text string) bool { return text != "" && strings.Trim(text, "0123456789abcdef") == "" }

// privateValue converts the private part to the protocol. It returns nil if the
// private part is empty.
func privateValue(p engine.Private) *structpb.Value {
	if p == (engine.Private{}) {
		return nil
	}
	if text, ok := writeUsual(p); ok {
		return wire.String(text)
	}
	raw, err := json.Marshal(p)
	if err != nil && p.Failed != nil {
		// JSON cannot represent a result. Without the results and the hash, the engine
		// does not resume, but starts over and treats every input as changed.
		failed := *p.Failed
		failed.Results, failed.Inputs = nil, ""
		p.Failed = &failed
		raw, err = json.Marshal(p)
	}
	if err != nil || string(raw) == "{}" {
		return nil
	}
	v := wire.String(string(raw))
	if p.Failed != nil && p.Failed.Secret || p.Written != nil && p.Written.Secret {
		return wire.Secret(v)
	}
	return v
}

// writeState converts the outputs of a state. It omits values that cannot be encoded,
// and returns an error for them, because the others must be recorded nevertheless.
func writeState(e wire.Encoder, state *engine.State) (*structpb.Struct, error) {
	outputs, lost := encodePossible(e, state.Outputs)
	if private := privateValue(state.Private); private != nil {
		outputs.Fields[privateKey] = private
	}
	return outputs, lost
}

// encodePossible encodes the properties that can be encoded. It returns them, and an error that
// names the others.
func encodePossible(e wire.Encoder, m property.Map) (*structpb.Struct, error) {
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

package wire

import (
	"encoding/base64"
	"math"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/reserved"
)

// Encoder encodes properties for one peer.
type Encoder struct {
	// Bytes is true if the peer accepts strings that are not UTF-8, according to the
	// handshake.
	Bytes bool
	// Outputs is true if the peer accepts output values. Values with dependencies are
	// then encoded with the URNs of these.
	Outputs bool
}

// Encode encodes properties. Without Outputs, it omits dependencies. The struct is
// never nil.
//
// The error is an *Error: for a number that JSON cannot represent, bytes that the
// peer does not accept, a value that nests too deeply, or a reserved key or text.
func (e Encoder) Encode(m property.Map) (*structpb.Struct, error) { return e.object(m, 0) }

func (e Encoder) object(m property.Map, depth int) (*structpb.Struct, error) {
	if depth >= MaxDepth {
		return nil, refuse("nested deeper than %d levels", MaxDepth)
	}
	fields := make(map[string]*structpb.Value, m.Len())
	for k, v := range m.All {
		if reserved.Key(k) {
			return nil, refuse("%s", reserved.KeyReason)
		}
		f, err := e.value(v, depth+1)
		if err == nil && !utf8.ValidString(k) {
			err = refuse("the name is not valid UTF-8")
		}
		if err != nil {
			return nil, under(k, err)
		}
		fields[k] = f
	}
	return &structpb.Struct{Fields: fields}, nil
}

func (e Encoder) value(v property.Value, depth int) (*structpb.Value, error) {
	if e.Outputs && len(v.Dependencies()) > 0 {
		return e.output(v, depth)
	}
	if !v.Secret() {
		return e.plain(v, depth)
	}
	inner, err := e.plain(v, depth+1)
	if err != nil {
		return nil, err
	}
	return Secret(inner), nil
}

// output encodes an output value, which depends on resources. An unknown output has
// no value.
func (e Encoder) output(v property.Value, depth int) (*structpb.Value, error) {
	fields := map[string]*structpb.Value{sig.Key: String(sig.OutputValue)}
	if !v.IsComputed() {
		inner, err := e.plain(v, depth+1)
		if err != nil {
			return nil, err
		}
		fields["value"] = inner
	}
	if v.Secret() {
		fields["secret"] = structpb.NewBoolValue(true)
	}
	on := make([]*structpb.Value, len(v.Dependencies()))
	for i, u := range v.Dependencies() {
		on[i] = String(string(u))
	}
	fields["dependencies"] = structpb.NewListValue(&structpb.ListValue{Values: on})
	return object(fields), nil
}

// Secret marks a value as secret.
func Secret(v *structpb.Value) *structpb.Value {
	return object(map[string]*structpb.Value{sig.Key: String(sig.Secret), "value": v})
}

func (e Encoder) plain(v property.Value, depth int) (*structpb.Value, error) {
	switch {
	case v.IsString():
		return e.text(v.AsString())
	case v.IsNumber():
		return number(v.AsNumber())
	case v.IsBool():
		made := &struct { // one allocation in place of two, as in String
			value structpb.Value
			kind  structpb.Value_BoolValue
		}{kind: structpb.Value_BoolValue{BoolValue: v.AsBool()}}
		made.value.Kind = &made.kind
		return &made.value, nil
	case v.IsMap():
		m, err := e.object(v.AsMap(), depth)
		if err != nil {
			return nil, err
		}
		return object(m.Fields), nil
	case v.IsArray():
		return e.list(v.AsArray(), depth)
	case v.IsComputed():
		return String(Unknown), nil
	case v.IsAsset():
		return e.asset(v.AsAsset())
	case v.IsArchive():
		return e.archive(v.AsArchive(), depth)
	case v.IsResourceReference():
		return e.reference(v.AsResourceReference())
	default:
		return structpb.NewNullValue(), nil
	}
}

func (e Encoder) list(a property.Array, depth int) (*structpb.Value, error) {
	if depth >= MaxDepth {
		return nil, refuse("nested deeper than %d levels", MaxDepth)
	}
	var values []*structpb.Value
	if a.Len() > 0 {
		values = make([]*structpb.Value, a.Len())
	}
	for i, item := range a.All {
		v, err := e.value(item, depth+1)
		if err != nil {
			return nil, underIndex(i, err)
		}
		values[i] = v
	}
	made := &struct { // one allocation in place of three, as in String
		value structpb.Value
		kind  structpb.Value_ListValue
		list  structpb.ListValue
	}{}
	made.list.Values = values
	made.kind.ListValue = &made.list
	made.value.Kind = &made.kind
	return &made.value, nil
}

// String encodes a string. The value and its kind are one allocation, because most of the
// time and memory of encoding is that of its allocations.
func String(s string) *structpb.Value {
	made := &struct {
		value structpb.Value
		kind  structpb.Value_StringValue
	}{kind: structpb.Value_StringValue{StringValue: s}}
	made.value.Kind = &made.kind
	return &made.value
}

func (e Encoder) text(s string) (*structpb.Value, error) {
	if reserved.Text(s) {
		return nil, refuse("%s", reserved.TextReason)
	}
	if utf8.ValidString(s) {
		return String(s), nil
	}
	if !e.Bytes {
		return nil, refuse("it is not valid UTF-8, which this version of Pulumi requires")
	}
	return object(map[string]*structpb.Value{
		sig.Key: String(sig.ByteString),
		"value": String(base64.StdEncoding.EncodeToString([]byte(s))),
	}), nil
}

func number(f float64) (*structpb.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, refuse("the number %v cannot be stored", f)
	}
	made := &struct {
		value structpb.Value
		kind  structpb.Value_NumberValue
	}{kind: structpb.Value_NumberValue{NumberValue: f}}
	made.value.Kind = &made.kind
	return &made.value, nil
}

func object(fields map[string]*structpb.Value) *structpb.Value {
	made := &struct {
		value structpb.Value
		kind  structpb.Value_StructValue
		body  structpb.Struct
	}{}
	made.body.Fields = fields
	made.kind.StructValue = &made.body
	made.value.Kind = &made.kind
	return &made.value
}

// signedText returns a signed object of the strings that are not empty.
func (e Encoder) signedText(signature string, parts map[string]string) (*structpb.Value, error) {
	fields := make(map[string]*structpb.Value, len(parts)+1)
	fields[sig.Key] = String(signature)
	for k, s := range parts {
		if s == "" {
			continue
		}
		v, err := e.text(s)
		if err != nil {
			return nil, under(k, err)
		}
		fields[k] = v
	}
	return object(fields), nil
}

func (e Encoder) asset(a *asset.Asset) (*structpb.Value, error) {
	return e.signedText(sig.AssetSig, map[string]string{
		asset.AssetHashProperty: a.Hash,
		asset.AssetTextProperty: a.Text,
		asset.AssetPathProperty: a.Path,
		asset.AssetURIProperty:  a.URI,
	})
}

func (e Encoder) archive(a *archive.Archive, depth int) (*structpb.Value, error) {
	if depth >= MaxDepth {
		return nil, refuse("nested deeper than %d levels", MaxDepth)
	}
	made, err := e.signedText(sig.ArchiveSig, map[string]string{
		archive.ArchiveHashProperty: a.Hash,
		archive.ArchivePathProperty: a.Path,
		archive.ArchiveURIProperty:  a.URI,
	})
	if err != nil || a.Assets == nil {
		return made, err
	}
	members := make(map[string]*structpb.Value, len(a.Assets))
	for name, member := range a.Assets {
		var m *structpb.Value
		switch member := member.(type) {
		case *asset.Asset:
			m, err = e.asset(member)
		case *archive.Archive:
			m, err = e.archive(member, depth+1)
		default:
			err = refuse("neither an asset nor an archive")
		}
		if err == nil && !utf8.ValidString(name) {
			err = refuse("its name is not valid UTF-8")
		}
		if err == nil && reserved.Key(name) {
			err = refuse("%s", reserved.KeyReason)
		}
		if err != nil {
			return nil, under(archive.ArchiveAssetsProperty, under(name, err))
		}
		members[name] = m
	}
	made.GetStructValue().Fields[archive.ArchiveAssetsProperty] = object(members)
	return made, nil
}

func (e Encoder) reference(ref property.ResourceReference) (*structpb.Value, error) {
	made, err := e.signedText(sig.ResourceReference, map[string]string{
		"name": ref.Name, "type": ref.Type, "packageVersion": ref.PackageVersion,
	})
	if err != nil {
		return nil, err
	}
	fields := made.GetStructValue().Fields
	fields["urn"] = String(string(ref.URN))
	if id, ok := ref.IDString(); ok {
		if fields["id"], err = e.text(id); err != nil {
			return nil, under("id", err)
		}
	}
	return made, nil
}

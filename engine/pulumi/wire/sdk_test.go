package wire_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	generate "github.com/pulumi/pulumi/sdk/v3/go/property/testing"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// These tests hold the codec to the SDK's own marshaller, in both directions.

// engineOptions are those of an engine that talks to a provider with every
// capability.
func engineOptions() plugin.MarshalOptions {
	return plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true, KeepByteString: true,
	}
}

func sdkDecode(s *structpb.Struct) (property.Map, error) {
	m, err := plugin.UnmarshalProperties(s, engineOptions())
	if err != nil {
		return property.Map{}, err
	}
	return resource.FromResourcePropertyMap(m), nil
}

// sdkEncode is what a provider would send, with output values or without.
func sdkEncode(m property.Map, outputs bool) (*structpb.Struct, error) {
	options := engineOptions()
	options.KeepOutputValues = outputs
	return plugin.MarshalProperties(resource.ToResourcePropertyMap(m), options)
}

// finite replaces the numbers that the codec refuses and the SDK lets pass.
func finite(v property.Value) property.Value {
	switch {
	case v.IsNumber() && (math.IsNaN(v.AsNumber()) || math.IsInf(v.AsNumber(), 0)):
		return property.WithGoValue(v, 0.5)
	case v.IsArray():
		items := v.AsArray().AsSlice()
		for i := range items {
			items[i] = finite(items[i])
		}
		return property.WithGoValue(v, property.NewArray(items))
	case v.IsMap():
		return property.WithGoValue(v, finiteMap(v.AsMap()))
	default:
		return v
	}
}

func finiteMap(m property.Map) property.Map {
	members := m.AsMap()
	for k, v := range members {
		members[k] = finite(v)
	}
	return property.NewMap(members)
}

// references generates what the SDK's generators leave out.
func references() *rapid.Generator[property.Value] {
	return rapid.Custom(func(t *rapid.T) property.Value {
		ref := property.ResourceReference{
			URN:            generate.URN().Draw(t, "urn"),
			Name:           rapid.String().Draw(t, "name"),
			Type:           rapid.String().Draw(t, "type"),
			PackageVersion: rapid.StringMatching(`([0-9]\.[0-9]\.[0-9])?`).Draw(t, "version"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "id kind") {
		case 0:
			ref.ID = property.New(property.Computed)
		case 1:
			ref.ID = property.New(rapid.StringN(1, 9, -1).Draw(t, "id"))
		}
		return property.New(ref)
	})
}

func byteStrings() *rapid.Generator[property.Value] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) property.Value { return property.New(string(b)) })
}

func propertyMaps() *rapid.Generator[property.Map] {
	values := rapid.OneOf(generate.Value(4), references(), byteStrings())
	return rapid.Map(rapid.MapOf(rapid.String(), values), func(m map[string]property.Value) property.Map {
		return finiteMap(property.NewMap(m))
	})
}

func TestEncodesAsTheSDK(t *testing.T) {
	maps := propertyMaps()
	rapid.Check(t, func(t *rapid.T) {
		m, outputs := maps.Draw(t, "properties"), rapid.Bool().Draw(t, "outputs")
		want, err := sdkEncode(m, outputs)
		if err != nil {
			t.Fatalf("the SDK refuses: %v", err)
		}
		got, err := wire.Encoder{Bytes: true, Outputs: outputs}.Encode(m)
		if err != nil {
			t.Fatalf("Encode: %v", err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Fatalf("(-sdk +ours)\n%s", diff)
		}
	})
}

func TestDecodesAsTheSDK(t *testing.T) {
	maps := propertyMaps()
	rapid.Check(t, func(t *rapid.T) {
		m := maps.Draw(t, "properties")
		sent, err := plugin.MarshalProperties(resource.ToResourcePropertyMap(m), engineOptions())
		if err != nil {
			t.Fatalf("the SDK refuses: %v", err)
		}
		want, err := sdkDecode(sent)
		if err != nil {
			t.Fatalf("the SDK does not read itself: %v", err)
		}
		got, err := wire.Decode(sent)
		if err != nil {
			t.Fatalf("Decode: %v", err)
		}
		if diff := cmp.Diff(describe(want), describe(got)); diff != "" {
			t.Fatalf("(-sdk +ours)\n%s", diff)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	maps := propertyMaps()
	rapid.Check(t, func(t *rapid.T) {
		m := maps.Draw(t, "properties")
		sent, err := wire.Encoder{Bytes: true}.Encode(m)
		if err != nil {
			t.Fatalf("Encode: %v", err)
		}
		got, err := wire.Decode(sent)
		if err != nil {
			t.Fatalf("Decode: %v", err)
		}
		again, err := wire.Encoder{Bytes: true}.Encode(got)
		if err != nil {
			t.Fatalf("Encode again: %v", err)
		}
		if diff := cmp.Diff(sent, again, protocmp.Transform()); diff != "" {
			t.Fatalf("(-first +second)\n%s", diff)
		}
	})
}

// FuzzDecode feeds arbitrary messages: nothing may panic, what the SDK reads we
// read alike, and what we read can be sent.
func FuzzDecode(f *testing.F) {
	for _, c := range decodeCases() {
		raw, err := proto.Marshal(&structpb.Struct{Fields: map[string]*structpb.Value{"p": c.sent}})
		if err != nil {
			continue // a value without a kind is no message
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s structpb.Struct
		if proto.Unmarshal(raw, &s) != nil {
			return
		}
		got, err := wire.Decode(&s)
		want, accepted := sdkAccepts(&s)
		if err != nil {
			if accepted && representable(want) {
				t.Fatalf("the SDK reads it, Decode does not: %v", err)
			}
			return
		}
		if accepted {
			if diff := cmp.Diff(describe(want), describe(got)); diff != "" {
				t.Fatalf("(-sdk +ours)\n%s", diff)
			}
		}
		if _, err := (wire.Encoder{Bytes: true}).Encode(got); err != nil {
			t.Fatalf("what was decoded cannot be encoded: %v", err)
		}
	})
}

// sdkAccepts reports what the SDK makes of a message. It panics on some.
func sdkAccepts(s *structpb.Struct) (m property.Map, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	m, err := sdkDecode(s)
	return m, err == nil
}

// representable reports whether the codec means to accept what the SDK read:
// finite numbers, not nested too deep.
func representable(m property.Map) bool {
	_, err := wire.Encoder{Bytes: true}.Encode(m)
	return err == nil
}

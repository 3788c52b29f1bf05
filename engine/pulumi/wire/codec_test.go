package wire_test

import (
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/decode"
)

// manyValues are messages of a struct with so many values, by their shape. Items are
// shared, so that the message alone is large.
func manyValues(n int) map[string]*structpb.Struct {
	list := func(item *structpb.Value, n int) *structpb.Value {
		values := make([]*structpb.Value, n)
		for i := range values {
			values[i] = item
		}
		return structpb.NewListValue(&structpb.ListValue{Values: values})
	}
	nothing := structpb.NewStructValue(&structpb.Struct{})
	shapes := map[string]*structpb.Value{
		"objects": list(nothing, n-1), "lists": list(structpb.NewListValue(&structpb.ListValue{}), n-1), "nulls": list(structpb.NewNullValue(), n-1),
		"numbers": list(structpb.NewNumberValue(1), n-1), "strings": list(structpb.NewStringValue("a"), n-1), "booleans": list(structpb.NewBoolValue(true), n-1),
		"nested": list(structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"a": list(nothing, 1)}}), (n-1)/3+1),
		"deep":   nestedValue(list(nothing, n), 300),
	}
	out := map[string]*structpb.Struct{}
	for name, v := range shapes {
		out[name] = &structpb.Struct{Fields: map[string]*structpb.Value{"v": v}}
	}
	return out
}

func nestedValue(v *structpb.Value, depth int) *structpb.Value {
	for range depth {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}
	return v
}

// TestCodecCountsValues: a message of many values is refused before they are made,
// wherever a program says them; what is recorded is always read.
func TestCodecCountsValues(t *testing.T) {
	codec := wire.Codec()
	for shape, s := range manyValues(decode.DefaultValues + 2) {
		t.Run(shape, func(t *testing.T) { refusesMany(t, s, shape == "nested") })
	}
	few := manyValues(decode.DefaultValues - 1)["objects"]
	many := manyValues(decode.DefaultValues + 2)["objects"]
	for _, m := range []proto.Message{&pulumirpc.CheckRequest{News: few, Olds: few}, &pulumirpc.DeleteRequest{Properties: many}} {
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		into := m.ProtoReflect().New().Interface()
		if err := codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, into); err != nil || proto.Size(into) != len(data) {
			t.Errorf("%T: %v, %d of %d bytes", m, err, proto.Size(into), len(data))
		}
	}
}

// refusesMany holds that messages with such a struct are refused: all that a program's
// values come in, or one.
func refusesMany(t *testing.T, s *structpb.Struct, all bool) {
	messages := []proto.Message{
		&pulumirpc.CheckRequest{News: s}, &pulumirpc.InvokeRequest{Args: s}, &pulumirpc.CallRequest{Args: s}, &pulumirpc.ConstructRequest{Inputs: s},
		&pulumirpc.ListRequest{Query: s}, &pulumirpc.ConfigureRequest{Args: s}, &pulumirpc.RegisterResourceResponse{Object: s}, &pulumirpc.InvokeResponse{Return: s},
	}
	if !all {
		messages = messages[:1]
	}
	for _, m := range messages {
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		into := m.ProtoReflect().New().Interface()
		made := testing.AllocsPerRun(1, func() { err = wire.Codec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, into) })
		if err == nil || !strings.Contains(err.Error(), "holds more than 1000000 values") {
			t.Errorf("%T: %v", m, err)
		}
		if made > 1000 {
			t.Errorf("%T: %.0f allocations", m, made)
		}
	}
}

// TestCodecLeavesTheRestToTheDecoder: what is no message is its error, however deep it
// pretends to be.
func TestCodecLeavesTheRestToTheDecoder(t *testing.T) {
	var deep []byte
	for range 20_000 {
		list := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), deep)
		deep = protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), list)
	}
	field := func(number protowire.Number, inner []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), inner)
	}
	args := field(2, field(1, append(field(1, []byte("k")), field(2, deep)...))) // InvokeRequest.args
	for name, data := range map[string][]byte{
		"deep":    append(args, field(9, make([]byte, 3<<20))...),
		"garbage": []byte(strings.Repeat("\xff", 3<<20)),
		"cut":     protowire.AppendVarint(protowire.AppendTag(make([]byte, 0), 2, protowire.BytesType), 5<<20),
	} {
		err := wire.Codec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, &pulumirpc.InvokeRequest{})
		if err == nil || strings.Contains(err.Error(), "holds more than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package wire_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/decode"
)

// field is a field of a message that has a length.
func field(number protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), inner)
}

// list is a google.protobuf.Value: so many times the same one.
func list(item []byte, n int) []byte { return field(6, bytes.Repeat(field(1, item), n)) }

// withinLists is a Value below so many lists of one. It is written from the inside out,
// as a copy for each level would take most of the test's time.
func withinLists(item []byte, levels int) []byte {
	parts, size := [][]byte{item}, len(item)
	for range levels {
		for _, number := range []protowire.Number{1, 6} {
			head := protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.BytesType), uint64(size))
			parts, size = append(parts, head), size+len(head)
		}
	}
	slices.Reverse(parts)
	return slices.Concat(parts...)
}

// member is a google.protobuf.Struct with one member.
func member(v []byte) []byte { return field(1, append(field(1, []byte("v")), field(2, v)...)) }

// manyValues are the bytes of structs with so many values, by their shape.
func manyValues(n int) map[string][]byte {
	nothing := field(5, nil)
	return map[string][]byte{
		"objects": member(list(nothing, n-1)), "lists": member(list(field(6, nil), n-1)), "nulls": member(list([]byte{1 << 3, 0}, n-1)),
		"numbers": member(list(protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), 1), n-1)),
		"strings": member(list(field(3, []byte("a")), n-1)), "booleans": member(list([]byte{4 << 3, 1}, n-1)),
		"nested": member(list(field(5, member(list(nothing, 1))), (n-1)/3+1)), "deep": member(withinLists(list(nothing, n), 300)),
	}
}

// saying are all messages in which a program's values come, or those of other resources,
// by the name of their field.
var saying = map[protoreflect.Name][]proto.Message{
	"news": {&pulumirpc.CheckRequest{}}, "args": {&pulumirpc.InvokeRequest{}, &pulumirpc.CallRequest{}, &pulumirpc.ConfigureRequest{}},
	"inputs": {&pulumirpc.ConstructRequest{}}, "query": {&pulumirpc.ListRequest{}},
	"object": {&pulumirpc.RegisterResourceResponse{}}, "return": {&pulumirpc.InvokeResponse{}},
}

// standard is the codec of a spec that says nothing of its limit.
func standard() encoding.CodecV2 { return wire.Codec(func() int { return decode.DefaultValues }) }

// within is a message with that struct.
func within(m proto.Message, name protoreflect.Name, s []byte) mem.BufferSlice {
	return mem.BufferSlice{mem.SliceBuffer(field(m.ProtoReflect().Descriptor().Fields().ByName(name).Number(), s))}
}

// TestCodecCountsValues: a message of many values is refused before they are made,
// wherever a program says them; what is recorded is always read.
func TestCodecCountsValues(t *testing.T) {
	for shape, s := range manyValues(decode.DefaultValues + 2) {
		t.Run(shape, func(t *testing.T) {
			refusesMany(t, standard(), "contains more than 1000000 values", &pulumirpc.CheckRequest{}, "news", s)
		})
	}
	// Of the other messages a lower limit shows the same, in less time.
	const most = 20_000
	lower, shapes := wire.Codec(func() int { return most }), manyValues(most+2)
	for name, messages := range saying {
		for _, m := range messages {
			refusesMany(t, lower, "contains more than 20000 values", m, name, shapes["objects"])
		}
	}
	few := member(list(field(3, bytes.Repeat([]byte("a"), 3000)), 1000)) // and many bytes
	for name, tc := range map[protoreflect.Name]struct {
		codec encoding.CodecV2
		into  proto.Message
		data  []byte
	}{
		"news": {standard(), &pulumirpc.CheckRequest{}, few},
		"olds": {lower, &pulumirpc.CheckRequest{}, shapes["nulls"]}, "properties": {lower, &pulumirpc.DeleteRequest{}, shapes["nulls"]},
	} {
		data := within(tc.into, name, tc.data)
		if err := tc.codec.Unmarshal(data, tc.into); err != nil || proto.Size(tc.into) != data.Len() {
			t.Errorf("%T: %v, %d of %d bytes", tc.into, err, proto.Size(tc.into), data.Len())
		}
	}
}

// refusesMany holds that a message with such a struct is refused, and that nothing of it
// is made before.
func refusesMany(t *testing.T, codec encoding.CodecV2, says string, m proto.Message, name protoreflect.Name, s []byte) {
	t.Helper()
	data, into := within(m, name, s), m.ProtoReflect().New().Interface()
	var err error
	made := testing.AllocsPerRun(1, func() { err = codec.Unmarshal(data, into) })
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%T: %v", m, err)
	}
	if made > 1000 {
		t.Errorf("%T: %.0f allocations", m, made)
	}
}

// TestCodecTakesWhatTheSpecAllows: the limit is that of the spec that is served when a
// message comes.
func TestCodecTakesWhatTheSpecAllows(t *testing.T) {
	limit := 50
	codec := wire.Codec(func() int { return limit })
	for _, most := range []int{50, 100, 20} {
		limit = most
		for name, messages := range saying {
			for _, m := range messages {
				for shape, count := range map[string]int{"objects": 0, "numbers": 1} {
					data := within(m, name, manyValues(most + count)[shape])
					err := codec.Unmarshal(data, m.ProtoReflect().New().Interface())
					if (err != nil) != (count > 0) || err != nil && !strings.Contains(err.Error(), "maxValues") {
						t.Errorf("%T, %d %s of %d: %v", m, most+count, shape, most, err)
					}
				}
			}
		}
	}
}

// TestCodecLeavesTheRestToTheDecoder: what is no message is its error, however deep it
// pretends to be.
func TestCodecLeavesTheRestToTheDecoder(t *testing.T) {
	deep := withinLists(nil, 20_000)
	args := field(2, field(1, append(field(1, []byte("k")), field(2, deep)...))) // InvokeRequest.args
	for name, data := range map[string][]byte{
		"deep":    append(args, field(9, make([]byte, 3<<20))...),
		"garbage": []byte(strings.Repeat("\xff", 3<<20)),
		"cut":     protowire.AppendVarint(protowire.AppendTag(make([]byte, 0), 2, protowire.BytesType), 5<<20),
	} {
		err := standard().Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, &pulumirpc.InvokeRequest{})
		if err == nil || strings.Contains(err.Error(), "contains more than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package wire

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	protobuf "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/spec/decode"
)

// Codec is gRPC's own codec, which refuses messages of more values than a spec reads
// before it makes any of them: bytes alone bound nothing, and 16 MiB of empty objects
// are gigabytes of memory.
//
// What is counted is what a program says, and what other resources have; not what is
// recorded, which was counted when it came, and without which nothing could be removed.
func Codec() encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name)} }

type codec struct{ encoding.CodecV2 }

// smallMessage is the most bytes that no count is needed for: a value takes two.
const smallMessage = 2 * decode.DefaultValues

// Unmarshal reads a message.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if data.Len() > smallMessage {
		if err := bounded(data, v); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

// bounded reports a message with more values in one of its fields than a step reads.
func bounded(data mem.BufferSlice, v any) error {
	switch v.(type) {
	case *pulumirpc.CheckRequest, *pulumirpc.ConfigureRequest, *pulumirpc.InvokeRequest, *pulumirpc.CallRequest, *pulumirpc.ConstructRequest,
		*pulumirpc.ListRequest, *pulumirpc.RegisterResourceResponse, *pulumirpc.InvokeResponse:
	default:
		return nil
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	fields := v.(protobuf.Message).ProtoReflect().Descriptor().Fields()
	counts := map[protowire.Number]int{}
	var failed error
	each(buf.ReadOnlyData(), func(number protowire.Number, inner []byte) bool {
		field := fields.ByNumber(number)
		if field == nil || field.Kind() != protoreflect.MessageKind || field.Message().FullName() != "google.protobuf.Struct" {
			return true
		}
		if counts[number] = countStruct(inner, counts[number], 0); counts[number] > decode.DefaultValues {
			failed = fmt.Errorf("%s holds more than %d values: pass fewer, or a file", field.Name(), decode.DefaultValues)
		}
		return failed == nil
	})
	return failed
}

// each calls do with the fields of a message that have a length, until it says false.
// What is malformed ends it: the decoder says so.
func each(b []byte, do func(number protowire.Number, inner []byte) bool) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return
			}
			b = b[n:]
			continue
		}
		inner, n := protowire.ConsumeBytes(b)
		if n < 0 || !do(number, inner) {
			return
		}
		b = b[n:]
	}
}

// The fields of google.protobuf.Struct, of an entry of its map, of Value and of ListValue.
const (
	structFields protowire.Number = 1
	entryValue   protowire.Number = 2
	structValue  protowire.Number = 5
	listValue    protowire.Number = 6
	listValues   protowire.Number = 1
)

// countStruct adds the values of a Struct to a count, as far as they matter.
func countStruct(b []byte, count, depth int) int {
	each(b, func(number protowire.Number, entry []byte) bool {
		if number == structFields {
			each(entry, func(number protowire.Number, value []byte) bool {
				if number == entryValue {
					count = countValue(value, count, depth+1)
				}
				return true
			})
		}
		return count <= decode.DefaultValues
	})
	return count
}

// countValue adds a Value and what is in it. It need not look deeper than the decoder,
// which refuses the message then.
func countValue(b []byte, count, depth int) int {
	count++
	if depth > protowire.DefaultRecursionLimit {
		return count
	}
	each(b, func(number protowire.Number, inner []byte) bool {
		switch number {
		case structValue:
			count = countStruct(inner, count, depth)
		case listValue:
			each(inner, func(number protowire.Number, value []byte) bool {
				if number == listValues {
					count = countValue(value, count, depth+1)
				}
				return count <= decode.DefaultValues
			})
		}
		return count <= decode.DefaultValues
	})
	return count
}

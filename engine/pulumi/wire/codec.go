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
)

// Codec returns gRPC's codec with a limit on the number of values. It rejects a
// message with more values before it decodes any: a limit on bytes is not sufficient,
// because 16 MiB of empty objects need gigabytes of memory. It calls limit for each
// message, because a message may change the spec.
//
// It counts the values from programs and of other resources. It does not count
// recorded states, which were counted when they were received, and without which
// resources could not be deleted.
func Codec(limit func() int) encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name), limit} }

type codec struct {
	encoding.CodecV2
	limit func() int
}

// bytesOfValue is the minimum size of a value in bytes.
const bytesOfValue = 2

// Unmarshal decodes a message.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if most := c.limit(); data.Len() > bytesOfValue*most {
		if err := checkCount(data, v, most); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

// checkCount returns an error if a field of a message contains more than most values.
func checkCount(data mem.BufferSlice, v any, most int) error {
	switch v.(type) {
	case *pulumirpc.CheckRequest, *pulumirpc.ConfigureRequest, *pulumirpc.InvokeRequest, *pulumirpc.CallRequest, *pulumirpc.ConstructRequest,
		*pulumirpc.ListRequest, *pulumirpc.RegisterResourceResponse, *pulumirpc.InvokeResponse:
	default:
		return nil
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	fields := v.(protobuf.Message).ProtoReflect().Descriptor().Fields()
	_, checks := v.(*pulumirpc.CheckRequest)
	counts := map[protowire.Number]*counter{}
	var failed error
	eachField(buf.ReadOnlyData(), func(number protowire.Number, inner []byte) bool {
		field := fields.ByNumber(number)
		if field == nil || field.Kind() != protoreflect.MessageKind || field.Message().FullName() != "google.protobuf.Struct" {
			return true
		}
		if checks && field.Name() == "olds" {
			return true // recorded state
		}
		if counts[number] == nil {
			counts[number] = &counter{most: most}
		}
		if counts[number].object(inner, 0); counts[number].isFull() {
			failed = fmt.Errorf("%s contains more than %d values; pass fewer, pass a file, or raise `maxValues` at the top of the spec", field.Name(), most)
		}
		return failed == nil
	})
	return failed
}

// eachField calls do for the length-delimited fields of a message until do returns
// false. It stops at malformed data, which the decoder reports.
func eachField(b []byte, do func(number protowire.Number, inner []byte) bool) {
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

// Fields of google.protobuf.Struct, of an entry of its map, of Value and of
// ListValue.
const (
	structFields protowire.Number = 1
	entryValue   protowire.Number = 2
	structValue  protowire.Number = 5
	listValue    protowire.Number = 6
	listValues   protowire.Number = 1
)

// counter counts values up to a limit.
type counter struct{ count, most int }

// isFull reports whether the limit is exceeded.
func (c *counter) isFull() bool { return c.count > c.most }

// object counts the values of a Struct.
func (c *counter) object(b []byte, depth int) {
	eachField(b, func(number protowire.Number, entry []byte) bool {
		if number == structFields {
			eachField(entry, func(number protowire.Number, value []byte) bool {
				if number == entryValue {
					c.value(value, depth+1)
				}
				return true
			})
		}
		return !c.isFull()
	})
}

// value counts a Value and the values in it. It ignores values below the nesting
// limit of the decoder, which rejects the message.
func (c *counter) value(b []byte, depth int) {
	c.count++
	if depth > protowire.DefaultRecursionLimit {
		return
	}
	eachField(b, func(number protowire.Number, inner []byte) bool {
		switch number {
		case structValue:
			c.object(inner, depth)
		case listValue:
			eachField(inner, func(number protowire.Number, value []byte) bool {
				if number == listValues {
					c.value(value, depth+1)
				}
				return !c.isFull()
			})
		}
		return !c.isFull()
	})
}

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

// Codec is gRPC's own codec, which refuses messages of more values than the spec allows
// before it makes any of them: bytes alone bound nothing, and 16 MiB of empty objects
// are gigabytes of memory. It asks for the limit with each message, as which spec is
// served may come with one.
//
// What is counted is what a program says, and what other resources have; not what is
// recorded, which was counted when it came, and without which nothing could be removed.
func Codec(limit func() int) encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name), limit} }

type codec struct {
	encoding.CodecV2
	limit func() int
}

// bytesOfValue is the fewest bytes that a value takes.
const bytesOfValue = 2

// Unmarshal reads a message.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if most := c.limit(); data.Len() > bytesOfValue*most {
		if err := bounded(data, v, most); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

// bounded reports a message with more values in one of its fields than there may be.
func bounded(data mem.BufferSlice, v any, most int) error {
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
	each(buf.ReadOnlyData(), func(number protowire.Number, inner []byte) bool {
		field := fields.ByNumber(number)
		if field == nil || field.Kind() != protoreflect.MessageKind || field.Message().FullName() != "google.protobuf.Struct" {
			return true
		}
		if checks && field.Name() == "olds" {
			return true // what is recorded
		}
		if counts[number] == nil {
			counts[number] = &counter{most: most}
		}
		if counts[number].object(inner, 0); counts[number].full() {
			failed = fmt.Errorf("%s holds more than %d values: pass fewer, or a file, or raise `maxValues` at the top of the spec", field.Name(), most)
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

// counter counts values, as far as they matter.
type counter struct{ count, most int }

// full reports whether there are more values than there may be.
func (c *counter) full() bool { return c.count > c.most }

// object counts the values of a Struct.
func (c *counter) object(b []byte, depth int) {
	each(b, func(number protowire.Number, entry []byte) bool {
		if number == structFields {
			each(entry, func(number protowire.Number, value []byte) bool {
				if number == entryValue {
					c.value(value, depth+1)
				}
				return true
			})
		}
		return !c.full()
	})
}

// value counts a Value and what is in it. It need not look deeper than the decoder,
// which refuses the message then.
func (c *counter) value(b []byte, depth int) {
	c.count++
	if depth > protowire.DefaultRecursionLimit {
		return
	}
	each(b, func(number protowire.Number, inner []byte) bool {
		switch number {
		case structValue:
			c.object(inner, depth)
		case listValue:
			each(inner, func(number protowire.Number, value []byte) bool {
				if number == listValues {
					c.value(value, depth+1)
				}
				return !c.full()
			})
		}
		return !c.full()
	})
}

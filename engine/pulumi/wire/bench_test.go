package wire_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// The benchmarks measure a resource of middling size, beside what protobuf
// itself needs for the same message and what the SDK's marshaller needs.

func sample() property.Map {
	rule := property.New(map[string]property.Value{
		"port": property.New(443.0), "protocol": property.New("tcp"), "open": property.New(true),
	})
	return property.NewMap(map[string]property.Value{
		"path":    property.New("etc/app.conf"),
		"content": property.New(strings.Repeat("x", 1024)),
		"mode":    property.New("0644"),
		"force":   property.New(false),
		"size":    property.New(1024.0),
		"token":   property.New("hush").WithSecret(true),
		"rules":   property.New([]property.Value{rule, rule, rule}),
		"tags":    property.New(map[string]property.Value{"env": property.New("dev"), "team": property.New("core")}),
	})
}

func BenchmarkDecode(b *testing.B) {
	s, err := wire.Encoder{}.Encode(sample())
	if err != nil {
		b.Fatal(err)
	}
	raw, err := proto.Marshal(s)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("protobuf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := proto.Unmarshal(raw, new(structpb.Struct)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.Decode(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := plugin.UnmarshalProperties(s, engineOptions()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	m := sample()
	s, err := wire.Encoder{}.Encode(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("protobuf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := proto.Marshal(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (wire.Encoder{}).Encode(m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := sdkEncode(m, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}

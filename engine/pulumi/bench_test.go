package pulumi_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// BenchmarkCalls is what the calls that touch nothing cost beside gRPC itself:
// decoding, the engine's work, encoding. `protobuf` is the floor: what the
// messages of one Check cost in any server.
func BenchmarkCalls(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "files.cue"))
	if err != nil {
		b.Fatal(err)
	}
	s := pulumi.New(pulumi.Options{Program: (&lab{}).program(b, string(text)), Dir: b.TempDir()})
	ctx := b.Context()
	if _, err := s.Configure(ctx, &pulumirpc.ConfigureRequest{Args: &structpb.Struct{}}); err != nil {
		b.Fatal(err)
	}
	inputs := encoded(b, object("path", "a.txt", "content", string(make([]byte, 1024)), "mode", "0644", "force", false))
	recorded := encoded(b, object("path", "a.txt", "content", string(make([]byte, 1024)), "mode", "0644", "force", false))
	recorded.Fields["__declprov"] = structpb.NewStringValue(`{"t":"18ea5f12faa0551a93698687"}`)
	urn := readme.URN()
	check := &pulumirpc.CheckRequest{Urn: urn, Type: readme.Type, Name: readme.Name, News: inputs, Olds: inputs}
	checkNew := &pulumirpc.CheckRequest{Urn: urn, Type: readme.Type, Name: readme.Name, News: inputs}
	calls := map[string]func() error{
		"protobuf": func() error {
			raw, err := proto.Marshal(check)
			if err != nil {
				return err
			}
			return proto.Unmarshal(raw, new(pulumirpc.CheckRequest))
		},
		"Check":     func() error { _, err := s.Check(ctx, check); return err },
		"Check new": func() error { _, err := s.Check(ctx, checkNew); return err },
		"Diff": func() error {
			_, err := s.Diff(ctx, &pulumirpc.DiffRequest{
				Id: "a.txt", Urn: urn, Type: readme.Type, Name: readme.Name, Olds: shallow(recorded), OldInputs: inputs, News: inputs,
			})
			return err
		},
		"preview": func() error {
			_, err := s.Create(ctx, &pulumirpc.CreateRequest{
				Urn: urn, Type: readme.Type, Name: readme.Name, Properties: inputs, Preview: true,
			})
			return err
		},
	}
	for _, name := range []string{"protobuf", "Check", "Check new", "Diff", "preview"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := calls[name](); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func encoded(b *testing.B, m property.Map) *structpb.Struct {
	b.Helper()
	s, err := wire.Encoder{}.Encode(m)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// shallow is a copy of a struct that the server may take a field from.
func shallow(s *structpb.Struct) *structpb.Struct {
	return &structpb.Struct{Fields: maps.Clone(s.Fields)}
}

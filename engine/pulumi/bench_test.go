package pulumi_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
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
	b.Run("files", func(b *testing.B) {
		benchmarkCalls(b, "files.cue", map[string]any{}, "files:index:File",
			object("path", "a.txt", "content", string(make([]byte, 1024)), "mode", "0644", "force", false))
	})
	b.Run("petstore", func(b *testing.B) {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
		defer api.Close()
		benchmarkCalls(b, "rest-api.cue", map[string]any{"endpoint": api.URL, "token": "hush"}, "petstore:index:Pet",
			object("name", "rex", "kind", "dog", "tags", object("fur", "brown", "food", "anything")))
	})
}

func benchmarkCalls(b *testing.B, example string, config map[string]any, token string, values property.Map) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", example))
	if err != nil {
		b.Fatal(err)
	}
	s := pulumi.New(pulumi.Options{Program: (&lab{}).program(b, string(text)), Dir: b.TempDir()})
	ctx := b.Context()
	args, err := structpb.NewStruct(config)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Configure(ctx, &pulumirpc.ConfigureRequest{Args: args}); err != nil {
		b.Fatal(err)
	}
	inputs, recorded := encoded(b, values), encoded(b, values)
	recorded.Fields["__declprov"] = structpb.NewStringValue(`{"t":"18ea5f12faa0551a93698687"}`)
	const name = "a"
	urn := "urn:pulumi:dev::bench::" + token + "::" + name
	check := &pulumirpc.CheckRequest{Urn: urn, Type: token, Name: name, News: inputs, Olds: inputs}
	checkNew := &pulumirpc.CheckRequest{Urn: urn, Type: token, Name: name, News: inputs}
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
				Id: "a.txt", Urn: urn, Type: token, Name: name, Olds: shallow(recorded), OldInputs: inputs, News: inputs,
			})
			return err
		},
		"preview": func() error {
			_, err := s.Create(ctx, &pulumirpc.CreateRequest{
				Urn: urn, Type: token, Name: name, Properties: inputs, Preview: true,
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

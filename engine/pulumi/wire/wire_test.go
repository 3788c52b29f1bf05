package wire_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// describe makes plain Go of properties, so that a comparison shows what
// differs: equality of assets in the SDK looks at hashes alone.
func describe(m property.Map) map[string]any {
	out := make(map[string]any, m.Len())
	for k, v := range m.All {
		out[k] = describeValue(v)
	}
	return out
}

func describeValue(v property.Value) any {
	var body any
	switch {
	case v.IsMap():
		body = describe(v.AsMap())
	case v.IsArray():
		items := []any{}
		for _, item := range v.AsArray().All {
			items = append(items, describeValue(item))
		}
		body = items
	case v.IsAsset():
		body = *v.AsAsset()
	case v.IsArchive():
		body = v.AsArchive()
	case v.IsResourceReference():
		ref := v.AsResourceReference()
		body = []any{"reference", ref.URN, ref.Name, ref.Type, describeValue(ref.ID), ref.PackageVersion}
	case v.IsComputed():
		body = "<unknown>"
	case v.IsString():
		body = fmt.Sprintf("%q", v.AsString())
	case v.IsNumber():
		body = v.AsNumber()
	case v.IsBool():
		body = v.AsBool()
	}
	if v.Secret() {
		body = []any{"secret", body}
	}
	if on := v.Dependencies(); len(on) > 0 {
		body = []any{"depends", on, body}
	}
	return body
}

const anURN = "urn:pulumi:dev::proj::files:index:File::readme"

type decodeCase struct {
	name string
	sent *structpb.Value
	want property.Value
	// refused is a part of the error, where one is due.
	refused string
}

func signedAs(signature string, parts map[string]any) *structpb.Value {
	fields := map[string]any{sig.Key: signature}
	for k, v := range parts {
		fields[k] = v
	}
	v, err := structpb.NewValue(fields)
	if err != nil {
		panic(err)
	}
	return v
}

func decodeCases() []decodeCase {
	nested := structpb.NewStringValue("deep")
	for range wire.MaxDepth + 1 {
		nested = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{nested}})
	}
	secretText := map[string]any{sig.Key: sig.Secret, "value": "hush"}
	return append([]decodeCase{
		{name: "null", sent: structpb.NewNullValue(), want: property.New(property.Null)},
		{name: "bool", sent: structpb.NewBoolValue(true), want: property.New(true)},
		{name: "number", sent: structpb.NewNumberValue(1.5), want: property.New(1.5)},
		{name: "string", sent: structpb.NewStringValue("x"), want: property.New("x")},
		{name: "empty object", sent: structpb.NewStructValue(&structpb.Struct{}), want: property.New(property.Map{})},
		{
			name: "internal key", sent: signless("__defaults", "x"),
			want: property.New(map[string]property.Value{"__defaults": property.New("x")}),
		},
		{name: "NaN", sent: structpb.NewNumberValue(math.NaN()), refused: "NaN"},
		{name: "infinity", sent: structpb.NewNumberValue(math.Inf(-1)), refused: "-Inf"},
		{name: "no kind", sent: &structpb.Value{}, refused: "no value"},
		{name: "too deep", sent: nested, refused: "deeper than"},
		{
			name: "secret", sent: signedAs(sig.Secret, map[string]any{"value": "hush"}),
			want: property.New("hush").WithSecret(true),
		},
		{
			name: "secret null", sent: signedAs(sig.Secret, map[string]any{"value": nil}),
			want: property.New(property.Null).WithSecret(true),
		},
		{
			name: "secret unknown", sent: signedAs(sig.Secret, map[string]any{"value": wire.Unknown}),
			want: property.New(property.Computed).WithSecret(true),
		},
		{name: "secret without value", sent: signedAs(sig.Secret, nil), refused: "without a value"},
		{name: "unknown signature", sent: signedAs("cafe", nil), refused: `unknown signature "cafe"`},
		{name: "signature that is no string", sent: signless(sig.Key, true), refused: "unknown signature"},
		{
			name: "byte string", sent: signedAs(sig.ByteString, map[string]any{"value": "/wA="}),
			want: property.New("\xff\x00"),
		},
		{name: "byte string not base64", sent: signedAs(sig.ByteString, map[string]any{"value": "?"}), refused: "base64"},
		{name: "byte string without value", sent: signedAs(sig.ByteString, nil), refused: "without a value"},
		{
			name: "output", sent: signedAs(sig.OutputValue, map[string]any{
				"value": 1.0, "secret": true, "dependencies": []any{anURN},
			}),
			want: property.New(1.0).WithSecret(true).WithDependencies([]urn.URN{anURN}),
		},
		{name: "output unknown", sent: signedAs(sig.OutputValue, nil), want: property.New(property.Computed)},
		{name: "output flag", sent: signedAs(sig.OutputValue, map[string]any{"secret": "yes"}), refused: "not a bool"},
		{
			name: "output dependency", sent: signedAs(sig.OutputValue, map[string]any{"dependencies": []any{1.0}}),
			refused: "not a URN",
		},
		{
			name: "secret in a secret text", sent: signedAs(sig.AssetSig, map[string]any{"text": secretText}),
			refused: "a text that is not a string",
		},
	}, append(unknownCases(), fileCases()...)...)
}

func signless(key string, value any) *structpb.Value {
	v, err := structpb.NewValue(map[string]any{key: value})
	if err != nil {
		panic(err)
	}
	return v
}

// unknownCases are the sentinels of every type.
func unknownCases() []decodeCase {
	var cases []decodeCase
	for _, s := range []string{
		"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
		"04da6b54-80e4-46f7-96ec-b56ff0331ba9", "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
		"030794c1-ac77-496b-92df-f27374a8bd58", "e48ece36-62e2-4504-bad9-02848725956a",
		"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
	} {
		cases = append(cases, decodeCase{
			name: "unknown " + s[:4], sent: structpb.NewStringValue(s), want: property.New(property.Computed),
		})
	}
	return cases
}

func fileCases() []decodeCase {
	text := &asset.Asset{Sig: sig.AssetSig, Text: "hi", Hash: "h1"}
	folder := &archive.Archive{Sig: sig.ArchiveSig, Path: "./d"}
	sentText := map[string]any{sig.Key: sig.AssetSig, "text": "hi", "hash": "h1"}
	sentFolder := map[string]any{sig.Key: sig.ArchiveSig, "path": "./d"}
	reference := property.ResourceReference{URN: anURN, Name: "readme", Type: "files:index:File"}
	return []decodeCase{
		{name: "asset", sent: signedAs(sig.AssetSig, map[string]any{"text": "hi", "hash": "h1"}), want: property.New(text)},
		{
			name: "elided asset", sent: signedAs(sig.AssetSig, map[string]any{"hash": "h1"}),
			want: property.New(&asset.Asset{Sig: sig.AssetSig, Hash: "h1"}),
		},
		{name: "asset path", sent: signedAs(sig.AssetSig, map[string]any{"path": 1.0}), refused: "a path that is not a string"},
		{
			name: "archive", sent: signedAs(sig.ArchiveSig, map[string]any{
				"assets": map[string]any{"a": sentText, "d": sentFolder},
			}),
			want: property.New(&archive.Archive{Sig: sig.ArchiveSig, Assets: map[string]any{"a": text, "d": folder}}),
		},
		{
			name: "elided archive", sent: signedAs(sig.ArchiveSig, map[string]any{"hash": "h2"}),
			want: property.New(&archive.Archive{Sig: sig.ArchiveSig, Hash: "h2", Assets: map[string]any{}}),
		},
		{
			name: "archive member", sent: signedAs(sig.ArchiveSig, map[string]any{"assets": map[string]any{"a": "x"}}),
			refused: `member "a"`,
		},
		{name: "reference", sent: signedAs(sig.ResourceReference, map[string]any{"urn": anURN}), want: property.New(reference)},
		{name: "reference without URN", sent: signedAs(sig.ResourceReference, nil), refused: "without a URN"},
		{
			name: "reference with unknown id", sent: signedAs(sig.ResourceReference, map[string]any{
				"urn": anURN, "id": wire.Unknown,
			}),
			want: func() property.Value {
				ref := reference
				ref.ID = property.New(property.Computed)
				return property.New(ref)
			}(),
		},
		{
			name: "reference id", sent: signedAs(sig.ResourceReference, map[string]any{"urn": anURN, "id": true}),
			refused: "an id that is not a string",
		},
	}
}

func TestDecode(t *testing.T) {
	for _, c := range decodeCases() {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.DecodeValue(c.sent)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error = %v, want one with %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(describeValue(c.want), describeValue(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestDecodeErrorIsTheFirstByName: whatever order Go walks the map in.
func TestDecodeErrorIsTheFirstByName(t *testing.T) {
	bad := map[string]any{"b c": []any{1.0, map[string]any{sig.Key: "x"}}}
	s, err := structpb.NewStruct(map[string]any{"z": bad, "a": bad, "m": bad, "ok": 1.0})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, err := wire.Decode(s)
		var e *wire.Error
		if !errors.As(err, &e) || e.Path != `a["b c"][1]` {
			t.Fatalf("error = %v, want one at a[\"b c\"][1]", err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	deep := property.New("x")
	for range wire.MaxDepth + 1 {
		deep = property.New([]property.Value{deep})
	}
	cases := []struct {
		name  string
		value property.Value
		path  string
	}{
		{"NaN", property.New(map[string]property.Value{"n": property.New(math.NaN())}), "p.n"},
		{"infinity", property.New([]property.Value{property.New(math.Inf(1))}), "p[0]"},
		{"bytes", property.New("\xff"), "p"},
		{"name", property.New(map[string]property.Value{"\xff": property.New(1.0)}), "p[\"\uFFFD\"]"},
		{"asset bytes", property.New(&asset.Asset{Sig: sig.AssetSig, Text: "\xff"}), "p.text"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"p": c.value}))
			var e *wire.Error
			if !errors.As(err, &e) || e.Path != c.path {
				t.Errorf("error = %v, want one at %s", err, c.path)
			}
		})
	}
	if _, err := (wire.Encoder{}).Encode(property.NewMap(map[string]property.Value{"p": deep})); err == nil {
		t.Error("a value nested too deep was sent")
	}
}

// TestLargeMessage: a value beyond gRPC's default of 4 MB is nothing special.
func TestLargeMessage(t *testing.T) {
	want := property.NewMap(map[string]property.Value{"content": property.New(strings.Repeat("x", 8<<20))})
	s, err := wire.Encoder{}.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back structpb.Struct
	if err := proto.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	got, err := wire.Decode(&back)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equals(want) {
		t.Error("the content changed on its way")
	}
}

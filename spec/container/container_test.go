package container_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
)

func TestEncodeOpenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := container.Content{
			Provider: anyProvider(t),
			Schema:   rapid.SliceOf(rapid.Byte()).Draw(t, "schema"),
			Sources: []container.Source{
				{Path: "a.cue", Content: rapid.SliceOf(rapid.Byte()).Draw(t, "source")},
				{Path: "b.cue", Content: []byte("b")},
			},
			Tags: []string{"prod"}, Dirs: []string{"."}, Tool: "v1.2.3", CUE: "v0.17.1",
		}
		whole, err := container.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		c, err := container.OpenBytes(whole)
		if err != nil {
			t.Fatal(err)
		}
		got := container.Content{Tags: c.Tags(), Dirs: c.Dirs(), Tool: c.Tool(), CUE: c.CUE()}
		if got.Provider, err = c.Whole(); err != nil {
			t.Fatal(err)
		}
		if got.Schema, err = c.Schema(); err != nil {
			t.Fatal(err)
		}
		if got.Sources, err = c.Sources(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(want, got) { // cmp takes a hundred times as long to see that they are equal
			t.Errorf("the opened container differs (-encoded +opened):\n%s", cmp.Diff(want, got))
		}
		again, err := container.Encode(got)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole, again) {
			t.Errorf("equal content gave other bytes:\n%s", cmp.Diff(whole, again))
		}
	})
}

func TestUnusualTextIsKept(t *testing.T) {
	const doc = "\x00\x1f\\\"\r\n\t é\u2028\ufffd\\ufffd <&>"
	c := open(t, &spec.Provider{Metadata: spec.Metadata{Name: doc}})
	p, err := c.Provider()
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != doc {
		t.Errorf("the name is %q, want %q", p.Name, doc)
	}
}

// TestNumbersAreExact checks that numbers keep their digits. The model has only
// json.Number; a float would become one.
func TestNumbersAreExact(t *testing.T) {
	want := []any{
		json.Number("1e400"), json.Number("12345678901234567890"), json.Number("1.0"), json.Number("1"),
		json.Number("-0.10"), json.Number("1E+2"),
	}
	c := open(t, &spec.Provider{Config: &spec.Type{
		Enum: append([]any{1.5}, want...),
		Max:  &spec.Bound{Value: json.Number("1e400")},
		Fields: []*spec.Property{
			{Default: map[string]any{"a": []any{json.Number("1.0")}}},
			{DefaultExpr: &spec.Node{Kind: spec.NumberNode, Text: "1.0"}},
		},
	}})
	p, err := c.Provider()
	if err != nil {
		t.Fatal(err)
	}
	wantType := &spec.Type{
		Enum: append([]any{json.Number("1.5")}, want...),
		Max:  &spec.Bound{Value: json.Number("1e400")},
		Fields: []*spec.Property{
			{Default: map[string]any{"a": []any{json.Number("1.0")}}},
			{DefaultExpr: &spec.Node{Kind: spec.NumberNode, Text: "1.0"}},
		},
	}
	if diff := cmp.Diff(wantType, p.Config); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestOneResourceIsDecodedAlone(t *testing.T) {
	p := &spec.Provider{Resources: []*spec.Resource{{Name: "Zebra", Doc: "z"}, {Name: "Ape", Doc: "a"}}}
	c := open(t, p)
	if diff := cmp.Diff([]string{"Zebra", "Ape"}, c.ResourceNames()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	r, err := c.Resource("Ape")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Resources[1], r); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	if _, err := c.Resource("Yak"); err == nil || errors.Is(err, container.ErrUnusable) {
		t.Errorf("an unknown resource gave %v", err)
	}
}

func TestInvalidModels(t *testing.T) {
	with := func(v any) *spec.Provider {
		return &spec.Provider{Config: &spec.Type{Enum: []any{v}}}
	}
	deep := &spec.Node{}
	for range 2000 {
		deep = &spec.Node{Items: []*spec.Node{deep}}
	}
	for name, p := range map[string]*spec.Provider{
		"no provider":       nil,
		"not UTF-8":         with("\xff"),
		"a name not UTF-8":  {Metadata: spec.Metadata{Name: "a\\\xff"}},
		"not a JSON number": with(json.Number("0x10")),
		"half a number":     with(json.Number("1.")),
		"duplicate names":   {Resources: []*spec.Resource{{Name: "A"}, {Name: "A"}}},
		"endless":           {Permissions: &spec.Permissions{Read: []*spec.Node{deep}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := container.Encode(container.Content{Provider: p}); err == nil {
				t.Error("it was encoded")
			}
		})
	}
}

func TestSourceHash(t *testing.T) {
	hash := func(tags []string, sources ...container.Source) string {
		b, err := container.Encode(container.Content{Provider: &spec.Provider{}, Sources: sources, Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		c, err := container.OpenBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		return c.SourceHash()
	}
	a := container.Source{Path: "a.cue", Content: []byte("x")}
	b := container.Source{Path: "b.cue", Content: []byte("y")}
	if hash(nil, a, b) != hash(nil, b, a) {
		t.Error("the order of the sources changes the hash")
	}
	for name, other := range map[string]string{
		"content": hash(nil, a, container.Source{Path: "b.cue", Content: []byte("z")}),
		"name":    hash(nil, a, container.Source{Path: "c.cue", Content: []byte("y")}),
		"tags":    hash([]string{"prod"}, a, b),
		"moved":   hash(nil, container.Source{Path: "a.cueb.cue", Content: []byte("xy")}),
		"fewer":   hash(nil, a),
	} {
		if other == hash(nil, a, b) {
			t.Errorf("other %s, same hash", name)
		}
	}
}

func TestDamage(t *testing.T) {
	whole := encode(t, bigProvider(2))
	newer := append([]byte{}, whole...)
	newer[8] = container.Format + 1
	header := append([]byte{}, whole...)
	header[40] ^= 1
	for _, tt := range []struct {
		name  string
		bytes []byte
		says  string
	}{
		{"empty", nil, "truncated"},
		{"no header", whole[:30], "truncated"},
		{"no blobs", whole[:len(whole)-1], "truncated"},
		{"newer", newer, "newer"},
		{"header", header, "checksum"},
		{"another file", []byte(strings.Repeat("name: \"x\"\n", 10)), "not a compiled spec"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := container.OpenBytes(tt.bytes)
			if !errors.Is(err, container.ErrUnusable) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("got %v, want an ErrUnusable that says %q", err, tt.says)
			}
		})
	}
}

// TestEveryBitCounts flips each byte in turn. No such container may open and decode
// to different content.
func TestEveryBitCounts(t *testing.T) {
	p := bigProvider(1)
	whole := encode(t, p)
	for i := range whole {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0x20
		c, err := container.OpenBytes(damaged)
		if err != nil {
			continue
		}
		_, errSpec := c.Whole()
		_, errSchema := c.Schema()
		_, errSources := c.Sources()
		if errors.Join(errSpec, errSchema, errSources) == nil {
			t.Fatalf("the change of byte %d was not detected", i)
		}
	}
}

func TestSalvage(t *testing.T) {
	want := &container.Salvaged{
		Sources: []container.Source{{Path: "a.cue", Content: []byte("package a")}, {Path: "b.cue", Content: []byte{}}},
		Tags:    []string{"prod"}, Tool: "v1", CUE: "v0.17.1",
	}
	whole, err := container.Encode(container.Content{
		Provider: bigProvider(1), Sources: want.Sources, Tags: want.Tags, Tool: want.Tool, CUE: want.CUE,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []byte{0, container.Format, 99} {
		whole[8] = format
		got, err := container.Salvage(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("format %d (-want +got):\n%s", format, diff)
		}
	}
	for n := range len(whole) {
		if _, err := container.Salvage(bytes.NewReader(whole[:n]), int64(n)); !errors.Is(err, container.ErrUnusable) {
			t.Fatalf("of %d bytes, %d gave %v", len(whole), n, err)
		}
	}
}

// TestSalvageFormat2 reads the sources of a container of the previous format, whose
// header has other members.
func TestSalvageFormat2(t *testing.T) {
	source := []byte("package a")
	header := fmt.Appendf(nil, `{"tool":"v1","cue":"v0.17.1","hash":"00","tags":["prod"],"dirs":["."],"files":["a.cue"],`+
		`"provider":{},"schema":{},"resources":[],"sources":[{"n":"a.cue","b":{"l":%d,"c":%d}}]}`, len(source), crc32.ChecksumIEEE(source))
	whole := binary.LittleEndian.AppendUint32([]byte("DECLPROV"), 2)
	whole = binary.LittleEndian.AppendUint32(whole, uint32(len(header)))
	whole = binary.LittleEndian.AppendUint32(whole, crc32.ChecksumIEEE(header))
	whole = append(append(whole, header...), source...)

	if _, err := container.OpenBytes(whole); !errors.Is(err, container.ErrOlder) || !errors.Is(err, container.ErrUnusable) {
		t.Errorf("OpenBytes gave %v, want ErrOlder", err)
	}
	got, err := container.Salvage(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	want := &container.Salvaged{
		Sources: []container.Source{{Path: "a.cue", Content: source}},
		Tags:    []string{"prod"}, Dirs: []string{"."}, Tool: "v1", CUE: "v0.17.1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec")
	if err := os.WriteFile(path, encode(t, bigProvider(3)), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := container.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resource("Res2"); err != nil {
		t.Errorf("after the file was removed: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(encodeOrDie(bigProvider(1)))
	f.Add([]byte("DECLPROV"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := container.OpenBytes(b)
		if err != nil {
			if !errors.Is(err, container.ErrUnusable) {
				t.Errorf("%v does not wrap ErrUnusable", err)
			}
			return
		}
		if _, err := c.Whole(); err != nil && !errors.Is(err, container.ErrUnusable) {
			t.Errorf("%v does not wrap ErrUnusable", err)
		}
	})
}

func open(t *testing.T, p *spec.Provider) *container.Container {
	t.Helper()
	c, err := container.OpenBytes(encode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t testing.TB, p *spec.Provider) []byte {
	t.Helper()
	b, err := container.Encode(container.Content{
		Provider: p, Schema: []byte(`{"name":"x"}`),
		Sources: []container.Source{{Path: "x.cue", Content: []byte("package x")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encodeOrDie(p *spec.Provider) []byte {
	b, err := container.Encode(container.Content{Provider: p})
	if err != nil {
		panic(err)
	}
	return b
}

package container_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// filler makes values of the model by their Go types, so that a field that is
// added to the model is in the round trip from its first day.
type filler struct {
	t     *rapid.T
	depth int
}

func (f *filler) fill(v reflect.Value) {
	f.depth++
	defer func() { f.depth-- }()
	few := rapid.IntRange(0, max(0, 3-f.depth/4))
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(f.t, "bool"))
	case reflect.Int:
		v.SetInt(int64(rapid.IntRange(-2, 90_000).Draw(f.t, "int")))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(f.t, "uint")))
	case reflect.String:
		v.SetString(rapid.String().Draw(f.t, "string"))
	case reflect.Pointer:
		if few.Draw(f.t, "set") > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		if n := few.Draw(f.t, "len"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i))
			}
		}
	case reflect.Map:
		f.fillMap(v, few.Draw(f.t, "len"))
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Interface:
		if lit := f.literal(); lit != nil {
			v.Set(reflect.ValueOf(lit))
		}
	default:
		f.t.Fatalf("no values for %s", v.Type())
	}
}

func (f *filler) fillMap(v reflect.Value, n int) {
	if n == 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(elem)
		v.SetMapIndex(key, elem)
	}
}

func (f *filler) literal() any {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`)
	switch rapid.IntRange(0, 5).Draw(f.t, "literal") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(f.t, "bool")
	case 2:
		return rapid.String().Draw(f.t, "string")
	case 3:
		return json.Number(number.Draw(f.t, "number"))
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(f.t, "len") {
			list = append(list, f.literal())
		}
		return list
	default:
		m := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(f.t, "len") {
			m[rapid.String().Draw(f.t, "key")] = f.literal()
		}
		return m
	}
}

func anyProvider(t *rapid.T) *spec.Provider {
	p := &spec.Provider{}
	f := &filler{t: t}
	f.fill(reflect.ValueOf(p).Elem())
	p.Resources = nil
	for i := range rapid.IntRange(0, 3).Draw(t, "resources") {
		r := &spec.Resource{}
		f.fill(reflect.ValueOf(r).Elem())
		r.Name = fmt.Sprint(r.Name, i)
		p.Resources = append(p.Resources, r)
	}
	return p
}

func TestWhatIsEncodedIsWhatIsOpened(t *testing.T) {
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
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the opened container differs (-encoded +opened):\n%s", diff)
		}
		again, err := container.Encode(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, again); diff != "" {
			t.Errorf("equal content gave other bytes:\n%s", diff)
		}
	})
}

func TestBytesThatAreNotUTF8ComeBack(t *testing.T) {
	const doc = "\xff\x00\x1f\\\"\r\n\t é\u2028"
	c := open(t, &spec.Provider{Metadata: spec.Metadata{Name: doc}})
	p, err := c.Provider()
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != doc {
		t.Errorf("the name is %q, want %q", p.Name, doc)
	}
}

func TestOneResourceIsReadAlone(t *testing.T) {
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

func TestWhatCannotBeEncoded(t *testing.T) {
	with := func(v any) *spec.Provider {
		return &spec.Provider{Config: &spec.Type{Enum: []any{v}}}
	}
	deep := &spec.Node{}
	for range 2000 {
		deep = &spec.Node{Items: []*spec.Node{deep}}
	}
	for name, p := range map[string]*spec.Provider{
		"no provider":    nil,
		"a float":        with(1.5),
		"no JSON number": with(json.Number("0x10")),
		"half a number":  with(json.Number("1.")),
		"two of a name":  {Resources: []*spec.Resource{{Name: "A"}, {Name: "A"}}},
		"endless":        {Permissions: &spec.Permissions{Read: []*spec.Node{deep}}},
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
		{"empty", nil, "cut short"},
		{"no header", whole[:30], "cut short"},
		{"no blobs", whole[:len(whole)-1], "cut short"},
		{"newer", newer, "newer"},
		{"header", header, "damaged"},
		{"another file", []byte(strings.Repeat("name: \"x\"\n", 10)), "no compiled spec"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := container.OpenBytes(tt.bytes)
			if !errors.Is(err, container.ErrUnusable) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("got %v, want an ErrUnusable that says %q", err, tt.says)
			}
		})
	}
}

// TestEveryBitCounts flips each byte in turn: no container may open and read
// well, and differ.
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
			t.Fatalf("byte %d was changed, and nothing noticed", i)
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

// bigProvider has n resources of the size of a usual one: eight inputs, three
// outputs, four operations, some fifty nodes.
func bigProvider(n int) *spec.Provider {
	p := &spec.Provider{Metadata: spec.Metadata{Name: "big", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object}}
	at := diag.Range{File: "big.cue", Start: diag.Position{Line: 120, Column: 9}, End: diag.Position{Line: 120, Column: 21}}
	object := func(n int) *spec.Type {
		t := &spec.Type{Kind: spec.Object}
		for i := range n {
			t.Fields = append(t.Fields, &spec.Property{
				Name: fmt.Sprintf("property%d", i), Doc: "What it is for.", Range: at, Required: i%2 == 0,
				Type: &spec.Type{Kind: spec.String, MinLen: 1, Patterns: []spec.Pattern{{Regexp: "^[a-z]+$"}}},
			})
		}
		return t
	}
	text := func(s string) *spec.Node {
		return &spec.Node{Kind: spec.StringNode, Text: s, Range: at, Marks: []spec.Mark{{Pos: at.Start}}}
	}
	operation := func() *spec.Operation {
		args := &spec.Node{Kind: spec.MapNode, Range: at}
		for i := range 10 {
			args.Fields = append(args.Fields, spec.Field{Name: fmt.Sprintf("arg%d", i), NameRange: at, Value: text("${inputs.path}/x")})
		}
		action := &spec.Node{Kind: spec.MapNode, Range: at, Fields: []spec.Field{{Name: "write", NameRange: at, Value: args}}}
		return &spec.Operation{Range: at, Steps: []*spec.Step{{Range: at, Actions: []spec.Field{{Name: "file", NameRange: at, Value: action}}}}}
	}
	for i := range n {
		p.Resources = append(p.Resources, &spec.Resource{
			Name: fmt.Sprintf("Res%d", i), Doc: "A resource.", Range: at, Inputs: object(8), Outputs: object(3), ID: text("${inputs.path}"),
			Create: operation(), Read: operation(), Update: operation(), Delete: operation(),
		})
	}
	return p
}

func BenchmarkOpenAndOneResource(b *testing.B) {
	for _, n := range []int{3, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			whole := encode(b, bigProvider(n))
			b.ReportMetric(float64(len(whole))/float64(n), "B/resource")
			b.ReportAllocs()
			for b.Loop() {
				c, err := container.OpenBytes(whole)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Resource("Res1"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResource(b *testing.B) {
	c, err := container.OpenBytes(encode(b, bigProvider(3)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Resource("Res1"); err != nil {
			b.Fatal(err)
		}
	}
}

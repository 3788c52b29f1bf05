package http

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/spec/decode"
)

// anyValue draws a value that an argument may have.
func anyValue(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.String().AsAny(), rapid.SampledFrom(hostilePieces).Filter(validText).AsAny(),
		rapid.Float64().Filter(func(f float64) bool { return f != math.Trunc(f) && !math.IsNaN(f) && !math.IsInf(f, 0) }).AsAny(),
		rapid.SampledFrom([]any{json.Number("18446744073709551615"), json.Number("1e400"), json.Number("0.1000000000000000000001")}),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	lists := rapid.SliceOfN(anyValue(depth-1), 0, 4).AsAny()
	objects := rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 4).AsAny()
	return rapid.OneOf(append(scalars, lists, objects)...)
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// TestJSONThereAndBack checks that encoded values are valid JSON, and decode to the same
// values, to the last digit.
func TestJSONThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(3).Draw(t, "value")
		data, err := request.EncodeJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not valid JSON", data)
		}
		got, err := verdict.DecodeJSON(data, decode.NewBudget(0))
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%q decodes to %#v, want %#v (%v)", data, got, v, err)
		}
	})
}

// TestXMLThereAndBack checks that elements, attributes, text and namespaces decode to what
// was encoded.
func TestXMLThereAndBack(t *testing.T) {
	text := rapid.StringMatching(`[ -~üß日]{1,20}`).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	name := rapid.StringMatching(`[a-z][a-z0-9.-]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		members := map[string]any{}
		for k, v := range rapid.MapOfN(name, text, 1, 5).Draw(t, "members") {
			members[k] = v
		}
		members["@"+name.Draw(t, "attribute")] = text.Draw(t, "its value")
		for _, space := range []string{"urn:a", "urn:b&c"} {
			members["{"+space+"}same"], members["@{"+space+"}same"] = text.Draw(t, "in a namespace"), text.Draw(t, "its attribute")
		}
		members["@xml"], members["@{http://www.w3.org/XML/1998/namespace}lang"] = "a", "de"
		members["{urn:a}inner"] = map[string]any{"{urn:a}same": text.Draw(t, "below"), "@of": "a", "{urn:b}other": map[string]any{"{urn:a}same": "back", "@no": "space"}}
		members["z.list"] = []any{text.Draw(t, "first"), text.Draw(t, "second")}
		v := map[string]any{"root": members}
		data, err := request.EncodeXML(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := verdict.DecodeXML(data, decode.NewBudget(0))
		if err != nil || !reflect.DeepEqual(got, any(v)) {
			t.Fatalf("%s decodes to %v, want %v (%v)", data, got, v, err)
		}
	})
}

func FuzzDecodeJSON(f *testing.F) {
	for _, s := range []string{`{}`, `[1.50,"\ud800"]`, `1e999`, `"\u0000"`, "\xef\xbb\xbf1", `{"a":1,"a":2}`, "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := verdict.DecodeJSON([]byte(s), decode.NewBudget(0))
		if err != nil {
			return
		}
		data, err := request.EncodeJSON(v)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		again, err := verdict.DecodeJSON(data, decode.NewBudget(0))
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if second, err := request.EncodeJSON(again); err != nil || string(second) != string(data) {
			t.Fatalf("%q encodes to %q, then to %q (%v)", s, data, second, err)
		}
	})
}

// TestXMLCounts checks that the budget applies before elements and attributes are decoded.
func TestXMLCounts(t *testing.T) {
	_, err := verdict.DecodeXML([]byte(`<a x="1"><b/></a>`), decode.NewBudget(2))
	var many *decode.TooManyError
	if !errors.As(err, &many) || many.Count != 3 {
		t.Errorf("expected a count of 3, got %v", err)
	}
}

// TestXMLNulls checks that null writes nothing, and an empty string an empty element.
func TestXMLNulls(t *testing.T) {
	root := args{"b": nil, "c": []any{nil, "x", ""}, "@d": nil, "e": args{}, "#children": []any{args{"f": nil}, args{"g": ""}, args{"f": []any{nil, "y"}}}}
	got, err := request.EncodeXML(args{"a": root})
	const want = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a><c>x</c><c></c><e></e><g></g><f>y</f></a>"
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

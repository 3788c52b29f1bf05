package try

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

func inputs() *spec.Type {
	kind := func(name string, k spec.Kind) *spec.Property {
		return &spec.Property{Name: name, Type: &spec.Type{Kind: k}}
	}
	return &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		kind("text", spec.String), kind("flag", spec.Bool), kind("count", spec.Int), kind("ratio", spec.Number),
		{Name: "texts", Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Kind: spec.String}}},
		{Name: "inner", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{kind("text", spec.String), kind("count", spec.Int)}}},
		kind("list", spec.List), kind("asset", spec.Asset), kind("archive", spec.Archive), kind("any", spec.Any),
		{Name: "named", Type: &spec.Type{Ref: "Port"}},
		{Name: "either", Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.String}, {Kind: spec.Int}}}},
		{Name: "parts", Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.Object}, {Kind: spec.Int}}}},
	}}
}

var named = spec.Types{"Port": {Name: "Port", Type: &spec.Type{Kind: spec.Int}}}

// TestSettingsOfFiles checks that a setting from a file of one line has no line break.
func TestSettingsOfFiles(t *testing.T) {
	for content, want := range map[string]string{
		"token": "token", "token\n": "token", "token\r\n": "token", "token\n\n": "token\n\n", "": "", "\n": "",
		"-----BEGIN-----\nx\n": "-----BEGIN-----\nx\n",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Settings([]string{"text=@" + path}, inputs(), named)
		if err != nil || got.Get("text").AsString() != want {
			t.Errorf("%q: got %v, %v; want %q", content, got, err, want)
		}
		got, err = Values([]string{"text=@" + path}, inputs(), named)
		if err != nil || got.Get("text").AsString() != content {
			t.Errorf("%q as an input: got %v, %v", content, got, err)
		}
	}
}

func TestValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("from a file"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ arg, name, want string }{
		{"text=hello", "text", `"hello"`},
		{"text=", "text", `""`},
		{"text=a=b", "text", `"a=b"`},
		{"text=12", "text", `"12"`},
		{"text=@" + path, "text", `"from a file"`},
		{"flag=true", "flag", "true"},
		{"count=3", "count", "3"},
		{"ratio=0.5", "ratio", "0.5"},
		{"named=80", "named", "80"},
		{"any=12", "any", `"12"`},
		{"either=12", "either", "12"},
		{"either=twelve", "either", `"twelve"`},
		{"unknown=x", "unknown", `"x"`},
		{`list:=["a", 1, null]`, "list", `["a", 1, null]`},
		{`any:={"b": {"c": true}, "a": 1.5}`, "any", "{a: 1.5, b: {c: true}}"},
		{"count=9007199254740992", "count", "9007199254740992"},
		{"ratio=0.10000000000000001", "ratio", "0.1"},
		{"either=9007199254740993", "either", `"9007199254740993"`},
		{`text:=123456789012345678901`, "text", `"123456789012345678901"`},
		{`texts:=[1, 9007199254740993]`, "texts", `[1, "9007199254740993"]`},
		{`inner:={"text": 9007199254740993, "count": 3}`, "inner", `{count: 3, text: "9007199254740993"}`},
		{"asset=@" + path, "asset", "asset " + path},
		{"asset=some text", "asset", `asset "some text"`},
	}
	for _, test := range tests {
		t.Run(test.arg, func(t *testing.T) {
			got, err := Values([]string{test.arg}, inputs(), named)
			if err != nil {
				t.Fatal(err)
			}
			v, ok := got.GetOk(test.name)
			if !ok || show(v) != test.want {
				t.Errorf("%s is %s (%v), want %s", test.name, show(v), ok, test.want)
			}
		})
	}
}

func TestInvalidValues(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"no sign":         {[]string{"text"}, "key=value"},
		"no name":         {[]string{"=x"}, "key=value"},
		"twice":           {[]string{"text=a", "text:=1"}, "text is given twice"},
		"flag":            {[]string{"flag=perhaps"}, `flag: expected true or false, got "perhaps"`},
		"number":          {[]string{"count=many"}, `count: expected an integer, got "many"`},
		"no number":       {[]string{"count="}, `count: expected an integer, got ""`},
		"hexadecimal":     {[]string{"count=0x10"}, "count: expected an integer"},
		"many digits":     {[]string{"count=9007199254740993"}, "declare a string"},
		"much too large":  {[]string{"ratio=1e400"}, "ratio: expected a number that a 64-bit float holds exactly, got 1e400"},
		"much too small":  {[]string{"ratio=1e-99999"}, "1e-99999"},
		"of a named type": {[]string{"named=9007199254740993"}, "named: expected a number that"},
		"of no variant":   {[]string{"parts=9007199254740993"}, "declare a string"},
		"in JSON":         {[]string{`any:={"b": [1, 9007199254740993]}`}, "any: b: [1]: expected a number that"},
		"in a struct":     {[]string{`inner:={"text": 1e400, "count": 1e400}`}, "inner: count: expected a number that"},
		"list as text":    {[]string{"list=a,b"}, "list: expected a list; write it as JSON, with :="},
		"not JSON":        {[]string{"any:={"}, `any: "{" is not JSON`},
		"JSON and more":   {[]string{"any:=1 2"}, "unexpected data after the JSON value"},
		"no such file":    {[]string{"text=@/does/not/exist"}, "/does/not/exist"},
		"archive":         {[]string{"archive=x"}, "=@folder"},
		"no variant":      {[]string{"parts=x"}, "several variants"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Values(test.args, inputs(), named)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestShow(t *testing.T) {
	tests := map[string]property.Value{
		"[secret]":          property.New("hidden").WithSecret(true),
		"{token: [secret]}": property.New(map[string]property.Value{"token": property.New("hidden").WithSecret(true)}),
		"[]":                property.New([]property.Value{}).WithSecret(true),
		"null":              property.New(property.Null).WithSecret(true),
		"[unknown]":         property.New(property.Computed),
		"9007199254740991":  property.New(9007199254740991.0),
		`"\x1b[31m"`:        property.New("\x1b[31m"),
		`"` + strings.Repeat("é", 200) + `" … (201 characters)`: property.New(strings.Repeat("é", 201)),
	}
	for want, v := range tests {
		if got := show(v); got != want {
			t.Errorf("shown as %s, want %s", got, want)
		}
	}
}

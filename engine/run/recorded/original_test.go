package recorded

import (
	"encoding/json"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// TestOriginalInputs: a state gives back the inputs that it was given, secret where they were, whatever the host
// has recorded since; but for files, which are those that the host has recorded.
func TestOriginalInputs(t *testing.T) {
	t.Parallel()
	file := func(text string) property.Value {
		a, err := asset.FromText(text)
		if err != nil {
			t.Fatal(err)
		}
		return property.New(a)
	}
	inputs := func(text, pass string) property.Map {
		return property.NewMap(map[string]property.Value{
			"text": property.New(text), "none": property.New(property.Null), "file": file(text),
			"pass":   property.New(pass).WithSecret(true),
			"nested": property.New(map[string]property.Value{"a": property.New(pass).WithSecret(true)}),
		})
	}
	s := State{Inputs: inputs("new", "p2").Set("added", property.New("x")), Private: Private{Failed: &Failed{Op: "create"}}}
	s.KeepOriginal(inputs("old", "p1"))
	text, err := json.Marshal(s.Private.Failed)
	if err != nil {
		t.Fatal(err)
	}
	s.Private.Failed = &Failed{}
	if err := json.Unmarshal(text, s.Private.Failed); err != nil {
		t.Fatal(err)
	}
	got, err := s.OriginalInputs()
	want := inputs("old", "p1").Set("file", file("new"))
	if err != nil || !s.Private.Failed.Secret || got.Len() != want.Len() {
		t.Fatalf("%+v, secret: %v: %v", got, s.Private.Failed.Secret, err)
	}
	for name, v := range want.All {
		is := got.Get(name)
		if name == "nested" {
			v = property.New(map[string]property.Value{"a": property.New("p1")}).WithSecret(true)
		}
		if !is.Equals(v) {
			t.Errorf("%s: %v, want %v", name, is, v)
		}
	}
}

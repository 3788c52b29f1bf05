package value

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

// TestPlaceholders: each required file that an import has not shown gets a placeholder, which Check refuses
// and which does not count as recorded.
func TestPlaceholders(t *testing.T) {
	kind := func(k spec.Kind) *spec.Type { return &spec.Type{Kind: k} }
	object := func(fields ...*spec.Property) *spec.Type { return &spec.Type{Kind: spec.Object, Fields: fields} }
	must := func(name string, t *spec.Type) *spec.Property {
		return &spec.Property{Name: name, Type: t, Required: true}
	}
	may := func(name string, t *spec.Type) *spec.Property { return &spec.Property{Name: name, Type: t} }
	list := func(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.List, Elem: elem} }
	c := NewBuilder(nil, nil).Build(object(
		must("asset", kind(spec.Asset)), must("archive", kind(spec.Archive)), may("optional", kind(spec.Asset)),
		must("given", kind(spec.Asset)), must("text", kind(spec.String)), must("list", list(kind(spec.Asset))),
		must("struct", object(must("file", kind(spec.Asset)), must("text", kind(spec.String)), may("more", kind(spec.Asset)))),
		must("deep", object(must("in", object(must("file", kind(spec.Archive)))))), must("plain", object(must("text", kind(spec.String)))),
	))
	given := property.NewMap(map[string]property.Value{"given": property.New("x")})
	got := Placeholders(c, given)
	var names []string
	for name, v := range got {
		names = append(names, name)
		var found Findings
		c.ByName[name].Check.Complete(v, name, &found)
		if !slices.ContainsFunc(found.List, func(f Failure) bool { return strings.Contains(f.Reason, "placeholder") }) {
			t.Errorf("the placeholder of %s is not refused: %v", name, found.List)
		}
		if left := WithoutPlaceholders(property.NewMap(got), name); left.Len() != len(got)-1 {
			t.Errorf("the placeholder of %s counts as recorded", name)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"archive", "asset", "deep", "struct"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := WithoutPlaceholders(property.NewMap(got), ""); left.Len() != len(got) {
		t.Error("a value of the program is taken away")
	}
}

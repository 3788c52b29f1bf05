package pulumi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/engine/value"
)

func TestDiffResponse(t *testing.T) {
	cases := []struct {
		name string
		diff engine.DiffResponse
		want *pulumirpc.DiffResponse
	}{
		{
			name: "nothing",
			diff: engine.DiffResponse{Stable: []string{"petId"}},
			want: &pulumirpc.DiffResponse{
				Changes: pulumirpc.DiffResponse_DIFF_NONE, HasDetailedDiff: true, Stables: []string{"petId"},
			},
		},
		{
			name: "nested paths have their property among the diffs, once",
			diff: engine.DiffResponse{Changes: []engine.Change{
				{Path: `rules[0].port`, Kind: engine.Add},
				{Path: `rules[1]`, Kind: engine.Delete},
				{Path: `["x.y"].z`, Kind: engine.Update, Output: true},
			}},
			want: &pulumirpc.DiffResponse{
				Changes: pulumirpc.DiffResponse_DIFF_SOME, HasDetailedDiff: true, Diffs: []string{"rules", "x.y"},
				DetailedDiff: map[string]*pulumirpc.PropertyDiff{
					`rules[0].port`: {Kind: pulumirpc.PropertyDiff_ADD, InputDiff: true},
					`rules[1]`:      {Kind: pulumirpc.PropertyDiff_DELETE, InputDiff: true},
					`["x.y"].z`:     {Kind: pulumirpc.PropertyDiff_UPDATE},
				},
			},
		},
		{
			name: "replacement",
			diff: engine.DiffResponse{DeleteBeforeReplace: true, Changes: []engine.Change{
				{Path: "a.b", Kind: engine.Add, Replace: true},
				{Path: "a.c", Kind: engine.Delete, Replace: true},
				{Path: "d", Kind: engine.Update, Replace: true},
				{Path: "e", Kind: engine.Update},
			}},
			want: &pulumirpc.DiffResponse{
				Changes: pulumirpc.DiffResponse_DIFF_SOME, HasDetailedDiff: true, DeleteBeforeReplace: true,
				Diffs: []string{"a", "d", "e"}, Replaces: []string{"a", "d"},
				DetailedDiff: map[string]*pulumirpc.PropertyDiff{
					"a.b": {Kind: pulumirpc.PropertyDiff_ADD_REPLACE, InputDiff: true},
					"a.c": {Kind: pulumirpc.PropertyDiff_DELETE_REPLACE, InputDiff: true},
					"d":   {Kind: pulumirpc.PropertyDiff_UPDATE_REPLACE, InputDiff: true},
					"e":   {Kind: pulumirpc.PropertyDiff_UPDATE, InputDiff: true},
				},
			},
		},
		{
			name: "a forced update has no details",
			diff: engine.DiffResponse{Force: true},
			want: &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_SOME},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, diffResponse(c.diff), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTopLevel(t *testing.T) {
	for path, want := range map[string]string{
		"a": "a", "a.b": "a", "a[0]": "a", `a["x.y"]`: "a", `["x.y"]`: "x.y", `["x\"y"][0]`: `x"y`,
		`["a\b"]`: `a\b`, "": "",
	} {
		if got := value.TopLevel(path); got != want {
			t.Errorf("TopLevel(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestHostChanges(t *testing.T) {
	olds := property.NewMap(map[string]property.Value{
		"version": property.New("2.3.4"), "__internal": property.New("x"), "pluginDownloadURL": property.New("u"),
	})
	news := property.NewMap(map[string]property.Value{
		"version": property.New("2.4.0"), "__internal": property.New("x"), "__new": property.New(true),
	})
	want := []engine.Change{
		{Path: "pluginDownloadURL", Kind: engine.Delete},
		{Path: "version", Kind: engine.Update},
		{Path: "__new", Kind: engine.Add},
	}
	if diff := cmp.Diff(want, hostChanges(olds, news)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestUnfinished(t *testing.T) {
	const due = "this update is required although no input differs, because "
	cases := []struct {
		failed *engine.Failed
		want   string
	}{
		{nil, due + "the resource differs from its last inputs"},
		{&engine.Failed{Op: "create"}, due + "an earlier create stopped halfway"},
		{&engine.Failed{Op: "update", Error: "disk full"}, due + "an earlier update stopped halfway: disk full"},
	}
	for _, c := range cases {
		if got := unfinished(c.failed); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestPathsAreTheEnginesOwn: a name that we write into a path is the one that
// the engine, and we, read out of it. (Its grammar has no way to write a name
// that ends in a backslash, or that has one before a quote.)
func TestPathsAreTheEnginesOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[^\\]{1,12}`).Draw(t, "key")
		path := wire.Segment(key) + ".x[0]"
		parsed, err := resource.ParsePropertyPath(path)
		if err != nil {
			t.Fatalf("the engine cannot read %q: %v", path, err)
		}
		if diff := cmp.Diff(resource.PropertyPath{key, "x", 0}, parsed); diff != "" {
			t.Fatalf("%q (-want +got)\n%s", path, diff)
		}
		if got := value.TopLevel(path); got != key {
			t.Fatalf("TopLevel(%q) = %q", path, got)
		}
	})
}

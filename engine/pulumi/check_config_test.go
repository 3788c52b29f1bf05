package pulumi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestInputFailures checks that a failure names a property apart from its reason only if Pulumi
// has a value to show for it.
func TestInputFailures(t *testing.T) {
	given := property.NewMap(map[string]property.Value{
		"port": property.New("x"), "none": property.New(property.Null), "db": property.New(map[string]property.Value{}),
	})
	want := map[string]string{"port": "is wrong", "none": "", "missing": "", "db.host": "", "": "is wrong"}
	for path, reason := range want {
		sent := inputFailures([]engine.Failure{{Path: path, Reason: "is wrong"}}, given)
		got := [2]string{sent[0].GetProperty(), sent[0].GetReason()}
		expected := [2]string{path, "is wrong"}
		if reason == "" {
			expected = [2]string{"", path + ": is wrong"}
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", path, diff)
		}
	}
}

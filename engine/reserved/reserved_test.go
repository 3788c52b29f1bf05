package reserved_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/declprov/declprov/engine/reserved"
)

// TestMarkers holds the list to the SDK's.
func TestMarkers(t *testing.T) {
	for _, marker := range []string{
		plugin.UnknownBoolValue, plugin.UnknownNumberValue, plugin.UnknownStringValue, plugin.UnknownArrayValue,
		plugin.UnknownAssetValue, plugin.UnknownArchiveValue, plugin.UnknownObjectValue,
	} {
		if !reserved.Text(marker) || !reserved.Key(marker) {
			t.Errorf("%s is not reserved", marker)
		}
		for _, other := range []string{marker + " ", marker[1:], strings.ToUpper(marker), "x" + marker[1:]} {
			if reserved.Text(other) {
				t.Errorf("%s is reserved", other)
			}
		}
	}
	if !reserved.Key(sig.Key) || reserved.Text(sig.Key) || reserved.Key("name") {
		t.Error("a key is not what it should be")
	}
}

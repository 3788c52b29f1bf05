package serving

import (
	"strings"
	"testing"
)

func TestVersionsThatEvaluateForEachOther(t *testing.T) {
	tests := []struct {
		own, asks string
		ok        bool
	}{
		{"1.2.0", "1.2.0", true},
		{"1.2.0", "1.3.0", false},
		{"1.2.0", Tool{}.Name(), true},
		{"", "1.2.0", true},
		{"", Tool{}.Name(), true},
	}
	for _, test := range tests {
		err := Tool{Version: test.own}.CheckEvaluates(test.asks)
		if (err == nil) != test.ok {
			t.Errorf("%q for %q: %v, want %v", test.own, test.asks, err, test.ok)
		}
		if err != nil && (!strings.Contains(err.Error(), test.own) || !strings.Contains(err.Error(), test.asks)) {
			t.Errorf("%q names not both of %q and %q", err, test.own, test.asks)
		}
	}
}

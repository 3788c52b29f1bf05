package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpreadValues(t *testing.T) {
	tests := map[string]string{
		"try s T a=1":                            "try s T a=1",
		"try s T a=1 --then b=2 c=3":             "try s T a=1 --then=b=2 --also=c=3",
		"try s T --then b=2 --config c=3 d=4":    "try s T --then=b=2 --config=c=3 --config=d=4",
		"try --then b=2 --keep s T":              "try --then=b=2 --keep s T",
		"try s T --then=b=2 c=3":                 "try s T --then=b=2 c=3",
		"try s T --then":                         "try s T --then",
		"try s T --then --keep":                  "try s T --then --keep",
		"try s T --then b=2 -- c=3 --config d=4": "try s T --then=b=2 -- c=3 --config d=4",
		"try s T --then b=2 --then c=3 --dir x":  "try s T --then=b=2 --then=c=3 --dir x",
	}
	for given, want := range tests {
		got := spreadValues(strings.Fields(given), map[string]string{"--then": "--also", "--config": "--config"})
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}

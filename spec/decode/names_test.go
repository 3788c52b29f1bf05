package decode_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/decode"
)

// TestUnqualify checks that names become local unless two would be equal, and that
// the input is not modified.
func TestUnqualify(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct{ read, want any }{
		"none":                       {object{"a": object{"@b": "1"}}, object{"a": object{"@b": "1"}}},
		"one":                        {object{"{u}a": object{"@{u}b": "1"}}, object{"a": object{"@b": "1"}}},
		"below":                      {object{"a": []any{"x", object{"{u}b": "1"}}}, object{"a": []any{"x", object{"b": "1"}}}},
		"two":                        {object{"{u}a": "1", "{v}a": "2"}, object{"{u}a": "1", "{v}a": "2"}},
		"with and without namespace": {object{"{u}a": "1", "a": "2"}, object{"{u}a": "1", "a": "2"}},
		"two attributes":             {object{"@{u}a": "1", "@a": "2", "{u}a": "3"}, object{"@{u}a": "1", "@a": "2", "a": "3"}},
		"no namespace":               {object{"{": "1", "{u}": "2", "@{u": "3"}, object{"{": "1", "{u}": "2", "@{u": "3"}},
	} {
		if diff := cmp.Diff(tc.want, decode.Unqualify(tc.read)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

package typing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/source"
)

// Each kind of invalid regular expression has a specific remedy.
func TestRegexpRemedies(t *testing.T) {
	for text, want := range map[string]string{
		`^(?=a)b`:                       "look-ahead",
		`(a)\\1`:                        "backreferences",
		`((a{1,1000}){1,1000})+`:        "limited to 1000",
		`a{1001}`:                       "limited to 1000",
		strings.Repeat("a{1,999}", 100): "strings.MaxRunes",
		`a(b`:                           "backslash",
		`[a`:                            "backslash",
		`*a`:                            "backslash",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			src := "name: \"test\"\nversion: \"0.1.0\"\nresources: T: {inputs: name: =~\"" + text + "\"\nid: \"1\"\ncreate: exec: command: [\"true\"]}"
			_, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
			if len(diags) != 1 || diags[0].Code != source.CodeBadRegexp || !strings.Contains(diags[0].Detail, want) {
				t.Errorf("%q is expected: %+v", want, diags)
			}
		})
	}
}

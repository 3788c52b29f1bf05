package foreign

import "testing"

func TestParseEscape(t *testing.T) {
	for text, want := range map[string]struct {
		sequence string
		parts    int
	}{
		`a matches '\S'`:            {`\S`, 2},
		`a matches "x\\y" + '\d\n'`: {`\d`, 0}, // in backticks, \n would be two characters
		`'it\'s' + '\-'`:            {`\-`, 2},
		"'`\\.'":                    {`\.`, 0},
		"`\\S` + '\\S'":             {`\S`, 2},
		`'\S`:                       {`\S`, 0},
		`'\n' + "\\"`:               {"", 0},
		`'\`:                        {"", 0},
	} {
		r, from, to, ok := ParseEscape(text, true)
		if ok != (want.sequence != "") || text[from:to] != want.sequence || len(r.Parts) != want.parts {
			t.Errorf("%s: %v %q %+v", text, ok, text[from:to], r)
		}
	}
}

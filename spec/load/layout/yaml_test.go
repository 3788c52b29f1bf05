package layout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestYAML(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"spaces":     {"a:   1\nb: { c: 2,d:   [ 1,2 ] }   # e\r\n\r\n\r\nf:\n    g: x\n", "a: 1\nb: {c: 2, d: [1, 2]} # e\n\nf:\n  g: x\n"},
		"sequences":  {"a:\n- b: 1\n  # c\n  d: 2\n\n# e\n- f\n", "a:\n  - b: 1\n    # c\n    d: 2\n\n  # e\n  - f\n"},
		"strings":    {"a: 'b'\nc: \"d\"\ne: ~\nf: 0644\ng: !!str 1\n\"h\": yes\n", "a: 'b'\nc: \"d\"\ne: ~\nf: 0644\ng: !!str 1\n\"h\": yes\n"},
		"anchors":    {"a:  &b {c: 1}\nd: {<<: *b,  e: *b}\n", "a: &b {c: 1}\nd: {<<: *b, e: *b}\n"},
		"scalars":    {"a:  |\n    b\n\n    # c\n\nd:  >\n  e\n\n\n  f\n\n\ng: \"h\n\n  i\"\nj: k\n\n  l\n\nm: 1\n", "a: |\n  b\n\n  # c\n\nd: >\n  e\n\n\n  f\n\ng: \"h\\ni\"\nj: |-\n  k\n  l\n\nm: 1\n"},
		"kept lines": {"a:  |+\n  b\n\n\nc: 1\n", "a: |+\n  b\n\n\nc: 1\n"},
		"in flow":    {"a: 1\nb:\n  - {c: 1} # d\n  # e\n  - [1,\n # f\n 2]\n", "a: 1\nb:\n  - {c: 1} # d\n  # e\n  - [1,\n    # f\n    2]\n"},
		"comments":   {"# a\n\n# b\nc: 1\n# d\ne:\n    # f\n    g: 1\n    # h\n# i\n", "# a\n\n# b\nc: 1\n# d\ne:\n  # f\n  g: 1\n  # h\n# i\n"},
		"flow":       {"a: [1, # b\n  2]\nc: {d: 1, # e\n f: 2}\n", "a: [1, # b\n  2]\nc: {d: 1, # e\n  f: 2}\n"},
		"no newline": {"a:\n    b:\n        - c\n        # d\n    # e\n# f", "a:\n  b:\n    - c\n    # d\n  # e\n# f\n"},
		"nothing":    {"# a\n", "# a\n"},
		"empty":      {"", ""},
	} {
		got, err := YAML([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again, err := YAML(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: formatted once more: %v\n%s", name, err, cmp.Diff(string(got), string(again)))
		}
	}
}

// FuzzYAML checks that formatting never fails in another way than with an error, and that
// what is formatted stays as it is.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: 1 # b\n\nc: |\n  d\n\n  e\n", "- {a: 'b'} # c\n", "a: \"b\n\n  c\"\n? d\n: e\n", "&a b: *a\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := YAML([]byte(text))
		if err != nil {
			return
		}
		if twice, err := YAML(once); err != nil || string(twice) != string(once) {
			t.Errorf("%q becomes %q, and then %q: %v", text, once, twice, err)
		}
	})
}

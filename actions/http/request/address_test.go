package request

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

func TestPath(t *testing.T) {
	for _, tc := range []struct{ base, path, want, err string }{
		{"https://x.test", "/pets", "https://x.test/pets", ""},
		{"https://x.test/v1/", "/pets", "https://x.test/v1/pets", ""},
		{"https://x.test/v1", "pets/${7}", "https://x.test/v1/pets/7", ""},
		{"https://x.test/v1", "", "https://x.test/v1", ""},
		{"https://x.test/v1", "/", "https://x.test/v1/", ""},
		{"https://x.test", "/pets/", "https://x.test/pets/", ""},
		{"https://x.test", "/pets/${a/b}", "https://x.test/pets/a%2Fb", ""},
		{"https://x.test", "/pets/${a?b#c}", "https://x.test/pets/a%3Fb%23c", ""},
		{"https://x.test", "/pets/${%2e}", "https://x.test/pets/%252e", ""},
		{"https://x.test", "/pets/${..;a=b}", "https://x.test/pets/..%3Ba=b", ""},
		{"https://x.test", "/pets/${a}-${b}.json", "https://x.test/pets/a-b.json", ""},
		{"https://x.test", "/pets?limit=10&q=${a&b=c}", "https://x.test/pets?limit=10&q=a%26b%3Dc", ""},
		{"https://x.test", "/a b/ü", "https://x.test/a%20b/%C3%BC", ""},
		{"https://x.test", "/v1/projects/${p}:cancel", "https://x.test/v1/projects/p:cancel", ""},
		{"https://x.test", "/pets/${}", "", "is empty"},
		{"https://x.test", "/pets/${}/toys", "", "is empty"},
		{"https://x.test", "/pets/${.}", "", `is "."`},
		{"https://x.test", "/pets/${..}/x", "", `is ".."`},
		{"https://x.test", "/pets/.${.}", "", `is ".."`},
		{"https://x.test", "/pets/%2e${.}", "", `is ".."`},
		{"https://x.test", "/pets/../x", "", `is ".."`},
		{"https://x.test", "/pets//x", "", "empty segment"},
		{"https://x.test", "/pets#x", "", "fragment"},
		{"https://x.test", "/100%", "", "percent sign"},
		{"", "/pets", "", "baseURL"},
		{"https://user:hunter2@x.test", "/pets", "", "auth: basic"},
		{"https://x.test?a=b", "/pets", "", "query"},
		{"ftp://x.test", "/pets", "", "expected the scheme http or https"},
		{"x.test/v1", "/pets", "", "no host"},
	} {
		t.Run(tc.base+" "+tc.path, func(t *testing.T) {
			var base *url.URL
			var err error
			if tc.base != "" {
				base, err = parseBaseURL(tc.base)
			}
			var u *url.URL
			if err == nil {
				u, err = resolvePath(base, parts(tc.path))
			}
			checkAddress(t, u, err, tc.want, tc.err)
		})
	}
}

func TestURL(t *testing.T) {
	for _, tc := range []struct{ base, url, want, err string }{
		{"", "https://x.test/pets/${7}?q=${a b}", "https://x.test/pets/7?q=a%20b", ""},
		{"", "https://x.test", "https://x.test", ""},
		{"", "https://${eu}.x.test:${8443}/v1", "https://eu.x.test:8443/v1", ""},
		{"", "https://${eu}.x.test", "https://eu.x.test", ""},
		{"", "https://${evil.test/}.x.test/v1", "", "cannot be part of a host"},
		{"", "https://${evil.test@}.x.test/v1", "", "cannot be part of a host"},
		{"", "https://x.test:${80@evil.test}/v1", "", "cannot be part of a host"},
		{"", "${https://y.test/a?b=c}", "https://y.test/a?b=c", ""},
		{"", "${https://y.test/v1/}/pets/${a/b}", "https://y.test/v1/pets/a%2Fb", ""},
		{"", "${https://y.test/?x=y}/pets", "", "a URL with a query"},
		{"", "${https://me:hunter2@y.test}", "", "user or a password"},
		{"", "${javascript:alert(1)}", "", "no host"},
		{"", "${file:///etc/passwd}", "", "no host"},
		{"", "${/pets}", "", "no baseURL"},
		{"", "${}", "", "not a URL"},
		{"", "//evil.test/x", "", "add the scheme"},
		{"https://x.test/v1", "${/ops/7}", "https://x.test/ops/7", ""},
		{"https://x.test/v1", "${ops/7?a=b}", "https://x.test/v1/ops/7?a=b", ""},
		{"https://x.test/v1", "${//y.test/z}", "https://y.test/z", ""},
		{"https://x.test/v1", "/pets/${7}", "https://x.test/v1/pets/7", ""},
		{"", "https://x.test/pets/${..}", "", `is ".."`},
		{"", "https://x.test/pets/${..}/x", "", `is ".."`},
		{"", "https://x.test/pets/.${.}", "", `is ".."`},
		{"", "https://x.test/pets/%2e${.}", "", `is ".."`},
		{"", "https://x.test/${.}", "", `is "."`},
		{"", "https://x.test/pets/${%2e%2e}", "https://x.test/pets/%252e%252e", ""},
		{"", "${https://y.test/a/../b}", "", `is ".."`},
		{"", "${https://y.test/a/..}", "", `is ".."`},
		{"", "${https://y.test/a/%2e%2e/b}", "", `is ".."`},
		{"", "${https://y.test/a/%2E./b}", "", `is ".."`},
		{"", "${https://y.test/./b}", "", `is "."`},
		{"", "${https://y.test/a}/${..}", "", `is ".."`},
		{"", "${https://y.test/a/}${..}", "", `is ".."`},
		{"", "${https://y.test/a/..b/c..?x=../d}", "https://y.test/a/..b/c..?x=../d", ""},
		{"https://x.test/v1", "${../ops}", "", `is ".."`},
		{"https://x.test/v1", "${ops/%2e%2e/7}", "", `is ".."`},
		{"https://x.test/v1", "${/a/../ops}", "", `is ".."`},
		{"https://x.test/v1", "${//y.test/../z}", "", `is ".."`},
	} {
		t.Run(tc.base+" "+tc.url, func(t *testing.T) {
			var base *url.URL
			if tc.base != "" {
				base = mustURL(t, tc.base)
			}
			a, err := resolveURL(base, parts(tc.url))
			checkAddress(t, a.URL, err, tc.want, tc.err)
		})
	}
}

func checkAddress(t *testing.T, u *url.URL, err error, want, message string) {
	t.Helper()
	switch {
	case message != "":
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("expected an error with %q, got %v", message, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows a password: %v", err)
		}
	case err != nil:
		t.Error(err)
	case u.String() != want:
		t.Errorf("got %s, want %s", u, want)
	}
}

// FuzzPath checks that no value changes the path outside of its segment.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"", ".", "..", "a/b", "%2e%2e", "?", "#", "\x00", "\\..", "ü", "\xff", "a\r\nb", ";x", "//", "@", ":80"} {
		f.Add(s, s)
	}
	base := mustURL(f, "https://x.test/v1")
	f.Fuzz(func(t *testing.T, a, b string) {
		u, err := resolvePath(base, []spec.Part{
			{Text: "/pets/", Literal: true}, {Text: a}, {Text: "/toys/", Literal: true}, {Text: b}, {Text: "?q=", Literal: true}, {Text: a},
		})
		special := func(s string) bool { return s == "" || s == "." || s == ".." }
		if err != nil {
			if !special(a) && !special(b) {
				t.Fatalf("%q, %q: %v", a, b, err)
			}
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != "x.test" || again.Scheme != "https" || again.Fragment != "" || again.User != nil {
			t.Fatalf("%q, %q: %s has another origin (%v)", a, b, u, err)
		}
		segments := strings.Split(again.EscapedPath(), "/")
		if len(segments) != 6 || special(a) || special(b) {
			t.Fatalf("%q, %q: %s has a different number of segments", a, b, u)
		}
		for i, want := range []string{3: a, 5: b} {
			if want == "" {
				continue
			}
			if got, err := url.PathUnescape(segments[i]); err != nil || got != want {
				t.Fatalf("%q is decoded as %q (%v)", want, got, err)
			}
		}
		if got := again.Query().Get("q"); got != a {
			t.Fatalf("%q is decoded as %q", a, got)
		}
		if !utf8.ValidString(u.String()) {
			t.Fatalf("%q is not a URL", u)
		}
	})
}

// TestSegments checks that the elements of segments(…) remain separate segments, and never
// result in another path, or in that of another value.
func TestSegments(t *testing.T) {
	base := mustURL(t, "https://x.test")
	for value, want := range map[string]string{
		"a/b": "/pets/a/b", "a/b c": "/pets/a/b%20c", "/a": "", "a/": "", "a?b/c#d": "/pets/a%3Fb/c%23d", "": "", "/": "", "a//b": "", "../x": "", "a/..": "", "./a": "",
	} {
		scope := &expr.Scope{Names: []expr.Name{{Name: "v", Type: declare.Text()}}}
		v, diags := expr.Compile(&spec.Node{Kind: spec.StringNode, Text: "/pets/${segments(v)}"}, scope, declare.Text())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		evaluated, err := v.Parts(&expr.Vars{Values: map[string]any{"v": value}})
		if err != nil {
			t.Fatal(err)
		}
		var parts []spec.Part
		for _, p := range evaluated {
			parts = append(parts, spec.Part{Text: p.Text, Literal: p.Literal})
		}
		u, err := resolvePath(base, parts)
		if got := ""; err == nil {
			if got = u.EscapedPath(); got != want {
				t.Errorf("%q: got %q, want %q", value, got, want)
			}
		} else if want != "" {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// parts splits a template. The text in ${…} is a value.
func parts(template string) []spec.Part {
	var out []spec.Part
	for template != "" {
		before, rest, ok := strings.Cut(template, "${")
		if before != "" {
			out = append(out, spec.Part{Text: before, Literal: true})
		}
		if !ok {
			break
		}
		value, after, _ := strings.Cut(rest, "}")
		out = append(out, spec.Part{Text: value})
		template = after
	}
	return out
}

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

package grant

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
)

func TestOriginPattern(t *testing.T) {
	lit := func(s string) spec.Part { return spec.Part{Text: s, Literal: true} }
	val := func(s string) spec.Part { return spec.Part{Text: s} }
	for _, tc := range []struct {
		parts []spec.Part
		want  string
		ok    bool
	}{
		{[]spec.Part{val("https://api.test/v1")}, "https://api.test/v1", true},
		{[]spec.Part{val("http://[::1]:8080"), lit("/v1")}, `http://[::1]:8080/v1`, true},
		{[]spec.Part{val("https://*")}, `https://\*`, true},
		{[]spec.Part{lit("https://"), val("eu"), lit(".api.test")}, "https://eu.api.test", true},
		{[]spec.Part{lit("https://*."), val("api.test")}, "https://*.api.test", true},
		{[]spec.Part{lit("https://"), val("evil.test/"), lit(".api.test")}, "", false},
		{[]spec.Part{lit("https://"), val("*"), lit(".api.test")}, "", false},
		{[]spec.Part{lit("https://"), val("a@b"), lit(".api.test")}, "", false},
		{[]spec.Part{lit("https://api.test/"), val("a/b?c")}, "https://api.test/", true},
	} {
		got, err := OriginPattern(tc.parts)
		if (err == nil) != tc.ok || got != tc.want {
			t.Errorf("%v: %q, %v", tc.parts, got, err)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, s := range []string{"https://api.test:8443/x", "http://[::1]", "https://a@b", "https://\\evil", "https://127.0.0.1.", "http://x:80:80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOrigin(text)
		if err != nil {
			return
		}
		if again, err := ParseOrigin(o.String()); err != nil || again != o {
			t.Fatalf("%q is %v, and that is %v (%v)", text, o, again, err)
		}
		if strings.ContainsAny(o.Host, "@/?#\\ ") {
			t.Fatalf("%q has the host %q", text, o.Host)
		}
	})
}

package http

import (
	"net/http"
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	for value, want := range map[string]string{
		`<https://x.test/2>; rel="next"`: "https://x.test/2", `<a>; rel=prev, <b>; rel=next`: "b", `<a>;REL=Next`: "a",
		`<a,b;c>; title="x\", <no>; rel=next"; rel="last next"`: "a,b;c", `<a>; rel=prev; rel=next`: "", `<a>`: "", ``: "", `<a`: "", `junk`: "",
		`<a>; rel*=UTF-8''next`: "", `<a>; crossorigin; rel=next`: "a", `<a>;rel=`: "",
	} {
		if got := nextLinkTarget(http.Header{"Link": {value}}); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func FuzzLink(f *testing.F) {
	f.Add(`<a>; rel="next", <b>; rel=prev`)
	f.Fuzz(func(t *testing.T, value string) {
		if got := nextLinkTarget(http.Header{"Link": {value}}); !strings.Contains(value, got) {
			t.Fatalf("%q has no %q", value, got)
		}
	})
}

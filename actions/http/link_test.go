package http

import (
	"net/http"
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	const broken = "broken"
	for value, want := range map[string]string{
		`<https://x.test/2>; rel="next"`: "https://x.test/2", `<a>; rel=prev, <b>; rel=next`: "b", `<a>;REL=Next`: "a",
		`<a,b;c>; title="x\", <no>; rel=next"; rel="last next"`: "a,b;c", `<a>; rel=prev; rel=next`: "", `<a>`: "", ``: "",
		`<a>; rel*=UTF-8''next`: "", `<a>; crossorigin; rel=next`: "a", `<a>;rel=`: "", `<a>; rel=prev,, <b>; rel=next`: "b", `,`: "", `<a>;`: "",
		`<a`: broken, `junk`: broken, `/pets?page=2; rel="next"`: broken, `</pets?page=2; rel="next"`: broken, `<a>; rel=prev, b; rel=next`: broken,
		`<a> rel="next"`: broken, `<a>: rel="next"`: broken, `<a>; rel="next`: broken, `<>; rel="next"`: broken, `</first>; rel="first" </2>; rel="next"`: broken,
		`junk, <b>; rel=next`: broken, `<a>; rel=prev oops, <b>; rel=next`: "b", `"</pets?page=2>"; rel="next"`: broken,
	} {
		got, err := nextLinkTarget(http.Header{"Link": {value}})
		if err != nil {
			got = broken
		}
		if got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func FuzzLink(f *testing.F) {
	f.Add(`<a>; rel="next", <b>; rel=prev`)
	f.Fuzz(func(t *testing.T, value string) {
		if got, err := nextLinkTarget(http.Header{"Link": {value}}); !strings.Contains(value, got) || got != "" && err != nil {
			t.Fatalf("%q has no %q (%v)", value, got, err)
		}
	})
}

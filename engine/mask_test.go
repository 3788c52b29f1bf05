package engine

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A secret shows in no form that servers are known to give back.
func TestMaskForms(t *testing.T) {
	const secret = "pa/ss+wo\"rd=&<é> Zx9QmPf2LkTr8VbN"
	m := newMask([]string{secret})
	html, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	twice := url.QueryEscape(url.QueryEscape(secret))
	for name, text := range map[string]string{
		"as it is":              secret,
		"JSON":                  string(html),
		"JSON of other writers": `"pa\/ss+wo\"rd=&<é> Zx9QmPf2LkTr8VbN"`,
		"a parameter":           url.QueryEscape(secret),
		"a segment":             url.PathEscape(secret),
		"escaped twice":         twice,
		"basic":                 base64.StdEncoding.EncodeToString([]byte("someone:" + secret)),
		"a shifted basic":       base64.StdEncoding.EncodeToString([]byte("anyone:" + secret + "\n")),
		"a body":                base64.URLEncoding.EncodeToString([]byte("{\"a\":" + string(html) + "}")),
	} {
		got := m.text("it said " + text + ", and no more")
		for _, part := range []string{"Zx9QmPf2LkTr8VbN", "ss+wo", text[len(text)/2 : len(text)/2+12]} {
			if strings.Contains(got, part) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if !strings.HasPrefix(got, "it said ") || !strings.HasSuffix(got, ", and no more") {
			t.Errorf("%s: what is no secret goes, too: %q", name, got)
		}
	}
}

// Whatever stands around a secret in base64, its middle is found.
func TestMaskInsideBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{10,40}`).Draw(t, "secret")
		before, after := rapid.StringN(0, 20, 60).Draw(t, "before"), rapid.StringN(0, 20, 60).Draw(t, "after")
		e := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding}).Draw(t, "encoding")
		code := e.EncodeToString([]byte(before + secret + after))
		got := newMask([]string{secret}).text(code)
		if !strings.Contains(got, masked) {
			t.Fatalf("%q in %q is not found", secret, code)
		}
		if strings.Contains(secret, "[sec") {
			return
		}
		rest := strings.SplitN(got, masked, 2)
		const edge = 4 // digits at either side that the neighbours have a part in
		if len(rest[0])*6/8 > len(before)+edge || len(rest[1])*6/8 > len(after)+edge {
			t.Fatalf("too much is left of it: %q", got)
		}
	})
}

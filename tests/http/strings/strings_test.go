// Package strings_test sends hostile text to a server, through every part of a request, and
// compares bytes.
package strings_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/corpus"
	"github.com/declprov/declprov/tests/internal/provider"
)

var count = flag.Int("strings", 1500, "number of texts for each place (make model uses 10000)")

// fixture is a provider whose server records requests.
type fixture struct {
	*testing.T
	*provider.Process
	server *recorder
}

func newFixture(t *testing.T) *fixture {
	server := startRecorder(t)
	folder := provider.Folder(t, "hostilestrings", "tests/http/strings/testdata/strings.cue")
	p := provider.Configured(t, folder, "hostilestrings", t.TempDir(), map[string]property.Value{"endpoint": property.New(server.url())})
	return &fixture{T: t, Process: p, server: server}
}

// send sends text by a function of the spec, and returns the request that the server
// received, or an error if it was refused.
func (l *fixture) send(function, n, text string) (message, error) {
	args, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"v": property.New(text), "n": property.New(n)}))
	if err != nil {
		return message{}, fmt.Errorf("the text cannot be encoded: %w", err)
	}
	res, err := l.Raw().Invoke(context.Background(), &pulumirpc.InvokeRequest{Tok: "hostilestrings:index:" + function, Args: args})
	got := l.server.takeMessages(n)
	switch {
	case err == nil && len(res.GetFailures()) > 0:
		err = fmt.Errorf("%v", res.GetFailures())
		fallthrough
	case err != nil:
		if len(got) > 0 {
			l.Errorf("%s: %q was refused but sent: %v", function, text, err)
		}
		return message{}, err
	case len(got) != 1:
		return message{}, fmt.Errorf("%d requests", len(got))
	}
	return got[0], nil
}

// place is a part of a request: which texts may be refused there, and how to decode it.
type place struct {
	refused func(string) bool
	arrived func(m message, n string) (string, error)
}

// places are the parts of a request, by the function of the spec that uses them.
var places = map[string]place{
	"path":   {func(s string) bool { return s == "" || s == "." || s == ".." }, pathOf},
	"query":  {never, queryOf},
	"header": {func(s string) bool { return !fitsHeader(s) }, headerOf},
	"json":   {never, jsonOf},
	"form":   {never, formOf},
}

func never(string) bool { return false }

// fitsHeader reports whether a header can contain the text: HTTP does not allow control
// characters (RFC 9110, 5.5), and removes blanks at the ends.
func fitsHeader(s string) bool {
	control := func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }
	return !strings.ContainsFunc(s, control) && strings.Trim(s, " \t") == s
}

func TestHostileStrings(t *testing.T) {
	l := newFixture(t)
	corpus.Try(t, *count, atOnce, slices.Sorted(maps.Keys(places)), func(name string, number int, text string) (bool, error) {
		return l.sendExactly(name, fmt.Sprintf("%s-%d", name, number), text)
	})
	if n := l.server.unclaimed(); n > 0 {
		t.Errorf("%d requests do not belong to a call", n)
	}
}

// atOnce is how many texts are sent concurrently.
const atOnce = 8

// sendExactly sends text to a place, and reports whether the server received it. It returns
// an error if the text was changed, or refused without reason.
func (l *fixture) sendExactly(function, n, text string) (bool, error) {
	p := places[function]
	m, err := l.send(function, n, text)
	switch mayRefuse := p.refused(text); {
	case err != nil && mayRefuse:
		return false, nil
	case err != nil:
		return false, err
	case mayRefuse:
		return false, fmt.Errorf("expected a refusal, but the server received %q", m)
	}
	got, err := p.arrived(m, n)
	if err == nil && got != text {
		err = fmt.Errorf("the server received %q", got)
	}
	return true, err
}

// target returns the path and query of a request line.
func target(m message) (path, query string, err error) {
	parts := strings.Split(strings.TrimSuffix(m.target, "\r\n"), " ")
	if len(parts) != 3 || parts[2] != "HTTP/1.1" {
		return "", "", fmt.Errorf("the request line is %q", m.target)
	}
	path, query, _ = strings.Cut(parts[1], "?")
	return path, query, nil
}

func pathOf(m message, n string) (string, error) {
	path, query, err := target(m)
	segments := strings.Split(path, "/")
	if err != nil || len(segments) != 4 || segments[1] != "path" || segments[3] != "end" || query != "n="+n {
		return "", fmt.Errorf("the request line is %q", m.target)
	}
	return url.PathUnescape(segments[2])
}

func queryOf(m message, n string) (string, error) {
	path, query, err := target(m)
	if err != nil || path != "/query" {
		return "", fmt.Errorf("the request line is %q", m.target)
	}
	return pairOf(query, "n", n)
}

func formOf(m message, n string) (string, error) {
	if kind, _ := m.header("Content-Type"); kind != "application/x-www-form-urlencoded" {
		return "", fmt.Errorf("the content type is %q", kind)
	}
	return pairOf(m.body, "w", "end")
}

// pairOf returns the value of v, if the other pair is unchanged and there is no third.
func pairOf(query, name, value string) (string, error) {
	pairs := strings.Split(query, "&")
	values, err := url.ParseQuery(query)
	if err != nil || len(pairs) != 2 || values.Get(name) != value || len(values["v"]) != 1 {
		return "", fmt.Errorf("the pairs are %q", query)
	}
	return values.Get("v"), nil
}

// usualHeaders are the headers of every request, besides X-V.
var usualHeaders = []string{"Host", "User-Agent", "Accept", "Accept-Encoding"}

func headerOf(m message, _ string) (string, error) {
	value, count := m.header("X-V")
	if count != 1 || len(m.headers) != len(usualHeaders)+1 {
		return "", fmt.Errorf("the headers are %q", m.headers)
	}
	return value, nil
}

func jsonOf(m message, _ string) (string, error) {
	var body struct {
		V string
		W []string
	}
	decoder := json.NewDecoder(strings.NewReader(m.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || decoder.More() {
		return "", fmt.Errorf("the body is %q: %v", m.body, err)
	}
	if diff := cmp.Diff([]string{"<" + body.V + ">"}, body.W); diff != "" {
		return "", fmt.Errorf("embedded in text, the value differs (-alone +embedded):\n%s", diff)
	}
	return body.V, nil
}

// TestBytesThatAreNoText checks that bytes that JSON cannot represent are refused, and not
// replaced.
func TestBytesThatAreNoText(t *testing.T) {
	l := newFixture(t)
	for _, bytes := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\xaf", "\x80abc"} {
		if m, err := l.send("jsonBytes", "b", base64.StdEncoding.EncodeToString([]byte(bytes))); err == nil {
			t.Errorf("%q was sent as %q", bytes, m.body)
		}
	}
	if m, err := l.send("jsonBytes", "b", base64.StdEncoding.EncodeToString([]byte("é"))); err != nil || m.body != `{"v":"é"}` {
		t.Errorf("%q, %v", m.body, err)
	}
}

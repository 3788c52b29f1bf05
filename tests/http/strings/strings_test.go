// Package strings_test sends hostile text to a server, by every place that a
// request has for it, and compares bytes.
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

var count = flag.Int("strings", 1500, "how many texts go through each place; make model has 10000")

// lab is a provider whose server records.
type lab struct {
	*testing.T
	*provider.Process
	server *recorder
}

func newLab(t *testing.T) *lab {
	server := startRecorder(t)
	folder := provider.Folder(t, "hostilestrings", "tests/http/strings/testdata/strings.cue")
	p := provider.Configured(t, folder, "hostilestrings", t.TempDir(), map[string]property.Value{"endpoint": property.New(server.url())})
	return &lab{T: t, Process: p, server: server}
}

// send sends text by a function of the spec, and gives what the server got:
// nothing, where it was refused.
func (l *lab) send(function, n, text string) (message, error) {
	args, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"v": property.New(text), "n": property.New(n)}))
	if err != nil {
		return message{}, fmt.Errorf("it cannot travel: %w", err)
	}
	res, err := l.Raw().Invoke(context.Background(), &pulumirpc.InvokeRequest{Tok: "hostilestrings:index:" + function, Args: args})
	got := l.server.take(n)
	switch {
	case err == nil && len(res.GetFailures()) > 0:
		err = fmt.Errorf("%v", res.GetFailures())
		fallthrough
	case err != nil:
		if len(got) > 0 {
			l.Errorf("%s: %q was refused, and sent: %v", function, text, err)
		}
		return message{}, err
	case len(got) != 1:
		return message{}, fmt.Errorf("%d requests", len(got))
	}
	return got[0], nil
}

// place is where text can go: what may be refused there, and what arrived.
type place struct {
	refused func(string) bool
	arrived func(m message, n string) (string, error)
}

// places are those of the spec, by the function that leads there.
var places = map[string]place{
	"path":   {func(s string) bool { return s == "" || s == "." || s == ".." }, pathOf},
	"query":  {never, queryOf},
	"header": {func(s string) bool { return !carried(s) }, headerOf},
	"json":   {never, jsonOf},
	"form":   {never, formOf},
}

func never(string) bool { return false }

// carried reports whether a header can carry text: HTTP has no form for control
// characters (RFC 9110, 5.5), and takes blanks at the ends away.
func carried(s string) bool {
	control := func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }
	return !strings.ContainsFunc(s, control) && strings.Trim(s, " \t") == s
}

func TestHostileStrings(t *testing.T) {
	l := newLab(t)
	corpus.Try(t, *count, atOnce, slices.Sorted(maps.Keys(places)), func(name string, number int, text string) (bool, error) {
		return l.exact(name, fmt.Sprintf("%s-%d", name, number), text)
	})
	if n := l.server.left(); n > 0 {
		t.Errorf("%d requests that no call accounts for", n)
	}
}

// atOnce is how many texts are on their way at once.
const atOnce = 8

// exact sends text to a place, and reports whether it arrived; an error says
// that it arrived as something else, or was refused without need.
func (l *lab) exact(function, n, text string) (bool, error) {
	p := places[function]
	m, err := l.send(function, n, text)
	switch mayRefuse := p.refused(text); {
	case err != nil && mayRefuse:
		return false, nil
	case err != nil:
		return false, err
	case mayRefuse:
		return false, fmt.Errorf("it should be refused, and arrived as %q", m)
	}
	got, err := p.arrived(m, n)
	if err == nil && got != text {
		err = fmt.Errorf("it arrived as %q", got)
	}
	return true, err
}

// target is the path and query of a request line.
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

// pairOf is the value of v where the other pair is as it should be, and there is
// no third.
func pairOf(query, name, value string) (string, error) {
	pairs := strings.Split(query, "&")
	values, err := url.ParseQuery(query)
	if err != nil || len(pairs) != 2 || values.Get(name) != value || len(values["v"]) != 1 {
		return "", fmt.Errorf("the pairs are %q", query)
	}
	return values.Get("v"), nil
}

// sentHeaders are all that a request has beside X-V.
var sentHeaders = []string{"Host", "User-Agent", "Accept", "Accept-Encoding"}

func headerOf(m message, _ string) (string, error) {
	value, count := m.header("X-V")
	if count != 1 || len(m.headers) != len(sentHeaders)+1 {
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
		return "", fmt.Errorf("within text it is another (-alone +within):\n%s", diff)
	}
	return body.V, nil
}

// TestBytesThatAreNoText: JSON has no form for them, and they are not replaced
// by others.
func TestBytesThatAreNoText(t *testing.T) {
	l := newLab(t)
	for _, bytes := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\xaf", "\x80abc"} {
		if m, err := l.send("jsonBytes", "b", base64.StdEncoding.EncodeToString([]byte(bytes))); err == nil {
			t.Errorf("%q went out as %q", bytes, m.body)
		}
	}
	if m, err := l.send("jsonBytes", "b", base64.StdEncoding.EncodeToString([]byte("é"))); err != nil || m.body != `{"v":"é"}` {
		t.Errorf("%q, %v", m.body, err)
	}
}

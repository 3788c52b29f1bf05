package session

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/declprov/declprov/actions/http/request"
)

// vectorTime is the time of the requests in AWS's test suite.
var vectorTime = time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)

// TestAWSVectors signs the requests of AWS's published test suite.
func TestAWSVectors(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/aws-sig-v4/cases.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]string{}
	for _, f := range archive.Files {
		kind := path.Ext(f.Name)
		name := strings.TrimSuffix(f.Name, kind)
		if cases[name] == nil {
			cases[name] = map[string]string{}
		}
		cases[name][kind] = strings.TrimSuffix(string(f.Data), "\n")
	}
	if len(cases) != 34 {
		t.Errorf("%d cases, want 34", len(cases))
	}
	token := regexp.MustCompile(`(?m)^x-amz-security-token:(.*)$`)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			signer := sigv4{sigv4Settings: sigv4Settings{
				Service: "service", Region: "us-east-1", AccessKey: "AKIDEXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
			}}
			if found := token.FindStringSubmatch(c[".creq"]); found != nil {
				signer.SessionToken = found[1]
			}
			got, err := signer.headers(parseVector(t, c[".req"]), vectorTime)
			if err != nil {
				t.Fatal(err)
			}
			want := []request.Pair{{Name: "X-Amz-Date", Value: "20150830T123600Z"}}
			if signer.SessionToken != "" {
				want = append(want, request.Pair{Name: "X-Amz-Security-Token", Value: signer.SessionToken})
			}
			want = append(want, request.Pair{Name: "Authorization", Value: c[".authz"]})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the canonical request should be:\n%s\n%s", c[".creq"], diff)
			}
		})
	}
}

// parseVector reads a request of the test suite. Its request line has the path before it is
// escaped, which is what AWS signs.
func parseVector(t *testing.T, text string) hop {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	line, fields, _ := strings.Cut(head, "\n")
	method, rest, _ := strings.Cut(line, " ")
	target, query, _ := strings.Cut(strings.TrimSuffix(rest, " HTTP/1.1"), "?")
	h := hop{method: method, headers: http.Header{}, url: &url.URL{Scheme: "https", Opaque: target, RawQuery: query}}
	last := ""
	for field := range strings.SplitSeq(strings.TrimSpace(fields), "\n") {
		name, value, isField := strings.Cut(field, ":")
		switch {
		case !isField: // a continued line
			values := h.headers[last]
			values[len(values)-1] += " " + strings.TrimSpace(field)
		case name == "Host":
			h.url.Host = value
		case name == "X-Amz-Date" || name == "X-Amz-Security-Token":
		default:
			last = http.CanonicalHeaderKey(name)
			h.headers.Add(last, value)
		}
	}
	if body != "" {
		h.body = request.NewBody(h.headers.Get("Content-Type"), []byte(body))
	}
	return h
}

// TestSigV4ForS3 checks what S3 requires in addition: the digest of the body in a header, and
// the path as it is sent.
func TestSigV4ForS3(t *testing.T) {
	sign := func(settings sigv4Settings, at string) map[string]string {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		settings.Region, settings.AccessKey, settings.SecretKey = "us-east-1", "AKIDEXAMPLE", "secret"
		signer := sigv4{sigv4Settings: settings}
		pairs, err := signer.headers(hop{method: "PUT", url: u, headers: http.Header{}, body: request.NewBody("text/plain", []byte("x"))}, vectorTime)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, p := range pairs {
			out[p.Name] = p.Value
		}
		return out
	}
	const sum = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	for _, tc := range []struct {
		settings sigv4Settings
		want     string
	}{
		{sigv4Settings{Service: "s3"}, sum},
		{sigv4Settings{Service: "s3", UnsignedPayload: true}, "UNSIGNED-PAYLOAD"},
		{sigv4Settings{Service: "s3-outposts"}, sum},
		{sigv4Settings{Service: "sqs"}, ""},
	} {
		if got := sign(tc.settings, "https://b.test/a%20b")[contentHash]; got != tc.want {
			t.Errorf("%+v: %s is %q, want %q", tc.settings, contentHash, got, tc.want)
		}
	}
	s3, sqs := sigv4Settings{Service: "s3"}, sigv4Settings{Service: "sqs"}
	if sign(s3, "https://b.test/a//b")["Authorization"] == sign(s3, "https://b.test/a/b")["Authorization"] {
		t.Error("the path of S3 was normalized")
	}
	if sign(sqs, "https://b.test/a//b")["Authorization"] != sign(sqs, "https://b.test/a/b")["Authorization"] {
		t.Error("the path of SQS was not normalized")
	}
}

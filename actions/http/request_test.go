package http

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec"
)

func TestRequest(t *testing.T) {
	for _, tc := range []struct {
		name   string
		path   string
		args   args
		method string
		uri    string
		body   string
		header map[string]string
	}{
		{"get", "/pets/${7}", nil, "GET", "/pets/7", "", map[string]string{"Accept": "application/json, */*;q=0.8", "User-Agent": "declprov", "Content-Type": "", "Referer": ""}},
		{"json", "/pets", args{"json": args{"name": "Rex <&>", "age": int64(9007199254740993), "big": json.Number("123456789012345678901"), "tags": []any{"a", nil}}}, "POST", "/pets", `{"age":9007199254740993,"big":123456789012345678901,"name":"Rex <&>","tags":["a",null]}`, map[string]string{"Content-Type": "application/json"}},
		{"a JSON text", "/pets", args{"json": "x"}, "POST", "/pets", `"x"`, nil},
		{"patch", "/pets", args{"method": "PATCH", "json": args{}, "headers": args{"content-type": "application/merge-patch+json"}}, "PATCH", "/pets", `{}`, map[string]string{"Content-Type": "application/merge-patch+json"}},
		{"form", "/pets", args{"form": args{"a": "x y&=", "b": []any{int64(1), true}, "c": nil, "d": 1.5}}, "POST", "/pets", "a=x%20y%26%3D&b=1&b=true&d=1.5", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
		{"query", "/pets?fixed=1", args{"query": args{"q": "a b+c", "tag": []any{"x", "y"}, "none": nil}}, "GET", "/pets?fixed=1&q=a%20b%2Bc&tag=x&tag=y", "", nil},
		{"text", "/t", args{"method": "PUT", "text": "grüß"}, "PUT", "/t", "grüß", map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		{"xml", "/t", args{"xml": args{"pet": args{"@id": int64(7), "name": "R<x", "tag": []any{"a", "b"}}}}, "POST", "/t", xmlHead + `<pet id="7"><name>R&lt;x</name><tag>a</tag><tag>b</tag></pet>`, map[string]string{"Content-Type": "application/xml"}},
		{"ordered xml", "/t", args{"xml": args{"r": args{"#children": []any{args{"z": "1"}, args{"a": "2"}}}}}, "POST", "/t", xmlHead + `<r><z>1</z><a>2</a></r>`, nil},
		{"bytes", "/t", args{"bytes": "AP8="}, "POST", "/t", "\x00\xff", map[string]string{"Content-Type": "application/octet-stream"}},
		{"graphql", "/q", args{"graphql": args{"query": "{ pets }", "variables": args{"a": int64(1)}, "operationName": nil}, "response": "none"}, "POST", "/q", `{"query":"{ pets }","variables":{"a":1}}`, map[string]string{"Content-Type": "application/json"}},
		{"delete", "/pets/${7}", args{"method": "DELETE"}, "DELETE", "/pets/7", "", nil},
		{"empty post", "/pets", args{"method": "POST"}, "POST", "/pets", "", map[string]string{"Content-Length": "0"}},
		{"get with a body", "/s", args{"method": "GET", "json": args{"q": "x"}}, "GET", "/s", `{"q":"x"}`, nil},
		{"empty body", "/s", args{"method": "PUT", "text": ""}, "PUT", "/s", "", map[string]string{"Content-Length": "0"}},
		{"headers", "/s", args{"headers": args{"X-A": int64(1), "x-b": nil, "Accept": "text/csv", "User-Agent": "me"}}, "GET", "/s", "", map[string]string{"X-A": "1", "X-B": "", "Accept": "text/csv", "User-Agent": "me"}},
		{"etag", "/s", args{"method": "PUT", "ifMatch": `"v1"`}, "PUT", "/s", "", map[string]string{"If-Match": `"v1"`}},
		{"the etag of the read", "/s", args{"method": "PUT", "ifMatch": true}, "PUT", "/s", "", map[string]string{"If-Match": `W/"read"`}},
		{"key", "/s", args{"method": "POST", "idempotencyKey": true}, "POST", "/s", "", map[string]string{"Idempotency-Key": "the-key"}},
		{"own key", "/s", args{"method": "POST", "idempotencyKey": args{"header": "X-Request-Id", "value": "mine"}}, "POST", "/s", "", map[string]string{"X-Request-Id": "mine", "Idempotency-Key": ""}},
		{"XML response", "/s", args{"response": "xml"}, "GET", "/s", "", map[string]string{"Accept": "application/xml, text/xml"}},
		{"a path like a template of resty", "/{pet}/${{id}}", nil, "GET", "/%7Bpet%7D/%7Bid%7D", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
			if strings.Contains(tc.path, "${{id}}") {
				tc.args = args{"path": []spec.Part{{Text: "/{pet}/", Literal: true}, {Text: "{id}"}}}
				tc.path = ""
			}
			c := ts.call(tc.path, tc.args)
			c.Key, c.ETags = "the-key", `W/"read"`
			ts.done(ts.kind.Run(t.Context(), c))
			got := ts.requests()
			if len(got) != 1 {
				t.Fatalf("%d requests", len(got))
			}
			if diff := cmp.Diff([]string{tc.method, tc.uri, tc.body}, []string{got[0].Method, got[0].URI, got[0].Body}); diff != "" {
				t.Error(diff)
			}
			for name, want := range tc.header {
				if got := got[0].Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// TestRefused checks calls that are refused before they send anything.
func TestRefused(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	for _, tc := range []struct {
		name string
		path string
		args args
		err  string
	}{
		{"two bodies", "/", args{"json": "x", "text": "y"}, "json and text both define a body"},
		{"line break in a header", "/", args{"headers": args{"X-A": "a\r\nX-B: c"}}, "line break or NUL"},
		{"NUL in a header", "/", args{"headers": args{"X-A": "a\x00"}}, "line break or NUL"},
		{"line break at the end of a token", "/", args{"auth": args{"bearer": "abc\n"}}, "trim(…)"},
		{"control in a header", "/", args{"headers": args{"X-A": "a\x01"}}, "0x01"},
		{"name of a header", "/", args{"headers": args{"X A": "a"}}, "not a valid header name"},
		{"host", "/", args{"headers": args{"Host": "evil.test"}}, "cannot be overridden"},
		{"length", "/", args{"headers": args{"content-length": "1"}}, "cannot be overridden"},
		{"encoding", "/", args{"headers": args{"Transfer-Encoding": "chunked"}}, "cannot be overridden"},
		{"object in a header", "/", args{"headers": args{"X-A": args{}}}, `header "X-A": expected a string`},
		{"method", "/", args{"method": "GET / HTTP/1.1\r\nX: "}, "method"},
		{"connect", "/", args{"method": "CONNECT"}, "method"},
		{"file in JSON", "/", args{"json": args{"f": &spec.File{Path: "x"}}}, "multipart"},
		{"bad UTF-8 in JSON", "/", args{"json": args{"f": "\xff"}}, "base64encode"},
		{"bad UTF-8 in XML", "/", args{"xml": args{"f": "\xff"}}, "base64encode"},
		{"NUL in XML", "/", args{"xml": args{"f": "\x00"}}, "U+0000"},
		{"two roots", "/", args{"xml": args{"a": "1", "b": "2"}}, "the root element"},
		{"name of an element", "/", args{"xml": args{"a b='": "1"}}, "not a valid element name"},
		{"object in a query", "/", args{"query": args{"f": args{}}}, "jsonencode"},
		{"bad base64", "/", args{"bytes": "*"}, "base64"},
		{"no ETag recorded", "/", args{"method": "PUT", "ifMatch": true}, "none is recorded"},
		{"empty ETag", "/", args{"method": "PUT", "ifMatch": ""}, "ifMatch is empty"},
		{"missing key", "/", args{"method": "POST", "idempotencyKey": true}, "the key is empty"},
		{"no URL", "", nil, "url"},
		{"path and url", "/", args{"url": parts("https://x.test")}, "path and url"},
		{"not granted", "", args{"baseURL": "http://127.0.0.1:1", "path": parts("/")}, "add it to permissions.hosts"},
		{"bad timeout", "/", args{"timeout": "soon"}, "invalid duration"},
		{"bad limit", "/", args{"maxBytes": "much"}, "invalid size"},
		{"bad expect", "/", args{"expect": []any{"x"}}, `expect: expected a status or "partial", got a string`},
		{"two auths", "/", args{"auth": args{"bearer": "a", "basic": args{}}}, "bearer and basic"},
		{"no auth", "/", args{"auth": args{}}, "expected one of bearer"},
		{"colon in a user", "/", args{"auth": args{"basic": args{"username": "a:b", "password": "c"}}}, "colon"},
		{"cookie", "/", args{"auth": args{"apiKey": args{"cookie": "c", "value": "a; b=c"}}}, "not valid in a cookie"},
		{"half a certificate", "/", args{"tls": args{"cert": "x"}}, "require each other"},
		{"no certificate", "/", args{"tls": args{"ca": "x"}}, "PEM"},
		{"paginate requires items", "/", args{"paginate": args{"link": true}}, "paginate requires `items`"},
		{"rate", "/", args{"rateLimit": args{"requests": int64(0), "per": "1s"}}, "positive numbers"},
		{"proxy not granted", "/", args{"proxy": "http://127.0.0.1:1"}, "permissions.hosts"},
		{"no part", "/", args{"multipart": []any{args{"name": "a"}}}, "one of value and asset"},
		{"line break in a part", "/", args{"multipart": []any{args{"name": "a\r\nX: y", "value": "x"}}}, "a control character"},
		{"missing file", "/", args{"bytes": &spec.File{Path: "none"}}, `asset "none": no such file`},
		{"elided archive", "/", args{"bytes": &spec.File{Archive: true}}, "only its hash"},
		{"archive format", "/", args{"bytes": &spec.File{Archive: true, Members: map[string]*spec.File{}}, "archiveFormat": "rar"}, "one of zip, tar, tar.gz"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ts := &testServer{TB: t, server: ts.server, kind: ts.kind, env: ts.env}
			out := ts.run(tc.path, tc.args)
			ts.expect(out, actions.Refused, "", tc.err)
			if out.Again {
				t.Error("it would be retried")
			}
		})
	}
	if got := ts.requests(); len(got) != 0 {
		t.Errorf("requests were sent: %v", got)
	}
}

func TestMultipart(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	dir := t.TempDir()
	large := strings.Repeat("0123456789abcdef", 1<<16)
	if err := os.WriteFile(filepath.Join(dir, `da"ta.bin`), []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := &spec.File{Archive: true, Members: map[string]*spec.File{}}
	emptyZip := "PK\x05\x06" + strings.Repeat("\x00", 18)
	ts.done(ts.run("/up", args{"multipart": []any{
		args{"name": "a", "value": int64(1)},
		args{"name": `we"ird`, "asset": &spec.File{Path: filepath.Join(dir, `da"ta.bin`)}},
		args{"name": "c", "asset": &spec.File{Text: new("x")}, "filename": "c.json", "contentType": "application/json"},
		args{"name": "d", "asset": empty},
		args{"name": "e", "asset": empty, "archiveFormat": "tar"},
	}}))
	got := ts.requests()[0]
	_, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || got.Header.Get("Content-Length") == "" {
		t.Fatalf("%v, length %q", err, got.Header.Get("Content-Length"))
	}
	type received struct{ Name, File, Type, Body string }
	var all []received
	r := multipart.NewReader(strings.NewReader(got.Body), params["boundary"])
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(p)
		all = append(all, received{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(body)})
	}
	want := []received{
		{"a", "", "", "1"},
		{`we"ird`, `da"ta.bin`, "application/octet-stream", large},
		{"c", "c.json", "application/json", "x"},
		{"d", "d.zip", "application/zip", emptyZip},
		{"e", "e.tar", "application/x-tar", strings.Repeat("\x00", 1024)},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

func TestEffect(t *testing.T) {
	node := &spec.Node{Kind: spec.StringNode}
	for _, tc := range []struct {
		name     string
		literals args
		nodes    []string
		want     actions.Effect
	}{
		{"nothing", nil, nil, actions.None},
		{"body", nil, []string{"json"}, actions.Write},
		{"get", args{"method": "GET"}, []string{"method"}, actions.None},
		{"get with a body", args{"method": "GET"}, []string{"method", "json"}, actions.None},
		{"a method that is not known", nil, []string{"method"}, actions.Write},
		{"delete", args{"method": "DELETE"}, []string{"method"}, actions.Write},
		{"search", args{"method": "POST", "effect": "none"}, []string{"method", "effect"}, actions.None},
		{"a get that writes", args{"method": "GET", "effect": "write"}, []string{"method", "effect"}, actions.Write},
		{"query", args{"graphql": args{"query": "query { a }"}}, []string{"graphql"}, actions.None},
		{"mutation", args{"graphql": args{"query": "fragment F on A { b } mutation { a }"}}, []string{"graphql"}, actions.Write},
	} {
		s := actions.Static{Nodes: map[string]*spec.Node{}, Literals: tc.literals}
		for _, n := range tc.nodes {
			s.Nodes[n] = node
		}
		if got := effect(s); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// TestMethodOfANullBody checks that the default method depends on whether the spec gives a
// body, not on whether its value is null.
func TestMethodOfANullBody(t *testing.T) {
	for _, body := range request.BodyArguments() {
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
		c := ts.call("/x", args{})
		c.Written = func(argument string) bool { return argument == body }
		ts.done(ts.kind.Run(t.Context(), c))
		if got := ts.requests(); len(got) != 1 || got[0].Method != "POST" || got[0].Body != "" {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// TestIfNoneMatch checks that a create by PUT can refuse to overwrite.
func TestIfNoneMatch(t *testing.T) {
	for _, tc := range []struct {
		value any
		want  string
		err   string
	}{{true, "*", ""}, {false, "", ""}, {`"abc"`, `"abc"`, ""}, {"", "", "empty string"}} {
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
		out := ts.run("/x", args{"method": "PUT", "ifNoneMatch": tc.value})
		if tc.err != "" {
			ts.expect(out, actions.Refused, "", tc.err)
			continue
		}
		ts.done(out)
		if got := ts.requests()[0].Header.Get("If-None-Match"); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.value, got, tc.want)
		}
	}
}

package http

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

// TestPagesOfProxies: a page with the status 200 is not a success, whatever the request was: the API may not
// have received it.
func TestPagesOfProxies(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
	})
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		if out := ts.run("/x", args{"method": method}); out.Status == actions.Done || out.Status == actions.Gone || out.Err == nil {
			t.Errorf("%s: %v, %v", method, out.Status, out.Err)
		}
	}
}

// absences are bodies of a 404, and whether they prove that the object does not exist.
var absences = []struct {
	name, kind, body string
	gone             bool
}{
	{"nothing", "", "", true},
	{"nothing, of a framework's type", "text/html", "", true},
	{"JSON", "application/json", `{"error":"no such pet"}`, true},
	{"JSON of a framework's type", "text/html; charset=utf-8", `{"error":"no such pet"}`, true},
	{"JSON without a type", "", `{"error":"no such pet"}`, true},
	{"XML", "application/xml", `<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>`, true},
	{"a text", "text/plain", "404 page not found", true},
	{"a text of a framework's type", "text/html", "no such pet", true},
	{"a text without a type", "", "no such pet <7>", true},
	{"bytes", "application/octet-stream", "\x00\x01", true},
	{"nginx", "text/html", "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n", false},
	{"Apache", "text/html; charset=iso-8859-1", "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n<title>404 Not Found</title>", false},
	{"HAProxy", "text/html", "<html><body><h1>404 Not Found</h1>\nThe resource could not be found.\n</body></html>\n", false},
	{"Apache with XHTML", "text/html", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\"\n>\n<html xmlns=\"x\">", false},
	{"XHTML", "application/xhtml+xml", "<html/>", false},
	{"upper case", "TEXT/HTML", "<HTML><BODY>", false},
	{"a byte order mark", "text/html", "\xef\xbb\xbf\r\n<!doctype html>", false},
	{"UTF-16", "text/html", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", false},
	{"a comment", "text/html", "<!-- " + strings.Repeat("x", 2000) + " -->\n<html>", false},
	{"many blank lines", "text/html", strings.Repeat("\r\n", 2000) + "<html>", false},
	{"a heading", "text/html", "<h1>Not Found</h1>", false},
	{"a heading without a type", "", "<h1>Not Found</h1>", false},
	{"a paragraph", "text/html", "<p>The page was not found</p>", false},
	{"a title", "text/html", "<title>404</title>", false},
	{"a script", "text/html", "<script>location='/login'</script>", false},
	{"a page without a type", "", "<html><body>no</body></html>", false},
	{"a page as text", "text/plain", "<!DOCTYPE html>\n<title>no</title>", false},
	{"a page as JSON", "application/json", "<html><body>no</body></html>", false},
	{"a page as bytes", "application/octet-stream", "<html lang=en><body>no</body></html>", false},
}

// TestPagesProveNoAbsence combines bodies of a 404 and 410 with methods and formats: only a response of the API says
// that an object does not exist.
func TestPagesProveNoAbsence(t *testing.T) {
	for _, a := range absences {
		status := 404
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if a.kind != "" {
				w.Header().Set("Content-Type", a.kind)
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(a.body))
		})
		for _, method := range []string{"GET", "DELETE", "PUT", "PATCH", "POST"} {
			for format, isAPI := range map[string]bool{"": false, "json": false, "xml": false, "none": false, "text": true, "bytes": true} {
				status = 414 - status + 400
				arguments := args{"method": method}
				if format != "" {
					arguments["response"] = format
				}
				out, want := ts.run("/x/7", arguments), actions.Refused
				if a.gone || isAPI {
					want = actions.Gone
				}
				if out.Status != want {
					t.Errorf("%s %d for %s, response %q: %v, want %v (%v)", a.name, status, method, format, out.Status, want, out.Err)
				}
				if out.Status == actions.Refused && !strings.Contains(out.Err.Error(), fmt.Sprintf("an HTML page, as of a proxy, a login or another server at this address, so it does not say whether the object exists. Check baseURL and the path. If the API itself responds so for an object that does not exist, add `gone: \"${status == %d}\"`", status)) {
					t.Errorf("%s: %v", a.name, out.Err)
				}
			}
		}
	}
}

// TestPagesWithoutBody: the body of a response to HEAD is never there, so its headers decide.
func TestPagesWithoutBody(t *testing.T) {
	for _, tc := range []struct {
		method, head string
		want         actions.Status
	}{
		{"HEAD", "Content-Type: text/html\r\nContent-Length: 153\r\n", actions.Refused},
		{"HEAD", "Content-Type: text/html\r\n", actions.Refused},
		{"HEAD", "Content-Type: text/html\r\nContent-Length: 0\r\n", actions.Gone},
		{"HEAD", "Content-Length: 0\r\n", actions.Gone},
		{"HEAD", "", actions.Gone},
		{"HEAD", "Content-Type: application/json\r\nContent-Length: 20\r\n", actions.Gone},
		{"GET", "Content-Type: text/html\r\nContent-Length: 0\r\n", actions.Gone},
		{"GET", "Content-Type: text/html\r\nContent-Length: 153\r\n", actions.Refused}, // cut off
		{"GET", "Content-Type: text/html\r\n", actions.Gone},
	} {
		address, _ := serveFault(t, respond("HTTP/1.1 404 Not Found\r\n"+tc.head+"Connection: close\r\n\r\n"))
		ts := &testServer{TB: t, kind: newKind(time.Now)}
		ts.setOrigins(address)
		if out := ts.run("/x", args{"method": tc.method, "baseURL": address}); out.Status != tc.want {
			t.Errorf("%s with %q: %v, want %v (%v)", tc.method, tc.head, out.Status, tc.want, out.Err)
		}
	}
}

// TestMultiStatus: the parts of a change may have failed, unless the author expects the status.
func TestMultiStatus(t *testing.T) {
	expect := func(statuses ...any) args { return args{"expect": statuses} }
	for _, method := range []string{"GET", "HEAD", "PROPFIND", "POST", "PUT", "PATCH", "DELETE"} {
		for _, tc := range []struct {
			args   args
			writes actions.Status
		}{
			{args{}, actions.Unknown},
			{expect(int64(404)), actions.Unknown},
			{expect(int64(207)), actions.Done},
			{expect(int64(200), int64(207)), actions.Done},
			{args{"response": "none"}, actions.Unknown},
			{args{"effect": "none"}, actions.Done},
		} {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(207)
				_, _ = w.Write([]byte(`{"errors":["no"]}`))
			})
			tc.args["method"] = method
			want := tc.writes
			if method == "GET" || method == "HEAD" {
				want = actions.Done
			}
			out := ts.run("/x", tc.args)
			if out.Status != want {
				t.Errorf("%s %v: %v, want %v (%v)", method, tc.args, out.Status, want, out.Err)
			}
			if out.Status == actions.Unknown && (!strings.Contains(out.Err.Error(), "`expect: [") || out.Result == nil) {
				t.Errorf("%s: %v, %v", method, out.Err, out.Result)
			}
		}
	}
}

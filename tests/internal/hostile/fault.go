package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Fault is one way to break a request.
type Fault struct {
	Name string
	// Before says that it happens before the request takes effect.
	Before bool
	// Times is how many requests it breaks; 0 means one.
	Times  int
	Strike func(*Strike)
	// Handshake says that it breaks the connection, before any request.
	Handshake bool
}

// Strike is a request with a fault: its connection, and the response without the fault.
type Strike struct {
	Conn   net.Conn
	Status int
	Body   string
	// Request is the request.
	Request Request
}

func (s *Strike) write(text string) {
	// The client may already have closed the connection.
	_, _ = s.Conn.Write([]byte(text))
}

// head writes a status line and headers.
func (s *Strike) head(status int, headers ...string) {
	s.write(fmt.Sprintf("HTTP/1.1 %d %s\r\n%s\r\n\r\n", status, http.StatusText(status), strings.Join(headers, "\r\n")))
}

// success returns the status of a successful response.
func (s *Strike) success() int {
	if s.Status == 0 || s.Status == http.StatusNoContent {
		return http.StatusOK
	}
	return s.Status
}

// respondJSON writes a complete JSON response.
func (s *Strike) respondJSON(status int, body string, headers ...string) {
	s.head(status, append(headers, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)), "Connection: close")...)
	s.write(body)
}

// Echoes returns faults whose error responses contain everything that was sent, and the
// object, as some servers do.
func Echoes() []Fault {
	var out []Fault
	for _, status := range []int{400, 401, 403, 409, 422, 500} {
		for _, form := range []struct {
			name   string
			encode func(string) string
		}{
			{"text", func(s string) string { return s }},
			{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
			{"URL", url.QueryEscape},
		} {
			out = append(out, Fault{Name: fmt.Sprintf("echo of %d in %s", status, form.name), Strike: func(s *Strike) {
				all := []string{s.Request.URI, s.Request.Body}
				for _, values := range s.Request.Header {
					all = append(all, values...)
				}
				object := map[string]any{}
				if json.Unmarshal([]byte(s.Body), &object) == nil {
					for _, v := range object {
						all = append(all, fmt.Sprint(v))
					}
				}
				for i := range all {
					all[i] = form.encode(all[i])
				}
				text, err := json.Marshal(Object{"message": strings.Join(all, " "), "you said": all, "object": object})
				if err != nil {
					panic(err)
				}
				s.respondJSON(status, string(text))
			}})
		}
	}
	return out
}

// respondWith returns a fault that responds with a status and headers before the request
// takes effect.
func respondWith(name string, times, status int, headers ...string) Fault {
	return Fault{Name: name, Before: true, Times: times, Strike: func(s *Strike) { s.respondJSON(status, `{"message":"no"}`, headers...) }}
}

// Late returns a fault that delays a normal response until hold returns.
func Late(hold func()) Fault {
	return Fault{Name: "late", Strike: func(s *Strike) {
		hold()
		s.respondJSON(s.Status, s.Body)
	}}
}

// afterChange makes a fault happen after the change.
func afterChange(f Fault) Fault {
	f.Before = false
	return f
}

// body returns a fault after the change, which responds with a changed body.
func body(name string, change func(string) string) Fault {
	return Fault{Name: name, Strike: func(s *Strike) { s.respondJSON(s.success(), change(s.Body)) }}
}

// silence is longer than any timeout in the tests.
const silence = time.Minute

// Faults returns all faults by name. elsewhere is a URL that must not get requests.
func Faults(elsewhere string) map[string]Fault {
	bomb() // prepared in advance
	out := map[string]Fault{}
	for _, f := range append(brokenFaults(), responseFaults(elsewhere)...) {
		out[f.Name] = f
	}
	return out
}

// brokenFaults returns faults of connections and bodies.
func brokenFaults() []Fault {
	cut := func(s string) string { return s[:len(s)/2] }
	return []Fault{
		{Name: "reset before commit", Before: true, Strike: func(s *Strike) { reset(s.Conn) }},
		{Name: "reset after commit", Strike: func(s *Strike) { reset(s.Conn) }},
		{Name: "closed before commit", Before: true, Strike: func(*Strike) {}},
		{Name: "slow after commit", Strike: func(s *Strike) { s.hold() }},
		{Name: "slow drip after commit", Strike: drip},
		{Name: "closed in the body", Strike: func(s *Strike) {
			s.head(s.success(), "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(s.Body)+10))
			s.write(s.Body[:len(s.Body)/2])
		}},
		{Name: "length too long", Strike: func(s *Strike) {
			s.head(s.success(), "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(s.Body)+10))
			s.write(s.Body)
			s.hold()
		}},
		{Name: "length too short", Strike: func(s *Strike) {
			// The rest would sometimes be read as the response to another request.
			s.head(s.success(), "Content-Type: application/json", "Connection: close", fmt.Sprintf("Content-Length: %d", len(s.Body)/2))
			s.write(s.Body)
		}},
		{Name: "no HTTP", Strike: func(s *Strike) { s.write("220 mail.example.com ESMTP\r\n") }},
		{Name: "huge headers", Strike: func(s *Strike) {
			s.respondJSON(s.success(), s.Body, "X-Filler: "+strings.Repeat("x", 2<<20))
		}},
		{Name: "compressed bomb", Strike: func(s *Strike) { s.respondJSON(s.success(), bomb(), "Content-Encoding: gzip") }},
		body("truncated JSON", cut),
		body("deep JSON", func(string) string { return strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) }),
		body("invalid UTF-8", func(s string) string { return `{"id":"` + "\xff\xfe" + `","name":"a"}` }),
		{Name: "empty answer", Strike: func(s *Strike) { s.head(s.success(), "Content-Length: 0", "Connection: close") }},
		{Name: "wrong content type", Strike: func(s *Strike) {
			text := "<html><body>All is well.</body></html>"
			s.head(s.success(), "Content-Type: text/html", fmt.Sprintf("Content-Length: %d", len(text)), "Connection: close")
			s.write(text)
		}},
		{Name: "handshake aborted", Before: true, Handshake: true},
		{Name: "TLS alert after commit", Strike: func(s *Strike) { alert(s.Conn) }},
	}
}

// responseFaults returns faults that are valid responses.
func responseFaults(elsewhere string) []Fault {
	soon := func() string {
		return "Retry-After: " + time.Now().Add(1500*time.Millisecond).UTC().Format(http.TimeFormat)
	}
	dated := func(name string, status int) Fault {
		return Fault{Name: name, Before: true, Times: 2, Strike: func(s *Strike) { s.respondJSON(status, `{"message":"no"}`, soon()) }}
	}
	return []Fault{
		respondWith("429 in seconds", 2, 429, "Retry-After: 1"),
		dated("429 by date", 429),
		respondWith("503 in seconds", 2, 503, "Retry-After: 1"),
		dated("503 by date", 503),
		respondWith("429 without end", 100, 429, "Retry-After: 0"),
		respondWith("429 in a year", 1, 429, "Retry-After: 31536000"),
		respondWith("503 alone", 1, 503),
		respondWith("408", 1, 408),
		respondWith("425", 1, 425),
		respondWith("500 before commit", 1, 500),
		afterChange(respondWith("500 after commit", 1, 500)),
		respondWith("502 before commit", 1, 502),
		afterChange(respondWith("504 after commit", 1, 504)),
		respondWith("307 to elsewhere", 1, 307, "Location: "+elsewhere),
		respondWith("302 to elsewhere", 1, 302, "Location: "+elsewhere),
	}
}

// hold keeps the connection open and silent until the client closes it.
func (s *Strike) hold() {
	_ = s.Conn.SetReadDeadline(time.Now().Add(silence))
	_, _ = s.Conn.Read(make([]byte, 1))
}

// drip sends one byte of the response at a time, for longer than any timeout.
func drip(s *Strike) {
	s.head(s.success(), "Content-Type: application/json", "Content-Length: 100000")
	for end := time.Now().Add(silence); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err := s.Conn.Write([]byte(" ")); err != nil {
			return
		}
	}
}

// bomb returns 64 MiB of JSON, compressed.
var bomb = sync.OnceValue(func() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zeros := []byte(strings.Repeat("0", 1<<20))
	// Writing to memory does not fail.
	_, _ = w.Write([]byte(`"`))
	for range 64 {
		_, _ = w.Write(zeros)
	}
	_, _ = w.Write([]byte(`"`))
	_ = w.Close()
	return b.String()
})

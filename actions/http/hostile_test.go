package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

// fault is what a hostile server does to a connection. do can read the request.
type fault struct {
	name string
	do   func(conn net.Conn, read func() *http.Request)
	// requests is how many requests the server may read.
	requests int32
	// status is the status of a request with an effect. err is a part of the error message.
	status actions.Status
	class  string
	// again says that another attempt may succeed.
	again bool
	err   string
}

func reset(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func respond(text string) func(net.Conn, func() *http.Request) {
	return func(conn net.Conn, read func() *http.Request) {
		read()
		_, _ = io.WriteString(conn, text)
	}
}

const okHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// zeros are sent by servers whose responses are too large.
var zeros = make([]byte, 1<<20)

// bomb returns 64 MiB of zeros, compressed. It is the same for all tests, and quickly made: with the race detector, the
// best compression takes more than a second.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range 64 {
		if err == nil {
			_, err = z.Write(zeros)
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
})

func faults() []fault {
	const lost, refused, done = actions.Unknown, actions.Refused, actions.Done
	return []fault{
		{"reset after reading", func(c net.Conn, read func() *http.Request) { read(); reset(c) }, 1, lost, "connection", true, "was sent, but got no response"},
		{"closed after reading", func(c net.Conn, read func() *http.Request) { read() }, 1, lost, "connection", true, "the connection was closed"},
		{"silence", func(c net.Conn, read func() *http.Request) { read(); time.Sleep(600 * time.Millisecond) }, 1, lost, "timeout", false, "no complete response within 300ms"},
		{"slow loris", func(c net.Conn, read func() *http.Request) {
			read()
			for _, b := range []byte(okHead + "Content-Length: 100\r\n\r\n") {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, 1, lost, "timeout", false, "within 300ms"},
		{"slow body", func(c net.Conn, read func() *http.Request) {
			read()
			_, _ = io.WriteString(c, okHead+"Content-Length: 100\r\n\r\n")
			for range 100 {
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, 1, lost, "timeout", false, "within 300ms"},
		{"half a header", respond("HTTP/1.1 200 OK\r\nContent-"), 1, lost, "connection", true, "got no response"},
		{"not HTTP", respond("SSH-2.0-OpenSSH_9.6\r\n"), 1, lost, "connection", true, "malformed HTTP response"},
		{"truncated body", respond(okHead + "Content-Length: 50\r\n\r\n{\"id\":1"), 1, lost, "connection", true, "after 200 OK: the response is truncated"},
		{"truncated chunks", respond(okHead + "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"id\":1"), 1, lost, "connection", true, "the response is truncated"},
		{"truncated JSON", respond(okHead + "Content-Length: 7\r\n\r\n{\"id\":1"), 1, lost, "200", false, "cannot be decoded as JSON: unexpected end"},
		{"wrong length", respond(okHead + "Content-Length: 2\r\n\r\n{}{\"more\":true}"), 1, done, "", false, ""},
		{"negative length", respond(okHead + "Content-Length: -1\r\n\r\n{}"), 1, lost, "connection", true, "got no response"},
		{"two lengths", respond(okHead + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), 1, lost, "connection", true, "got no response"},
		{"gzip bomb", func(c net.Conn, read func() *http.Request) {
			read()
			fmt.Fprintf(c, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", okHead, len(bomb()))
			_, _ = c.Write(bomb())
		}, 1, lost, "200", false, "exceeds maxBytes (16777216 bytes"},
		{"broken gzip", respond(okHead + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n{\"a\""), 1, lost, "connection", true, "got no response"},
		{"unrequested encoding", respond(okHead + "Content-Encoding: br\r\nContent-Length: 4\r\n\r\n{\"a\""), 1, lost, "200", false, "was not requested"},
		{"endless body", func(c net.Conn, read func() *http.Request) {
			read()
			_, _ = io.WriteString(c, okHead+"\r\n")
			for {
				if _, err := c.Write(zeros); err != nil {
					return
				}
			}
		}, 1, lost, "200", false, "exceeds maxBytes (16777216 bytes"},
		{"deep JSON", respond(okHead + "\r\n" + strings.Repeat("[", 100000)), 1, lost, "200", false, "nests deeper than 100"},
		{"invalid UTF-8", respond(okHead + "Content-Length: 9\r\n\r\n{\"a\":\"\xff\"}"), 1, lost, "200", false, "invalid UTF-8"},
		{"huge header", respond("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"), 1, lost, "connection", true, "exceeded"},
		{"endless interim responses", func(c net.Conn, read func() *http.Request) {
			read()
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"); err != nil {
					return
				}
			}
		}, 1, lost, "connection", true, "got no response"},
		{"an upgrade", respond("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), 1, lost, "101", false, "returned 101"},
		{"a storm of 503", respond("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"), 1, lost, "503", true, "returned 503"},
		{"a storm of 429", respond("HTTP/1.1 429 Too Many Requests\r\nRetry-After: Mon, 02 Jan 2006 15:04:15 GMT\r\nContent-Length: 0\r\n\r\n"), 1, refused, "429", true, "returned 429"},
		{"a redirect elsewhere", respond("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/steal\r\nContent-Length: 0\r\n\r\n"), 1, refused, "307", false, "(redirects to http://127.0.0.1:1/steal)"},
		{"an error that never ends", respond("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 1000\r\n\r\nsorry"), 1, lost, "500", false, "returned 500 Internal Server Error"},
	}
}

// TestFaults checks each fault with each method: the outcome, and that nothing is sent twice.
func TestFaults(t *testing.T) {
	for _, f := range faults() {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			t.Run(f.name+"/"+method, func(t *testing.T) {
				t.Parallel()
				address, count := serveFault(t, f.do)
				ts := &testServer{TB: t, kind: newKind(time.Now)}
				ts.setOrigins(address)
				a := args{"method": method, "baseURL": address, "timeout": "20s"} // enough for a busy machine
				if method != "GET" && method != "DELETE" {
					a["json"] = args{"secret": "hunter2"}
				}
				if strings.Contains(f.err, "within 300ms") {
					a["timeout"] = "300ms"
				}
				start := time.Now()
				out := ts.run("/pets", a)
				if took := time.Since(start); took > time.Minute && a["timeout"] == "300ms" {
					t.Errorf("it took %s", took)
				}
				want, again := f.status, f.again
				if method == "GET" && want == actions.Unknown {
					want = actions.Refused
				}
				ts.expect(out, want, f.class, f.err)
				if out.Again != again {
					t.Errorf("again %v, want %v", out.Again, again)
				}
				if got := count.Load(); got != f.requests {
					t.Errorf("%d requests were sent, want %d", got, f.requests)
				}
				if out.Err != nil && strings.Contains(out.Err.Error(), "hunter2") {
					t.Errorf("the error shows the body: %v", out.Err)
				}
			})
		}
	}
}

// serveFault serves connections with a fault.
func serveFault(t testing.TB, do func(net.Conn, func() *http.Request)) (address string, count *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	count = &atomic.Int32{}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
				defer stop()
				do(conn, func() *http.Request {
					r, err := http.ReadRequest(bufio.NewReader(conn))
					if err != nil {
						return nil
					}
					count.Add(1)
					_, _ = io.Copy(io.Discard, r.Body)
					return r
				})
			}()
		}
	}()
	return "http://" + listener.Addr().String(), count
}

// TestNothingSent checks failures before anything was sent. Only after these may a POST
// always be repeated.
func TestNothingSent(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + closed.Addr().String()
	_ = closed.Close()
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.setOrigins(address, "https://nowhere.invalid")
	post := args{"baseURL": address, "json": args{"a": "b"}}
	out := ts.run("/x", post)
	ts.expect(out, actions.Refused, "connection", "POST /x could not be sent: dial tcp")
	if !out.Again {
		t.Error("it would not be retried")
	}

	out = ts.run("/x", args{"baseURL": "https://nowhere.invalid"})
	ts.expect(out, actions.Refused, "connection", "GET /x could not be sent")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("the user said stop"))
	out = ts.kind.Run(ctx, ts.call("/x", post))
	ts.expect(out, actions.Refused, "", "the user said stop")
	if out.Again {
		t.Error("a cancelled request would be retried")
	}
}

// TestCancel checks that a request that is cancelled after it was sent has an unknown effect.
func TestCancel(t *testing.T) {
	arrived := make(chan struct{})
	address, _ := serveFault(t, func(c net.Conn, read func() *http.Request) {
		read()
		close(arrived)
		time.Sleep(5 * time.Second)
	})
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.setOrigins(address)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	out := ts.kind.Run(ctx, ts.call("/x", args{"baseURL": address, "method": "POST"}))
	ts.expect(out, actions.Unknown, "", "context canceled")
	if out.Again {
		t.Error("it would be retried")
	}
}

// TestStaleConnection checks a server that closes an idle connection. A POST on it is either
// sent on a new connection, if nothing was sent on the old one, or lost. It is never sent
// twice.
func TestStaleConnection(t *testing.T) {
	for range 50 {
		var posts atomic.Int32
		address, _ := serveFault(t, func(c net.Conn, read func() *http.Request) {
			for {
				r := read()
				if r == nil {
					return
				}
				if r.Method == "POST" {
					posts.Add(1)
				}
				_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
				if r.Method == "GET" {
					time.Sleep(time.Duration(posts.Load()+1) * 300 * time.Microsecond)
					return
				}
			}
		})
		ts := &testServer{TB: t, kind: newKind(time.Now)}
		ts.setOrigins(address)
		ts.done(ts.run("/x", args{"baseURL": address}))
		time.Sleep(300 * time.Microsecond)
		out := ts.run("/x", args{"baseURL": address, "method": "POST"})
		unsent := out.Status == actions.Refused && out.Again && posts.Load() == 0
		if out.Status != actions.Done && out.Status != actions.Unknown && !unsent {
			t.Errorf("status %d: %v", out.Status, out.Err)
		}
		if n := posts.Load(); n > 1 || out.Status == actions.Done && n != 1 {
			t.Errorf("the server received %d POSTs; the outcome is %d", n, out.Status)
		}
	}
}

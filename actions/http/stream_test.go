package http

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

// TestStream reads streams to their end, or to the event that ends them.
func TestStream(t *testing.T) {
	const events = "text/event-stream"
	large := strings.Repeat("x", 1<<20)
	for name, tc := range map[string]struct {
		stream, kind, body string
		args               args
		until              string // the body that ends the stream
		cut                bool   // the connection breaks after the body
		want               actions.Status
		seen               []string
		err                string
	}{
		"events":              {stream: "events", kind: events, body: "data: {\"a\":1}\n\nevent: end\ndata: x\ndata: y\n\n", want: actions.Done, seen: []string{` map[a:1]`, "end x\ny"}},
		"other line ends":     {stream: "events", kind: events + "; charset=utf-8", body: "\xef\xbb\xbf: hello\r\n\r\nid: 1\r\ndata: 1\r\n\r\ndata: [DONE]\r\n\r\n", want: actions.Done, seen: []string{" 1", " [DONE]"}},
		"an event cut short":  {stream: "events", kind: events, body: "data: 1\n\ndata: 2\n", want: actions.Done, seen: []string{" 1"}},
		"no events":           {stream: "events", kind: events, body: ": nothing\n\n", want: actions.Done},
		"until":               {stream: "events", kind: events, body: "data: 1\n\ndata: 2\n\ndata: 3\n\n", until: "2", want: actions.Done, seen: []string{" 1", " 2"}},
		"until before a cut":  {stream: "events", kind: events, body: "data: 1\n\ndata: 2\n\n", until: "2", cut: true, want: actions.Done, seen: []string{" 1", " 2"}},
		"never until":         {stream: "events", kind: events, body: "data: 1\n\n", until: "2", want: actions.Unknown, seen: []string{" 1"}, err: "POST /s returned 200 OK, but after 1 event: the stream ended before `until` was true"},
		"never until, a read": {stream: "events", kind: events, body: "data: 1\n\n", args: args{"effect": "none"}, until: "2", want: actions.Refused, seen: []string{" 1"}, err: "the stream ended before"},
		"a cut":               {stream: "events", kind: events, body: "data: 1\n\ndata: 2\n\n", cut: true, want: actions.Unknown, seen: []string{" 1", " 2"}, err: "after 2 events: the connection was closed"},
		"another type":        {stream: "events", kind: "application/json", body: `{"error":"no"}`, want: actions.Unknown, err: `the body is "application/json", expected text/event-stream`},
		"lines":               {stream: "lines", kind: "application/json", body: "{\"a\":1}\r\n\n\x1e{\"a\":2}\nplain\n{\"a\":3}", want: actions.Done, seen: []string{" map[a:1]", " map[a:2]", " plain", " map[a:3]"}},
		"a line cut short":    {stream: "lines", kind: "application/json", body: "{\"a\":1}\n{\"a\"", cut: true, want: actions.Unknown, seen: []string{" map[a:1]"}, err: "after 1 event: the connection was closed"},
		"text":                {stream: "lines", kind: "text/plain", body: "1\n", args: args{"response": "text"}, want: actions.Done, seen: []string{" 1"}},
		"not the JSON":        {stream: "lines", kind: "text/plain", body: "1\nx\n", args: args{"response": "json"}, want: actions.Unknown, seen: []string{" 1"}, err: "cannot be decoded as JSON"},
		"a large line":        {stream: "lines", kind: "text/plain", body: "1\n" + large + "x\n", want: actions.Unknown, seen: []string{" 1"}, err: "larger than 1048576 bytes"},
		"a large event":       {stream: "events", kind: events, body: "data: 1\n\ndata: " + large + "\n\n", want: actions.Unknown, seen: []string{" 1"}, err: "larger than 1048576 bytes"},
		"maxBytes":            {stream: "lines", kind: "text/plain", body: strings.Repeat("12345678\n", 100) + "1234567890\n", args: args{"maxBytes": int64(9)}, want: actions.Unknown, err: "larger than 9 bytes"},
		"maxValues":           {stream: "lines", kind: "text/plain", body: "[1,2]\n[1,2]\n[1,2,3,4]\n", args: args{"maxValues": int64(3)}, want: actions.Unknown, seen: []string{" [1 2]", " [1 2]"}, err: "maxValues"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
				w.(http.Flusher).Flush() // so that the response is in chunks
				if tc.cut {
					panic(http.ErrAbortHandler)
				}
			})
			a := args{"method": "POST", "stream": tc.stream}
			for name, v := range tc.args {
				a[name] = v
			}
			c := ts.call("/s", a)
			var seen []string
			c.Until = tc.until != ""
			c.Event = func(out actions.Outcome) bool {
				result := out.Result.(args)
				if name != "maxBytes" {
					seen = append(seen, fmt.Sprintf("%v %v", result["event"], result["body"]))
				}
				return tc.until == "" || fmt.Sprint(result["body"]) != tc.until
			}
			out := ts.kind.Run(t.Context(), c)
			if out.Status != tc.want || tc.err != "" && (out.Err == nil || !strings.Contains(out.Err.Error(), tc.err)) {
				t.Errorf("%v %v, want %v %s", out.Status, out.Err, tc.want, tc.err)
			}
			if diff := cmp.Diff(tc.seen, seen); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if accept := ts.requests()[0].Header.Get("Accept"); (accept == events) != (tc.stream == "events") {
				t.Errorf("Accept: %s", accept)
			}
		})
	}
}

// silentAfter returns a server that sends an event whenever one is due, and else nothing.
func silentAfter(t *testing.T, due <-chan int) *testServer {
	return newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case n := <-due:
				fmt.Fprintf(w, "data: %d\n\n", n)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
}

// TestStreamTimeout has each event arrive before the next one is sent. `timeout` limits the wait for
// each, not for all together.
func TestStreamTimeout(t *testing.T) {
	t.Parallel()
	due := make(chan int, 1)
	due <- 0
	ts := silentAfter(t, due)
	arrived := 0
	c := ts.call("/s", args{"stream": "events", "timeout": "3s"})
	c.Until = true
	c.Event = func(actions.Outcome) bool {
		if arrived++; arrived < 4 {
			n := arrived
			time.AfterFunc(1200*time.Millisecond, func() { due <- n })
		}
		return true
	}
	ts.expect(ts.kind.Run(t.Context(), c), actions.Refused, "timeout", "after 4 events: no complete response within 3s")
}

// TestStreamCancelled cancels a request with an effect while its stream runs.
func TestStreamCancelled(t *testing.T) {
	t.Parallel()
	due := make(chan int, 1)
	due <- 0
	ts := silentAfter(t, due)
	ctx, cancel := context.WithCancelCause(t.Context())
	c := ts.call("/s", args{"stream": "events", "method": "POST", "timeout": "10s"})
	c.Until = true
	c.Event = func(actions.Outcome) bool {
		cancel(actions.ErrStopped)
		return true
	}
	out := ts.kind.Run(ctx, c)
	if out.Status != actions.Unknown || out.Err == nil || !strings.Contains(out.Err.Error(), "after 1 event: "+actions.ErrStopped.Error()) {
		t.Errorf("%v %v", out.Status, out.Err)
	}
}

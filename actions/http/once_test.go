package http

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

// TestSentOnceOnAKeptConnection checks that a request with an effect is sent once if a reused
// connection breaks, with any method, headers and body. The engine decides about a retry: the
// response to a second attempt says nothing about the first.
func TestSentOnceOnAKeptConnection(t *testing.T) {
	breaks := map[string]func(net.Conn){"reset": reset, "closed": func(c net.Conn) { _ = c.Close() }}
	methods := []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "COPY"}
	more := map[string]args{
		"plain":       {},
		"key":         {"idempotencyKey": true},
		"X-key":       {"idempotencyKey": args{"header": "x-idempotency-key"}},
		"own header":  {"headers": args{"Idempotency-Key": "mine"}},
		"own X-":      {"headers": args{"X-IDEMPOTENCY-KEY": "mine"}},
		"idempotent":  {"idempotent": true},
		"conditional": {"ifNoneMatch": true},
	}
	for breaking, end := range breaks {
		for _, method := range methods {
			for name, with := range more {
				for _, body := range []bool{false, true} {
					if body && (method == "GET" || method == "HEAD" || method == "OPTIONS") {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/body %t", breaking, method, name, body), func(t *testing.T) {
						t.Parallel()
						sendOnce(t, end, method, with, body)
					})
				}
			}
		}
	}
}

// sendOnce sends a request on a reused connection, which breaks after the request was read.
func sendOnce(t *testing.T, end func(net.Conn), method string, with args, body bool) {
	var sent, keyed atomic.Int32
	address, _ := serveFault(t, func(c net.Conn, _ func() *http.Request) {
		for requests := bufio.NewReader(c); ; {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if r.URL.Path == "/x" {
				sent.Add(1)
				if r.Header.Get("Idempotency-Key")+r.Header.Get("X-Idempotency-Key") != "" {
					keyed.Add(1)
				}
				if len(r.TransferEncoding) > 0 {
					t.Errorf("the body has the transfer encoding %v", r.TransferEncoding)
				}
				end(c)
				return
			}
			_, _ = io.WriteString(c, okHead+"Content-Length: 2\r\n\r\n{}")
		}
	})
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.setOrigins(address)
	if out := ts.kind.Run(t.Context(), ts.call("/warm", args{"baseURL": address})); out.Status != actions.Done {
		t.Fatal(out)
	}
	given := args{"baseURL": address, "method": method, "effect": "write"}
	for name, v := range with {
		given[name] = v
	}
	if body {
		given["json"] = args{"a": 1}
	}
	call := ts.call("/x", given)
	call.Key = "the-key"
	out := ts.kind.Run(t.Context(), call)
	if sent.Load() != 1 || out.Status != actions.Unknown {
		t.Errorf("sent %d times with outcome %v (%v), want once with outcome unknown", sent.Load(), out.Status, out.Err)
	}
	if wantKey := with["idempotencyKey"] != nil || with["headers"] != nil; (keyed.Load() == 1) != wantKey {
		t.Errorf("the key was sent: %t, want %t", keyed.Load() == 1, wantKey)
	}
}

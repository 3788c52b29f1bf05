package http

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// TestKeyed checks that requests carry the idempotency key of their call. If the response is
// lost, the effect is unknown with or without a key; the engine decides about a retry.
func TestKeyed(t *testing.T) {
	address, count := serveFault(t, func(c net.Conn, read func() *http.Request) {
		if r := read(); r != nil && r.Header.Get("Idempotency-Key") != "" && r.Header.Get("Idempotency-Key") != "the-key" {
			t.Errorf("key %q", r.Header.Get("Idempotency-Key"))
		}
		reset(c)
	})
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.setOrigins(address)
	for name, tc := range map[string]struct{ args args }{
		"post":       {args{"method": "POST"}},
		"patch":      {args{"method": "PATCH"}},
		"keyed post": {args{"method": "POST", "idempotencyKey": true}},
		"harmless":   {args{"method": "POST", "idempotent": true}},
		"no key":     {args{"method": "POST", "idempotencyKey": false}},
		"put":        {args{"method": "PUT"}},
		"if match":   {args{"method": "PUT", "ifMatch": "*"}},
	} {
		before := count.Load()
		tc.args["baseURL"] = address
		c := ts.call("/x", tc.args)
		c.Key = "the-key"
		out := ts.kind.Run(t.Context(), c)
		ts.expect(out, actions.Unknown, "connection", "was sent, but got no response")
		// net/http itself repeats idempotent requests on a reused connection. This must not
		// happen here.
		if !out.Again || count.Load() != before+1 {
			t.Errorf("%s: again %v, %d requests", name, out.Again, count.Load()-before)
		}
	}
}

// TestCertainty checks the certainty of requests whose response is lost.
func TestCertainty(t *testing.T) {
	for _, tc := range []struct {
		literals args
		want     actions.Certainty
	}{
		{args{"method": "GET"}, actions.Settled},
		{args{"method": "POST"}, actions.Uncertain},
		{args{"method": "POST", "effect": "none"}, actions.Settled},
		{args{"method": "PATCH"}, actions.Uncertain},
		{args{"method": "COPY"}, actions.Uncertain},
		{args{"method": "MKCOL"}, actions.Uncertain},
		{args{"method": "LINK"}, actions.Uncertain},
		{args{"method": "PUT"}, actions.Safe},
		{args{"method": "PUT", "ifMatch": true}, actions.Conditional},
		{args{"method": "PUT", "ifMatch": "abc"}, actions.Conditional},
		{args{"method": "PUT", "ifMatch": false}, actions.Safe},
		{args{"method": "PUT", "ifNoneMatch": true}, actions.Conditional},
		{args{"method": "PUT", "ifNoneMatch": true, "idempotent": true}, actions.Conditional},
		{args{"method": "POST", "ifNoneMatch": true, "idempotent": true}, actions.Conditional},
		{args{"method": "POST", "ifNoneMatch": true, "idempotent": true, "idempotencyKey": true}, actions.Keyed},
		{args{"method": "POST", "ifNoneMatch": true}, actions.Uncertain},
		{args{"method": "PUT", "idempotent": false}, actions.Uncertain},
		{args{"method": "PUT", "ifMatch": true, "idempotent": true}, actions.Safe},
		{args{"method": "DELETE"}, actions.Safe},
		{args{"method": "DELETE", "idempotent": false}, actions.Uncertain},
		{args{"method": "DELETE", "ifMatch": true}, actions.Conditional},
		{args{"method": "POST", "idempotencyKey": true}, actions.Keyed},
		{args{"method": "POST", "idempotencyKey": true, "idempotent": false}, actions.Keyed},
		{args{"method": "POST", "idempotencyKey": false}, actions.Uncertain},
		{args{"json": args{}}, actions.Uncertain},
		{args{"json": args{}, "idempotent": true}, actions.Safe},
		{args{"method": "PATCH", "idempotent": false}, actions.Uncertain},
	} {
		s := actions.Static{Nodes: map[string]*spec.Node{}, Literals: tc.literals}
		for name := range tc.literals {
			s.Nodes[name] = &spec.Node{Kind: spec.StringNode}
		}
		if got := certainty(s); got != tc.want {
			t.Errorf("%v: got %d, want %d", tc.literals, got, tc.want)
		}
	}
}

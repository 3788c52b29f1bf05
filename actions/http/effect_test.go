package http

import (
	"net"
	"net/http"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// TestKeyed: what is sent under a key may be sent again when its answer is lost,
// under the same key; what is not, and is not idempotent, may not.
func TestKeyed(t *testing.T) {
	address, count := hostile(t, func(c net.Conn, read func() *http.Request) {
		if r := read(); r != nil && r.Header.Get("Idempotency-Key") != "" && r.Header.Get("Idempotency-Key") != "the-key" {
			t.Errorf("key %q", r.Header.Get("Idempotency-Key"))
		}
		reset(c)
	})
	l := &lab{TB: t, kind: Family().Kind("")}
	l.grant(address)
	for name, tc := range map[string]struct {
		args  args
		again bool
	}{
		"post":       {args{"method": "POST"}, false},
		"patch":      {args{"method": "PATCH"}, false},
		"keyed post": {args{"method": "POST", "idempotencyKey": true}, true},
		"harmless":   {args{"method": "POST", "idempotent": true}, true},
		"no key":     {args{"method": "POST", "idempotencyKey": false}, false},
		"put":        {args{"method": "PUT"}, true},
		"if match":   {args{"method": "PUT", "ifMatch": "*"}, false},
	} {
		before := count.Load()
		tc.args["baseURL"] = address
		c := l.call("/x", tc.args)
		c.Key = "the-key"
		out := l.kind.Run(t.Context(), c)
		l.expect(out, actions.Lost, "connection", "was sent, and no answer came")
		// net/http itself sends what is idempotent again on a connection that
		// had been kept; these were not.
		if out.Again != tc.again || count.Load() != before+1 {
			t.Errorf("%s: again %v, %d requests", name, out.Again, count.Load()-before)
		}
	}
}

// TestStaticEffect: what the compiler knows of keys and of lost answers.
func TestStaticEffect(t *testing.T) {
	for _, tc := range []struct {
		literals         args
		keyed, uncertain bool
	}{
		{args{"method": "GET"}, false, false},
		{args{"method": "POST"}, false, true},
		{args{"method": "POST", "effect": "none"}, false, false},
		{args{"method": "PATCH"}, false, true},
		{args{"method": "PUT"}, false, false},
		{args{"method": "PUT", "ifMatch": true}, false, false},
		{args{"method": "DELETE"}, false, false},
		{args{"method": "POST", "idempotencyKey": true}, true, false},
		{args{"method": "POST", "idempotencyKey": false}, false, true},
		{args{"json": args{}}, false, true},
		{args{"json": args{}, "idempotent": true}, false, false},
		{args{"method": "PATCH", "idempotent": false}, false, true},
	} {
		s := actions.Static{Nodes: map[string]*spec.Node{}, Literals: tc.literals}
		for name := range tc.literals {
			s.Nodes[name] = &spec.Node{Kind: spec.StringNode}
		}
		if keyed(s) != tc.keyed || uncertain(s) != tc.uncertain {
			t.Errorf("%v: keyed %v, uncertain %v", tc.literals, keyed(s), uncertain(s))
		}
	}
}

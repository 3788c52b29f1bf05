package faults

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/hostile"
)

// TestFaults tries every cell of the table.
func TestFaults(t *testing.T) {
	known := hostile.Faults(elsewhere(t))
	for _, r := range table {
		fault, ok := known[r.fault]
		if !ok {
			t.Fatalf("there is no fault %q", r.fault)
		}
		delete(known, r.fault)
		for _, c := range r.cells() {
			t.Run(strings.ReplaceAll(r.fault+"/"+c.verb+"/"+c.kind, " ", "-"), func(t *testing.T) {
				t.Parallel()
				c.try(t, fault)
			})
		}
	}
	for name := range known {
		t.Errorf("the fault %q is in no row", name)
	}
}

// elsewhere is a server that fails the test when it is asked anything.
func elsewhere(t *testing.T) string {
	var strayed atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(func() {
		server.Close()
		if n := strayed.Load(); n > 0 {
			t.Errorf("%d requests went where a redirect sent them", n)
		}
	})
	return server.URL
}

func (c cell) try(t *testing.T, fault hostile.Fault) {
	var server *hostile.Server
	if strings.Contains(fault.Name, "TLS") || fault.Handshake {
		server = hostile.StartTLS(t)
	} else {
		server = hostile.Start(t)
	}
	name := strings.ReplaceAll(fault.Name+"-"+c.verb, " ", "-")
	h := newHost(t, server, client.Resource{Type: "hostile:index:" + c.kind, Name: name})
	if c.verb != "create" {
		if got := h.up(1); got != "ok" {
			t.Fatalf("it cannot be made: %v", h.last)
		}
	}
	first := c.count(h, func() string {
		if fault.Handshake {
			server.Abort(1)
		} else {
			server.Arm(c.method, fault)
		}
		return c.do(h)
	})
	t.Logf("the first run said: %v", h.last)
	if left := server.Disarm(); left != unstruck(fault, first) {
		t.Errorf("the first run: %s, and the fault could have struck %d times more", first, left)
	}
	next := c.count(h, func() string { return c.do(h) })
	got := first + " > " + next
	if c.verb == "create" {
		got += fmt.Sprintf(" > %d", len(server.Objects()))
	}
	if got != c.want {
		t.Errorf("%s, and %s was promised; it said last: %v", got, c.want, h.last)
	}
	c.settled(t, h)
	if left := c.intents(t, server, name); len(left) != c.forPeople() {
		t.Errorf("in the end the journal has %d intents: %+v", len(left), left)
	}
}

// unstruck is how many times a fault must be left after a first run that went so:
// it strikes each of the verb's requests, as often as it can.
func unstruck(fault hostile.Fault, first string) int {
	var how string
	var requests int
	if _, err := fmt.Sscan(first, &how, &requests); err != nil {
		panic(err)
	}
	if fault.Handshake {
		return 0
	}
	return max(fault.Times, 1) - min(max(fault.Times, 1), requests)
}

// do runs what the verb is for.
func (c cell) do(h *host) string {
	switch c.verb {
	case "create":
		return h.up(1)
	case "read":
		return h.refresh()
	case "update":
		return h.up(2)
	default:
		return h.destroy()
	}
}

// count is how a run went, and how many requests of the verb's method it took.
func (c cell) count(h *host, run func() string) string {
	before := h.server.Count(c.method)
	if c.method == "GET" {
		before = 0
		for range h.server.Requests() {
			before++
		}
	}
	listed := len(c.intents(h.t, h.server, h.resource.Name))
	how := run()
	if how == "error" && len(c.intents(h.t, h.server, h.resource.Name)) > listed {
		how = "open"
	}
	after := h.server.Count(c.method)
	if c.method == "GET" {
		after = len(h.server.Requests())
	}
	return fmt.Sprintf("%s %d", how, after-before)
}

// settled looks at the server's record after both runs: what the host has is
// there, as it should be, and the next run has nothing to do.
func (c cell) settled(t *testing.T, h *host) {
	t.Helper()
	objects := h.server.Objects()
	if c.verb == "delete" {
		if len(objects) != 0 {
			t.Errorf("left: %v", objects)
		}
		return
	}
	o := objects[h.state.ID]
	size := 1.0
	if c.verb == "update" {
		size = 2
	}
	if o == nil || o["name"] != h.resource.Name || o["size"] != size {
		t.Errorf("the host has %q, and the server %v", h.state.ID, objects)
	}
	if serial, _ := h.state.Outputs.GetOk("serial"); !serial.IsString() || o["serial"] != serial.AsString() {
		t.Errorf("the serial number is %v, and the server has %v", serial, o["serial"])
	}
	before := len(h.server.Requests())
	if got := h.up(size); got != "ok" || len(h.server.Requests()) != before {
		t.Errorf("a third run: %s after %d requests: %v", got, len(h.server.Requests())-before, h.last)
	}
	if got := h.refresh(); got != "ok" {
		t.Errorf("a refresh in the end: %v", h.last)
	}
}

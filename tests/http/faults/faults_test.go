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

// TestFaults tests every cell of the table.
func TestFaults(t *testing.T) {
	known := hostile.Faults(untouchedServer(t))
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
		t.Errorf("the fault %q has no row", name)
	}
}

// untouchedServer starts a server that must not get requests, and returns its URL.
func untouchedServer(t *testing.T) string {
	var strayed atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(func() {
		server.Close()
		if n := strayed.Load(); n > 0 {
			t.Errorf("%d requests followed a redirect", n)
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
			t.Fatalf("the create failed: %v", h.last)
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
	t.Logf("the first run: %v", h.last)
	if left := server.Disarm(); left != expectedLeft(fault, first) {
		t.Errorf("the first run: %s, but the fault was left %d times", first, left)
	}
	next := c.count(h, func() string { return c.do(h) })
	got := first + " > " + next
	if c.verb == "create" {
		got += fmt.Sprintf(" > %d", len(server.Objects()))
	}
	if got != c.want {
		t.Errorf("%s, but %s was promised; the last error: %v", got, c.want, h.last)
	}
	c.checkSettled(t, h)
	if left := c.intents(t, server, name); len(left) != c.unresolvedIntents() {
		t.Errorf("the journal still has %d intents: %+v", len(left), left)
	}
}

// expectedLeft returns how often a fault must be left after a first run with this outcome. It
// happens to each request of the verb, as often as possible.
func expectedLeft(fault hostile.Fault, first string) int {
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

// do runs the verb of the cell.
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

// count returns the outcome of a run, with the number of requests of the verb's method.
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

// checkSettled checks the server after both runs: it has the object of the host with the
// right values, and the next run changes nothing.
func (c cell) checkSettled(t *testing.T, h *host) {
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
		t.Errorf("the host has %q, but the server has %v", h.state.ID, objects)
	}
	if serial, _ := h.state.Outputs.GetOk("serial"); !serial.IsString() || o["serial"] != serial.AsString() {
		t.Errorf("the serial number is %v, but the server has %v", serial, o["serial"])
	}
	before := len(h.server.Requests())
	if got := h.up(size); got != "ok" || len(h.server.Requests()) != before {
		t.Errorf("a third run: %s after %d requests: %v", got, len(h.server.Requests())-before, h.last)
	}
	if got := h.refresh(); got != "ok" {
		t.Errorf("the final refresh: %v", h.last)
	}
}

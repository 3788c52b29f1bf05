package pulumi

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

const (
	// queueLength is the maximum number of waiting messages.
	queueLength = 256
	// sendTimeout is the maximum time for sending one message.
	sendTimeout = 5 * time.Second
	// flushTimeout is the maximum time that the end of a call waits for its messages.
	flushTimeout = time.Second
)

// entry is one queued message.
type entry struct {
	urn      string
	severity engine.Severity
	text     screen.Text
	status   bool
}

// host sends messages to a Pulumi engine in order, from a goroutine that runs while
// there are any, so that callers do not wait. If the queue is full, statuses are
// dropped first. If there is no engine, or it cannot be reached, messages go to
// stderr, and statuses are dropped.
type host struct {
	address string
	stderr  io.Writer

	mu      sync.Mutex
	queue   []entry
	dropped int
	running bool
	// idle is closed while the queue is empty and all messages are sent.
	idle   chan struct{}
	conn   *grpc.ClientConn
	closed bool
}

func newHost(address string, stderr io.Writer) *host {
	idle := make(chan struct{})
	close(idle)
	return &host{address: address, stderr: stderr, idle: idle}
}

// hosts are the engines of Pulumi that messages go to.
type hosts struct {
	// latest is that of the latest handshake.
	latest atomic.Pointer[host]
}

// attach sends the messages of later calls to an engine. The messages of calls under
// way still go to the previous one.
func (h *hosts) attach(address string) {
	before := h.latest.Load()
	if address == "" || address == before.address {
		return
	}
	h.latest.Swap(newHost(address, before.stderr)).close()
}

// log returns the log of a call for the resource of a URN, or for none.
func (h *hosts) log(urn string) *callLog { return &callLog{host: h.latest.Load(), urn: urn} }

// put queues a message and returns at once.
func (h *host) put(e entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.status && h.replaceStatus(e) {
		return
	}
	if len(h.queue) >= queueLength && !h.makeRoom(e) {
		h.dropped++
		return
	}
	h.queue = append(h.queue, e)
	if !h.running {
		h.running = true
		h.idle = make(chan struct{})
		go h.drain()
	}
}

// replaceStatus replaces a waiting status of the same resource, if no message of the
// resource follows it.
func (h *host) replaceStatus(e entry) bool {
	for i := len(h.queue) - 1; i >= 0; i-- {
		if h.queue[i].urn == e.urn {
			if h.queue[i].status {
				h.queue[i] = e
			}
			return h.queue[i].status
		}
	}
	return false
}

// makeRoom drops the oldest status of a full queue in favour of a message.
func (h *host) makeRoom(e entry) bool {
	if e.status {
		return false
	}
	for i, waiting := range h.queue {
		if waiting.status {
			h.queue = append(h.queue[:i], h.queue[i+1:]...)
			return true
		}
	}
	return false
}

// drain sends messages until the queue is empty.
func (h *host) drain() {
	for {
		h.mu.Lock()
		if len(h.queue) == 0 {
			if h.dropped > 0 {
				fmt.Fprintf(h.stderr, "declprov: %d messages were lost, because Pulumi's engine did not accept them in time\n", h.dropped)
				h.dropped = 0
			}
			h.running = false
			close(h.idle)
			h.closeIfDone()
			h.mu.Unlock()
			return
		}
		next := h.queue[0]
		h.queue = h.queue[1:]
		h.mu.Unlock()
		h.send(next)
	}
}

func (h *host) send(e entry) {
	if client := h.client(); client != nil {
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		_, err := client.Log(ctx, &pulumirpc.LogRequest{
			Severity:  severity(e.severity),
			Message:   e.text.String(),
			Urn:       e.urn,
			Ephemeral: e.status,
		})
		if err == nil {
			return
		}
	}
	if !e.status {
		fmt.Fprintf(h.stderr, "declprov: %s%s%s\n", severityPrefix(e.severity), urnPrefix(e.urn), e.text)
	}
}

// client returns the client of Pulumi's engine, and dials on first use. It returns nil if
// there is no engine, or its address is invalid.
func (h *host) client() pulumirpc.EngineClient {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.address == "" {
		return nil
	}
	if h.conn == nil {
		conn, err := grpc.NewClient("passthrough:///"+h.address,
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithNoProxy(), grpc.WithDisableServiceConfig())
		if err != nil {
			return nil
		}
		h.conn = conn
	}
	return pulumirpc.NewEngineClient(h.conn)
}

// flush waits until the queued messages are sent, or until a timeout.
func (h *host) flush() {
	h.mu.Lock()
	idle := h.idle
	h.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(flushTimeout):
	}
}

// close closes the connection when the queue is empty.
func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.closeIfDone()
}

func (h *host) closeIfDone() {
	if h.closed && !h.running && h.conn != nil {
		_ = h.conn.Close() // nothing uses it any more
		h.conn = nil
	}
}

func severity(s engine.Severity) pulumirpc.LogSeverity {
	switch s {
	case engine.Debug:
		return pulumirpc.LogSeverity_DEBUG
	case engine.Warning:
		return pulumirpc.LogSeverity_WARNING
	case engine.Error:
		return pulumirpc.LogSeverity_ERROR
	default:
		return pulumirpc.LogSeverity_INFO
	}
}

func severityPrefix(s engine.Severity) string {
	return map[engine.Severity]string{engine.Debug: "debug: ", engine.Warning: "warning: ", engine.Error: "error: "}[s]
}

func urnPrefix(urn string) string {
	if urn == "" {
		return ""
	}
	return urn + ": "
}

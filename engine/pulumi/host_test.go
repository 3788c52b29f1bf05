package pulumi

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// ear is an engine that writes down what it is told; while held, it does not
// answer.
type ear struct {
	pulumirpc.UnimplementedEngineServer
	hold sync.Mutex

	mu    sync.Mutex
	heard []string
}

func (e *ear) Log(_ context.Context, req *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	e.hold.Lock()
	defer e.hold.Unlock()
	kind := req.GetSeverity().String()
	if req.GetEphemeral() {
		kind = "status"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, fmt.Sprintf("%s %s %s", kind, req.GetUrn(), req.GetMessage()))
	return &emptypb.Empty{}, nil
}

func (e *ear) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard)
}

func listen(t *testing.T) (*ear, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &ear{}
	server := grpc.NewServer()
	pulumirpc.RegisterEngineServer(server, e)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	return e, l.Addr().String()
}

// safeBuffer is a stderr that several goroutines may write to.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestMessagesReachTheEngine(t *testing.T) {
	e, address := listen(t)
	h := newHost(address, t.Output())
	l := &callLog{host: h, urn: "urn:a"}
	l.Message(engine.Debug, screen.Show("d", nil))
	l.Message(engine.Info, screen.Show("i", nil))
	l.Message(engine.Warning, screen.Show("w", nil))
	l.Message(engine.Error, screen.Show("bad \xff byte", nil))
	l.Status(screen.Show("50%", nil))
	l.done()
	want := []string{"DEBUG urn:a d", "INFO urn:a i", "WARNING urn:a w", `ERROR urn:a bad \xff byte`, "status urn:a 50%"}
	if diff := cmp.Diff(want, e.all()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestASlowEngineHoldsNobodyUp: messages wait in a queue, a status replaces the
// one before it, and a full queue loses statuses first.
func TestASlowEngineHoldsNobodyUp(t *testing.T) {
	e, address := listen(t)
	e.hold.Lock()
	stderr := &safeBuffer{}
	h := newHost(address, stderr)
	h.put(entry{urn: "first", text: screen.Show("being sent", nil)})
	waitFor(t, func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.queue) == 0 })

	start := time.Now()
	for i := range 100 {
		h.put(entry{urn: "b", text: screen.Show(fmt.Sprint(i), nil), status: true})
	}
	for i := range queueLength + 10 {
		h.put(entry{urn: "a", text: screen.Show(fmt.Sprint(i), nil)})
	}
	h.put(entry{urn: "c", text: screen.Show("late status", nil), status: true})
	if took := time.Since(start); took > time.Minute {
		t.Errorf("queueing took %v", took)
	}
	h.mu.Lock()
	if len(h.queue) != queueLength || h.queue[0].text.String() != "0" || h.queue[0].status {
		t.Errorf("%d messages wait, the first is %+v", len(h.queue), h.queue[0])
	}
	h.mu.Unlock()
	e.hold.Unlock()
	waitFor(t, func() bool { return len(e.all()) == queueLength+1 })
	h.flush()
	if got := stderr.String(); !strings.Contains(got, "11 messages were lost") {
		t.Errorf("stderr = %q", got)
	}
}

func TestAStatusReplacesTheOneBefore(t *testing.T) {
	e, address := listen(t)
	e.hold.Lock()
	h := newHost(address, t.Output())
	h.put(entry{urn: "first", text: screen.Show("being sent", nil)})
	waitFor(t, func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.queue) == 0 })
	h.put(entry{urn: "a", text: screen.Show("1%", nil), status: true})
	h.put(entry{urn: "b", text: screen.Show("other", nil), status: true})
	h.put(entry{urn: "a", text: screen.Show("2%", nil), status: true})
	h.put(entry{urn: "a", text: screen.Show("message", nil)})
	h.put(entry{urn: "a", text: screen.Show("3%", nil), status: true})
	e.hold.Unlock()
	h.flush()
	want := []string{"INFO first being sent", "status a 2%", "status b other", "INFO a message", "status a 3%"}
	if diff := cmp.Diff(want, e.all()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWithoutAnEngine: messages go to stderr, at once where none is known, and
// where one does not answer.
func TestWithoutAnEngine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"none": "", "dead": dead} {
		t.Run(name, func(t *testing.T) {
			stderr := &safeBuffer{}
			l := &callLog{host: newHost(address, stderr), urn: "urn:a"}
			l.Status(screen.Show("50%", nil))
			l.Message(engine.Warning, screen.Show("slow disk", nil))
			l.Message(engine.Info, screen.Show("done", nil))
			l.done()
			want := "declprov: warning: urn:a: slow disk\ndeclprov: urn:a: done\n"
			if diff := cmp.Diff(want, stderr.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestHandshakesChangeTheEngine: a process that several engines attach to talks
// to the latest; what was under way still reaches the one it came from.
func TestHandshakesChangeTheEngine(t *testing.T) {
	first, firstAddress := listen(t)
	second, secondAddress := listen(t)
	s := New(Options{Stderr: t.Output()})
	ctx := t.Context()
	if _, err := s.Handshake(ctx, &pulumirpc.ProviderHandshakeRequest{EngineAddress: firstAddress}); err != nil {
		t.Fatal(err)
	}
	early := s.hosts.log("early")
	if _, err := s.Attach(ctx, &pulumirpc.PluginAttach{Address: secondAddress}); err != nil {
		t.Fatal(err)
	}
	late := s.hosts.log("late")
	early.Message(engine.Info, screen.Show("x", nil))
	late.Message(engine.Info, screen.Show("y", nil))
	early.done()
	late.done()
	if diff := cmp.Diff([]string{"INFO early x"}, first.all()); diff != "" {
		t.Errorf("first engine (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"INFO late y"}, second.all()); diff != "" {
		t.Errorf("second engine (-want +got)\n%s", diff)
	}
	waitFor(t, func() bool { early.host.mu.Lock(); defer early.host.mu.Unlock(); return early.host.conn == nil })
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited a minute in vain")
		}
	}
}

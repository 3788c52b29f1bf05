package kill

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

const hostileSpec = "tests/http/faults/testdata/hostile.cue"

// slowServer is a server whose next POST takes effect immediately, and whose response waits
// for the test.
type slowServer struct {
	*hostile.Server
	// sent is closed by the POST. Closing answer sends the response.
	sent, answer chan struct{}
}

func startSlowServer(t *testing.T) *slowServer {
	l := &slowServer{Server: hostile.Start(t), sent: make(chan struct{}, 1), answer: make(chan struct{})}
	l.arm(t)
	return l
}

// arm makes the next POST slow.
func (l *slowServer) arm(t *testing.T) {
	answer := make(chan struct{})
	l.answer = answer
	l.Arm("POST", hostile.Late(func() {
		l.sent <- struct{}{}
		select {
		case <-answer:
		case <-t.Context().Done():
		}
	}))
}

// objectNames returns the names of the objects on the server.
func (l *slowServer) objectNames() []string {
	var out []string
	for _, o := range l.Objects() {
		out = append(out, fmt.Sprint(o["name"]))
	}
	slices.Sort(out)
	return out
}

// openIntents returns the resources of the open intents in a journal.
func openIntents(t *testing.T, dir string) []string {
	t.Helper()
	all, err := journal.Open(dir).List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range all {
		if i.Open() {
			out = append(out, i.Resource)
		}
	}
	return out
}

// session is a provider process with its journal, and an engine that receives its messages.
type session struct {
	*provider.Process
	engine  *client.Engine
	journal string
}

func startSession(t *testing.T, l *slowServer, grace string) *session {
	t.Helper()
	s := &session{journal: t.TempDir(), engine: provider.Engine(t)}
	t.Setenv("DECLPROV_JOURNAL", s.journal)
	t.Setenv("DECLPROV_CANCEL_GRACE", grace)
	folder := provider.Folder(t, "hostile", hostileSpec)
	s.Process = provider.Start(t, folder, "hostile", folder)
	if err := s.Handshake(t.Context(), s.engine.Address()); err != nil {
		t.Fatal(err)
	}
	s.Reconfigure(t, "hostile", map[string]property.Value{"endpoint": property.New(l.URL)})
	return s
}

// result is the result of a create, and its duration.
type result struct {
	state client.State
	err   error
	took  time.Duration // since the start of the create
}

func (r result) String() string {
	return fmt.Sprintf("id %q, error %v, after %s", r.state.ID, r.err, r.took.Round(time.Millisecond))
}

// create starts a create.
func create(t *testing.T, c *client.Client, kind, name string) <-chan result {
	out := make(chan result, 1)
	began := time.Now()
	go func() {
		r := client.Resource{Type: "hostile:index:" + kind, Name: name}
		state, err := c.Create(context.WithoutCancel(t.Context()), r, inputs(r), client.Operation{})
		out <- result{state, err, time.Since(began)}
	}()
	return out
}

func cancel(t *testing.T, c *client.Client) {
	t.Helper()
	if err := c.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkRunning fails the test if the create ends.
func checkRunning(t *testing.T, what string, created <-chan result) {
	t.Helper()
	select {
	case r := <-created:
		t.Fatalf("%s: it ended with %v", what, r)
	case <-time.After(200 * time.Millisecond):
	}
}

// awaitResult returns the result of a create, which must end soon.
func awaitResult(t *testing.T, created <-chan result) result {
	t.Helper()
	select {
	case r := <-created:
		return r
	case <-time.After(time.Minute):
		t.Fatal("the create has not ended")
		return result{}
	}
}

// checkNothingSent checks that a create was cancelled before it sent anything.
func checkNothingSent(t *testing.T, r result) {
	t.Helper()
	if status.Code(r.err) != codes.Canceled || r.state.ID != "" {
		t.Errorf("%v, want the code Canceled", r)
	}
}

const settleRemedy = "run `pulumi up`, which finds out or repeats it; `declprov journal` lists it until then"

// TestCancelWaitsForTheAnswer checks that a POST in flight gets its response after the first
// Cancel, and that later creates are not sent.
func TestCancelWaitsForTheAnswer(t *testing.T) {
	for _, kind := range []string{"Bare", "Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			l := startSlowServer(t)
			s := startSession(t, l, "")
			a := create(t, s.Client, kind, "a")
			<-l.sent
			cancel(t, s.Client)
			b := create(t, s.Client, kind, "b")
			checkNothingSent(t, awaitResult(t, b))
			checkRunning(t, "after the first Cancel", a)
			close(l.answer)
			if r := awaitResult(t, a); r.err != nil || r.state.ID == "" {
				t.Errorf("%v", r)
			}
			if diff := cmp.Diff([]string{"a"}, l.objectNames()); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			if left := openIntents(t, s.journal); len(left) > 0 {
				t.Errorf("in the journal: %v", left)
			}
			shown := slices.ContainsFunc(s.engine.Logs(), func(m client.LogMessage) bool {
				return m.Ephemeral && m.Text == "cancelling: waiting up to 10s for the response; cancel again to abort"
			})
			if !shown {
				t.Errorf("no message says that the provider is waiting: %+v", s.engine.Logs())
			}
			cancel(t, s.Client) // as at the end of a run
			if r := awaitResult(t, create(t, s.Client, kind, "c")); r.err != nil {
				t.Errorf("the next run: %v", r.err)
			}
		})
	}
}

// TestCancelEndsWithoutAnAnswer checks that a POST without a response within the grace
// period, or after a second Cancel, has an unknown effect, and that its intent stays open.
func TestCancelEndsWithoutAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		grace   string
		cancels int
	}{
		"the grace is over": {"300ms", 1},
		"cancelled twice":   {"1m", 2},
		"no grace":          {"0s", 1},
	} {
		for _, kind := range []string{"Keyed", "Found"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				l := startSlowServer(t)
				s := startSession(t, l, tc.grace)
				a := create(t, s.Client, kind, "a")
				<-l.sent
				for range tc.cancels {
					cancel(t, s.Client)
				}
				r := awaitResult(t, a)
				if status.Code(r.err) != codes.Canceled || !strings.Contains(fmt.Sprint(r.err), settleRemedy) {
					t.Errorf("%v, want the code Canceled, and %q", r, settleRemedy)
				}
				if left := openIntents(t, s.journal); len(left) != 1 || !strings.HasSuffix(left[0], "::a") {
					t.Errorf("in the journal: %v", left)
				}
				if r := awaitResult(t, create(t, s.Client, kind, "a")); r.err != nil {
					t.Errorf("the next run: %v", r.err)
				}
				if diff := cmp.Diff([]string{"a"}, l.objectNames()); diff != "" {
					t.Errorf("on the server (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCancelOfAnotherConnection checks that engines that share a process do not cancel each
// other's operations.
func TestCancelOfAnotherConnection(t *testing.T) {
	l := startSlowServer(t)
	s := startSession(t, l, "")
	other, err := client.Connect(s.Port)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	a := create(t, s.Client, "Keyed", "a")
	<-l.sent
	for range 3 {
		cancel(t, other)
	}
	checkRunning(t, "cancelled by another engine", a)
	if r := awaitResult(t, create(t, other, "Keyed", "b")); r.err != nil {
		t.Errorf("the other engine's own: %v", r.err)
	}
	cancel(t, s.Client)
	if r := awaitResult(t, create(t, other, "Keyed", "c")); r.err != nil {
		t.Errorf("the other engine, after this one's Cancel: %v", r.err)
	}
	checkNothingSent(t, awaitResult(t, create(t, s.Client, "Keyed", "d")))
	close(l.answer)
	if r := awaitResult(t, a); r.err != nil {
		t.Error(r.err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, l.objectNames()); diff != "" {
		t.Errorf("on the server (-want +got):\n%s", diff)
	}
}

// TestInterruptAborts checks that an interrupt does not wait for the response, and that the
// intent is in the journal.
func TestInterruptAborts(t *testing.T) {
	l := startSlowServer(t)
	s := startSession(t, l, "")
	a := create(t, s.Client, "Keyed", "a")
	<-l.sent
	cancel(t, s.Client)
	if err := s.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if !s.Ends(time.Minute) {
		t.Error("the process is still running")
	}
	if r := awaitResult(t, a); status.Code(r.err) != codes.Canceled {
		t.Errorf("%v, want the code Canceled", r)
	}
	if left := openIntents(t, s.journal); len(left) != 1 {
		t.Errorf("in the journal: %v", left)
	}
}

// interruptedStack is a stack whose CLI is interrupted while a POST is in flight.
type interruptedStack struct {
	*slowServer
	stack           *pulumitest.Stack
	folder, journal string
}

func newInterruptedStack(t *testing.T, kind string) *interruptedStack {
	i := &interruptedStack{slowServer: startSlowServer(t), journal: t.TempDir()}
	i.folder = provider.FolderWithScript(t, "hostile", hostileSpec, provider.NotePID)
	i.stack = pulumitest.New(t, pulumitest.Providers{"hostile": i.folder}, "DECLPROV_JOURNAL="+i.journal)
	i.stack.Program(fmt.Sprintf(`config: {"hostile:endpoint": {value: %q}}
resources:
  a: {type: hostile:%[2]s, properties: {name: a}}
  b: {type: hostile:%[2]s, properties: {name: b}, options: {dependsOn: ["${a}"]}}
`, i.URL, kind))
	return i
}

// interrupt sends the CLI what a terminal sends for ^C.
func (i *interruptedStack) interrupt(t *testing.T) {
	t.Helper()
	cli := provider.CLIPID(i.folder)
	if cli == 0 {
		t.Fatal("the CLI or its provider is not running")
	}
	if err := provider.Signal(os.Interrupt, cli); err != nil {
		t.Fatal(err)
	}
}

// up starts an up.
func (i *interruptedStack) up(t *testing.T) <-chan *pulumicli.Result {
	out := make(chan *pulumicli.Result, 1)
	go func() {
		r, err := i.stack.Project.Up(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Error(err)
		}
		out <- r
	}()
	return out
}

// settle follows the messages of the CLI until an up succeeds, and checks that each object of
// the program exists once.
func (i *interruptedStack) settle(t *testing.T) {
	t.Helper()
	v := &victim{T: t, stack: i.stack}
	v.mend()
	v.repair()
	i.stack.Up("same=2")
	if diff := cmp.Diff([]string{"a", "b"}, i.objectNames()); diff != "" {
		t.Errorf("on the server (-want +got):\n%s", diff)
	}
	if left := openIntents(t, i.journal); len(left) > 0 {
		t.Errorf("in the journal: %v", left)
	}
	i.stack.Destroy("delete=2")
	if left := i.objectNames(); len(left) > 0 {
		t.Errorf("after destroy: %v", left)
	}
}

// TestOneInterruptOfTheCLI checks that a request in flight when ^C is pressed gets its
// response and is recorded, and that nothing else is sent.
func TestOneInterruptOfTheCLI(t *testing.T) {
	for _, kind := range []string{"Bare", "Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newInterruptedStack(t, kind)
			up := i.up(t)
			<-i.sent
			i.interrupt(t)
			select {
			case r := <-up:
				t.Fatalf("the up ended before the response: %v", r.Failure())
			case <-time.After(time.Second):
			}
			close(i.answer)
			if r := <-up; r.ExitCode == 0 {
				t.Errorf("a cancelled up reports success:\n%s", r.Stdout)
			}
			i.stack.Recorded("a")
			i.stack.Unrecorded("b")
			if diff := cmp.Diff([]string{"a"}, i.objectNames()); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			if left := openIntents(t, i.journal); len(left) > 0 {
				t.Errorf("in the journal: %v", left)
			}
			i.settle(t)
		})
	}
}

// TestTwoInterruptsOfTheCLI checks that the second ^C ends immediately, and that the next up
// settles the request without a response.
func TestTwoInterruptsOfTheCLI(t *testing.T) {
	for _, kind := range []string{"Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newInterruptedStack(t, kind)
			up := i.up(t)
			<-i.sent
			i.interrupt(t)
			time.Sleep(200 * time.Millisecond)
			i.interrupt(t)
			began := time.Now()
			if r := <-up; r.ExitCode == 0 {
				t.Errorf("a cancelled up reports success:\n%s", r.Stdout)
			} else {
				t.Logf("the up ended %s later: %s", time.Since(began).Round(time.Millisecond), r.Stdout)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			if left := openIntents(t, i.journal); len(left) != 1 {
				t.Errorf("in the journal: %v", left)
			}
			preview, err := i.stack.Project.Preview(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if warning := fmt.Sprintf("The outcome of earlier requests is unknown, for %s \"a\" (", kind); !strings.Contains(preview.Stdout, warning) ||
				!strings.Contains(preview.Stdout, "`declprov journal settle`") {
				t.Errorf("the next preview does not warn about the open intent:\n%s", preview.Stdout)
			}
			i.settle(t)
			if quiet, err := i.stack.Project.Preview(t.Context()); err != nil || strings.Contains(quiet.Stdout, "The outcome of earlier requests is unknown") {
				t.Errorf("the warning stays: %v\n%s", err, quiet.Stdout)
			}
		})
	}
}

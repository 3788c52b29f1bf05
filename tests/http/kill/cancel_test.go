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

// late is a server whose next POST is done at once, and answered when the test
// says so.
type late struct {
	*hostile.Server
	// sent is told of the POST; closing answer answers it.
	sent, answer chan struct{}
}

func startLate(t *testing.T) *late {
	l := &late{Server: hostile.Start(t), sent: make(chan struct{}, 1), answer: make(chan struct{})}
	l.arm(t)
	return l
}

// arm makes the next POST late.
func (l *late) arm(t *testing.T) {
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

// made are the names of the objects on the server.
func (l *late) made() []string {
	var out []string
	for _, o := range l.Objects() {
		out = append(out, fmt.Sprint(o["name"]))
	}
	slices.Sort(out)
	return out
}

// listed are the resources of the open intents of a journal.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	all, err := journal.In(dir).List()
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

// session is a provider process, its journal, and an engine that hears its
// messages.
type session struct {
	*provider.Process
	engine  *client.Engine
	journal string
}

func startSession(t *testing.T, l *late, grace string) *session {
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

// result is how a create ended, and when.
type result struct {
	state client.State
	err   error
	took  time.Duration // since it began
}

func (r result) String() string {
	return fmt.Sprintf("id %q, error %v, after %s", r.state.ID, r.err, r.took.Round(time.Millisecond))
}

// create begins a create.
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

// running fails if the create ends by itself.
func running(t *testing.T, what string, created <-chan result) {
	t.Helper()
	select {
	case r := <-created:
		t.Fatalf("%s: it ended with %v", what, r)
	case <-time.After(200 * time.Millisecond):
	}
}

// ended returns the result of a create, which must come soon.
func ended(t *testing.T, created <-chan result) result {
	t.Helper()
	select {
	case r := <-created:
		return r
	case <-time.After(2 * time.Second):
		t.Fatal("it goes on")
		return result{}
	}
}

// cancelledBefore checks that a create was cancelled, and nothing of it sent.
func cancelledBefore(t *testing.T, r result) {
	t.Helper()
	if status.Code(r.err) != codes.Canceled || r.state.ID != "" {
		t.Errorf("%v, want the code Canceled", r)
	}
}

const settles = "run `pulumi up`, which settles it; `declprov journal` lists it until then"

// TestCancelWaitsForTheAnswer: a POST in flight is answered after the first
// Cancel; creates after it are not sent.
func TestCancelWaitsForTheAnswer(t *testing.T) {
	for _, kind := range []string{"Bare", "Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			l := startLate(t)
			s := startSession(t, l, "")
			a := create(t, s.Client, kind, "a")
			<-l.sent
			cancel(t, s.Client)
			b := create(t, s.Client, kind, "b")
			cancelledBefore(t, ended(t, b))
			running(t, "after the first Cancel", a)
			close(l.answer)
			if r := ended(t, a); r.err != nil || r.state.ID == "" {
				t.Errorf("%v", r)
			}
			if diff := cmp.Diff([]string{"a"}, l.made()); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			if left := listed(t, s.journal); len(left) > 0 {
				t.Errorf("in the journal: %v", left)
			}
			shown := slices.ContainsFunc(s.engine.Logs(), func(m client.LogMessage) bool {
				return m.Ephemeral && m.Text == "cancelling: waiting up to 10s for the response; cancel again to abort"
			})
			if !shown {
				t.Errorf("nobody is told that it is waited for: %+v", s.engine.Logs())
			}
			cancel(t, s.Client) // the end of the run
			if r := ended(t, create(t, s.Client, kind, "c")); r.err != nil {
				t.Errorf("the next run: %v", r.err)
			}
		})
	}
}

// TestCancelEndsWithoutAnAnswer: what is not answered within the grace, or is
// cancelled again, is unknown, and its intent stays open.
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
				l := startLate(t)
				s := startSession(t, l, tc.grace)
				a := create(t, s.Client, kind, "a")
				<-l.sent
				for range tc.cancels {
					cancel(t, s.Client)
				}
				r := ended(t, a)
				if status.Code(r.err) != codes.Canceled || !strings.Contains(fmt.Sprint(r.err), settles) {
					t.Errorf("%v, want the code Canceled, and %q", r, settles)
				}
				if left := listed(t, s.journal); len(left) != 1 || !strings.HasSuffix(left[0], "::a") {
					t.Errorf("in the journal: %v", left)
				}
				if r := ended(t, create(t, s.Client, kind, "a")); r.err != nil {
					t.Errorf("the next run: %v", r.err)
				}
				if diff := cmp.Diff([]string{"a"}, l.made()); diff != "" {
					t.Errorf("on the server (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCancelOfAnotherConnection: engines that are attached to one process do not
// cancel each other's operations.
func TestCancelOfAnotherConnection(t *testing.T) {
	l := startLate(t)
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
	running(t, "cancelled by another engine", a)
	if r := ended(t, create(t, other, "Keyed", "b")); r.err != nil {
		t.Errorf("the other engine's own: %v", r.err)
	}
	cancel(t, s.Client)
	if r := ended(t, create(t, other, "Keyed", "c")); r.err != nil {
		t.Errorf("the other engine, after this one's Cancel: %v", r.err)
	}
	cancelledBefore(t, ended(t, create(t, s.Client, "Keyed", "d")))
	close(l.answer)
	if r := ended(t, a); r.err != nil {
		t.Error(r.err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, l.made()); diff != "" {
		t.Errorf("on the server (-want +got):\n%s", diff)
	}
}

// TestInterruptAborts: an interrupt does not wait for the answer, and the intent
// is written down.
func TestInterruptAborts(t *testing.T) {
	l := startLate(t)
	s := startSession(t, l, "")
	a := create(t, s.Client, "Keyed", "a")
	<-l.sent
	cancel(t, s.Client)
	if err := s.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if !s.Ends(time.Second) {
		t.Error("it is still there")
	}
	if r := ended(t, a); status.Code(r.err) != codes.Canceled {
		t.Errorf("%v, want the code Canceled", r)
	}
	if left := listed(t, s.journal); len(left) != 1 {
		t.Errorf("in the journal: %v", left)
	}
}

// interrupted is a stack whose CLI is interrupted while a POST is in flight.
type interrupted struct {
	*late
	stack           *pulumitest.Stack
	folder, journal string
}

func newInterrupted(t *testing.T, kind string) *interrupted {
	i := &interrupted{late: startLate(t), journal: t.TempDir()}
	i.folder = provider.Behind(t, "hostile", hostileSpec, provider.Noted)
	i.stack = pulumitest.New(t, pulumitest.Providers{"hostile": i.folder}, "DECLPROV_JOURNAL="+i.journal)
	i.stack.Program(fmt.Sprintf(`config: {"hostile:endpoint": {value: %q}}
resources:
  a: {type: hostile:%[2]s, properties: {name: a}}
  b: {type: hostile:%[2]s, properties: {name: b}, options: {dependsOn: ["${a}"]}}
`, i.URL, kind))
	return i
}

// press sends the CLI what a terminal sends for ^C.
func (i *interrupted) press(t *testing.T) {
	t.Helper()
	cli := provider.CLI(i.folder)
	if cli == 0 {
		t.Fatal("the CLI does not run, or no provider of it")
	}
	if err := provider.Signal(os.Interrupt, cli); err != nil {
		t.Fatal(err)
	}
}

// up begins an up.
func (i *interrupted) up(t *testing.T) <-chan *pulumicli.Result {
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

// settled does what the CLI says until an up works, and checks that there is what
// the program wants, once.
func (i *interrupted) settled(t *testing.T) {
	t.Helper()
	v := &victim{T: t, stack: i.stack}
	v.mend()
	v.repair()
	i.stack.Up("same=2")
	if diff := cmp.Diff([]string{"a", "b"}, i.made()); diff != "" {
		t.Errorf("on the server (-want +got):\n%s", diff)
	}
	if left := listed(t, i.journal); len(left) > 0 {
		t.Errorf("in the journal: %v", left)
	}
	i.stack.Destroy("delete=2")
	if left := i.made(); len(left) > 0 {
		t.Errorf("after destroy: %v", left)
	}
}

// TestOneInterruptOfTheCLI: what was sent when ^C is pressed is answered and
// recorded, and nothing else is sent.
func TestOneInterruptOfTheCLI(t *testing.T) {
	for _, kind := range []string{"Bare", "Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t, kind)
			up := i.up(t)
			<-i.sent
			i.press(t)
			select {
			case r := <-up:
				t.Fatalf("it ended before the answer: %v", r.Failure())
			case <-time.After(time.Second):
			}
			close(i.answer)
			if r := <-up; r.ExitCode == 0 {
				t.Errorf("an up that was cancelled says that it worked:\n%s", r.Stdout)
			}
			i.stack.Recorded("a")
			i.stack.Unrecorded("b")
			if diff := cmp.Diff([]string{"a"}, i.made()); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			if left := listed(t, i.journal); len(left) > 0 {
				t.Errorf("in the journal: %v", left)
			}
			i.settled(t)
		})
	}
}

// TestTwoInterruptsOfTheCLI: the second ^C ends at once, and the next up settles
// what was not answered.
func TestTwoInterruptsOfTheCLI(t *testing.T) {
	for _, kind := range []string{"Keyed", "Found"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t, kind)
			up := i.up(t)
			<-i.sent
			i.press(t)
			time.Sleep(200 * time.Millisecond)
			i.press(t)
			began := time.Now()
			if r := <-up; r.ExitCode == 0 {
				t.Errorf("an up that was cancelled says that it worked:\n%s", r.Stdout)
			} else {
				t.Logf("it ended %s later: %s", time.Since(began).Round(time.Millisecond), r.Stdout)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if left := listed(t, i.journal); len(left) != 1 {
				t.Errorf("in the journal: %v", left)
			}
			preview, err := i.stack.Project.Preview(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if warning := fmt.Sprintf("Nobody knows what came of earlier requests for %s \"a\" (", kind); !strings.Contains(preview.Stdout, warning) ||
				!strings.Contains(preview.Stdout, "`declprov journal settle`") {
				t.Errorf("the next preview does not say that it is not settled:\n%s", preview.Stdout)
			}
			i.settled(t)
			if quiet, err := i.stack.Project.Preview(t.Context()); err != nil || strings.Contains(quiet.Stdout, "Nobody knows") {
				t.Errorf("the warning stays: %v\n%s", err, quiet.Stdout)
			}
		})
	}
}

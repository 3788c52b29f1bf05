package pulumi

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/peer"

	"github.com/declprov/declprov/engine/run/stop"
)

// over returns a context of calls that come over a connection of their own.
func over(t *testing.T) context.Context {
	return peer.NewContext(t.Context(), &peer.Peer{AuthInfo: &connection{}})
}

// Which of an operation's two ends has come.
const (
	runs    = "runs"
	stopped = "stopped"
	aborted = "aborted"
)

func stateOf(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return aborted
	case stop.IsStopped(ctx):
		return stopped
	default:
		return runs
	}
}

func wantState(t *testing.T, what string, ctx context.Context, want string) {
	t.Helper()
	if want == aborted {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
	}
	if got := stateOf(ctx); got != want {
		t.Errorf("%s: it %s, want %s", what, got, want)
	}
}

// TestCancelsAreCounted follows calls through the Cancels of their connection.
func TestCancelsAreCounted(t *testing.T) {
	c := newCalls(time.Minute)
	one, other := over(t), over(t)
	first, endFirst := c.begin(one, 0)
	beside, endBeside := c.begin(other, 0)
	defer endBeside()
	wantState(t, "before", first, runs)

	c.cancel(one)
	wantState(t, "after one Cancel", first, stopped)
	wantState(t, "over another connection", beside, runs)
	late, endLate := c.begin(one, 0)
	wantState(t, "begun while cancelled ones are under way", late, stopped)

	c.cancel(one)
	wantState(t, "after two", first, aborted)
	wantState(t, "the late one, after two", late, aborted)
	if !errors.Is(context.Cause(first), stop.ErrAborted) {
		t.Errorf("cause = %v", context.Cause(first))
	}
	last, endLast := c.begin(one, 0)
	wantState(t, "begun while aborted ones are under way", last, aborted)
	wantState(t, "over another connection", beside, runs)
	endFirst()
	endLate()
	endLast()

	c.cancel(one) // the end of the run
	next, endNext := c.begin(one, 0)
	defer endNext()
	wantState(t, "begun when none is under way", next, runs)
	c.cancel(one)
	wantState(t, "the next, after its first", next, stopped)
	c.renew(one)
	renewed, endRenewed := c.begin(one, 0)
	defer endRenewed()
	wantState(t, "after a Handshake or a Configure", renewed, runs)
	c.cancel(one)
	wantState(t, "the next, after its second", next, aborted)
	wantState(t, "the renewed, after its first", renewed, stopped)

	c.abortAll()
	wantState(t, "at the end of the process", beside, aborted)
	wantState(t, "at the end of the process", renewed, aborted)
	if !errors.Is(context.Cause(beside), errEnding) {
		t.Errorf("cause = %v", context.Cause(beside))
	}
	ending, endEnding := c.begin(other, 0)
	defer endEnding()
	wantState(t, "begun at the end of the process", ending, aborted)
}

// TestEnded: it is told when no operation is under way over any connection.
func TestEnded(t *testing.T) {
	c := newCalls(time.Minute)
	open := func() bool {
		select {
		case <-c.ended():
			return false
		default:
			return true
		}
	}
	if open() {
		t.Error("nothing has begun")
	}
	_, endOne := c.begin(over(t), 0)
	_, endOther := c.begin(over(t), 0)
	endOne()
	if !open() {
		t.Error("one is under way")
	}
	endOther()
	if open() {
		t.Error("none is under way")
	}
}

func TestTimeoutHasGrace(t *testing.T) {
	ctx, end := newCalls(0).begin(t.Context(), time.Minute)
	defer end()
	deadline, ok := ctx.Deadline()
	if left := time.Until(deadline); !ok || left <= time.Minute || left > time.Minute+Grace {
		t.Errorf("deadline in %v", left)
	}
}

func TestGraceFrom(t *testing.T) {
	for text, want := range map[string]time.Duration{"": stop.DefaultGrace, "0s": 0, "1m30s": 90 * time.Second} {
		if got, err := graceFrom(text); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"10", "-1s", "soon"} {
		if got, err := graceFrom(text); err == nil || got != stop.DefaultGrace {
			t.Errorf("%q: %s, %v, want the default and an error", text, got, err)
		}
	}
}

package pulumi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

func TestFailureCodes(t *testing.T) {
	cases := []struct {
		name string
		err  error
		want codes.Code
	}{
		{"malformed value", &wire.Error{Path: "a", Reason: "bad"}, codes.InvalidArgument},
		{"wrapped cancellation", fmt.Errorf("step 1: %w", context.Canceled), codes.Canceled},
		{"wrapped deadline", fmt.Errorf("step 1: %w", context.DeadlineExceeded), codes.DeadlineExceeded},
		{"the world", fmt.Errorf("step 1: %w", fs.ErrExist), codes.FailedPrecondition},
		{"a status stays", status.Error(codes.NotFound, "no"), codes.NotFound},
		{"but not an unknown one", status.Error(codes.Unknown, "no"), codes.FailedPrecondition},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := status.Code(failure(c.err)); got != c.want {
				t.Errorf("code = %v, want %v", got, c.want)
			}
		})
	}
	if failure(nil) != nil {
		t.Error("no error became one")
	}
}

// TestOperationFailure: an operation that the host ended failed for that
// reason, whatever it says of a broken pipe.
func TestOperationFailure(t *testing.T) {
	broken := errors.New("broken pipe")
	c := newCalls(time.Minute)
	cancelled, end := c.begin(t.Context(), 0)
	defer end()
	c.cancel(t.Context())
	aborted, end := c.begin(t.Context(), 0)
	defer end()
	c.abortAll()
	<-aborted.Done()
	late, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	<-late.Done()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		want codes.Code
	}{
		{"cancelled", cancelled, codes.Canceled},
		{"aborted", aborted, codes.Canceled},
		{"out of time", late, codes.DeadlineExceeded},
		{"neither", t.Context(), codes.FailedPrecondition},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := operationFailure(tc.ctx, broken)
			if status.Code(err) != tc.want || !strings.Contains(err.Error(), "broken pipe") {
				t.Errorf("error = %v, want code %v", err, tc.want)
			}
		})
	}
}

func TestMessageTravels(t *testing.T) {
	got := message(errors.New("bad \xff byte " + strings.Repeat("ä", 64<<10)))
	if len(got) > screen.Longest || !strings.HasPrefix(got, `bad \xff byte ä`) {
		t.Errorf("message of %d bytes: %.40q", len(got), got)
	}
}

// TestPartlyShrinks: a state too large for a trailer loses its largest outputs,
// and says so; the engine's own part stays.
func TestPartlyShrinks(t *testing.T) {
	r := reply{id: "a", properties: &structpb.Struct{Fields: map[string]*structpb.Value{
		"huge":     wire.String(strings.Repeat("x", largestOutputs+1)),
		"small":    wire.String("x"),
		privateKey: wire.String(`{"id":"b"}`),
	}}}
	err := partialFailure(status.Error(codes.FailedPrecondition, "disk full"), r)
	s := status.Convert(err)
	if s.Code() != codes.FailedPrecondition || len(s.Details()) != 1 {
		t.Fatalf("status = %v", s)
	}
	detail := s.Details()[0].(*pulumirpc.ErrorResourceInitFailed)
	if proto.Size(detail) > largestOutputs {
		t.Errorf("the detail has %d bytes", proto.Size(detail))
	}
	want := []string{"disk full", "too large to be recorded with a failure, and omitted: huge"}
	if diff := cmp.Diff(want, detail.GetReasons()); diff != "" {
		t.Errorf("reasons (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"small": "x", privateKey: `{"id":"b"}`}, detail.GetProperties().AsMap()); diff != "" {
		t.Errorf("properties (-want +got)\n%s", diff)
	}
}

// TestNoTextPushesAPropertyOut: however long an error is, what was recorded without it is
// recorded with it; inputs stay longer than outputs, and what the engine has kept of the
// finished steps stays longest.
func TestNoTextPushesAPropertyOut(t *testing.T) {
	text := strings.Repeat("x", 64<<10)
	private := func(results string) *structpb.Value {
		return privateValue(engine.Private{Token: "a", Failed: &engine.Failed{
			Op: "create", Step: 1, Results: []any{results}, Inputs: "h", Error: screen.Show(text, nil).String(),
		}})
	}
	large := func(share float64) *structpb.Value {
		return wire.String(strings.Repeat("x", int(share*largestOutputs)))
	}
	for _, c := range []struct {
		name    string
		fields  map[string]*structpb.Value
		dropped []string
		kept    bool // the results of the steps
	}{
		{"as large as can be", map[string]*structpb.Value{"in": large(0.9), "out": large(0.0999)}, nil, true},
		{"too large by an output", map[string]*structpb.Value{"in": large(0.9), "out": large(0.3), "small": large(0)}, []string{"out"}, true},
		{"too large by an input", map[string]*structpb.Value{"in": large(1.1), "out": large(0.1)}, []string{"out", "in"}, true},
		{"too large by its results", map[string]*structpb.Value{"in": large(0.1), privateKey: private(strings.Repeat("x", largestDetail))}, []string{"in"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.fields[privateKey] == nil {
				c.fields[privateKey] = private("result")
			}
			r := reply{id: "a", properties: &structpb.Struct{Fields: c.fields}, given: property.NewMap(map[string]property.Value{"in": property.New("x")})}
			s := status.Convert(partialFailure(failure(errors.New(text)), r))
			detail := s.Details()[0].(*pulumirpc.ErrorResourceInitFailed)
			if len(s.Message()) > screen.Longest || len(detail.GetReasons()[0]) > screen.Longest {
				t.Errorf("the message has %d bytes, the reason %d", len(s.Message()), len(detail.GetReasons()[0]))
			}
			var reasons []string
			if c.dropped != nil {
				reasons = []string{"too large to be recorded with a failure, and omitted: " + strings.Join(c.dropped, ", ")}
			}
			if got := detail.GetReasons()[1:]; strings.Join(got, "") != strings.Join(reasons, "") {
				t.Errorf("left out: %q, want %q", got, reasons)
			}
			p := readPrivate(detail.GetProperties())
			if kept := p.Failed != nil && p.Failed.Results != nil && p.Failed.Inputs != ""; kept != c.kept || p.Token != "a" {
				t.Errorf("of the private part there is %.200v", p)
			}
			if size := proto.Size(detail); size > largestDetail {
				t.Errorf("it has %d bytes", size)
			}
		})
	}
}

func TestDuration(t *testing.T) {
	cases := []struct {
		seconds float64
		want    time.Duration
	}{
		{0, 0}, {-1, 0}, {1.5, 1500 * time.Millisecond}, {1e300, 0},
	}
	for _, c := range cases {
		if got := duration(c.seconds); got != c.want {
			t.Errorf("duration(%v) = %v, want %v", c.seconds, got, c.want)
		}
	}
}

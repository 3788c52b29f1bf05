package pulumi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// passes is a spec with an ephemeral.
const passes = `
package lab
name: "lab"
version: "1.2.3"
ephemerals: Pass: {
	inputs: role: string
	outputs: token: string
	open: {lab: do: {what: "open", with: "${inputs.role}"}, return: token: "t-${inputs.role}"}
	close: lab: do: {what: "close", with: "${state.token}"}
}
resources: {}
`

// closes is a lab that notes which passes were closed.
type closes struct {
	lab
	mu     sync.Mutex
	closed []string
}

func newCloses() *closes {
	c := &closes{}
	c.on("close", func(_ context.Context, call *actions.Call) actions.Outcome {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = append(c.closed, fmt.Sprint(call.Args["with"]))
		return actions.Succeed(nil)
	})
	return c
}

func (c *closes) so() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// open opens a pass, whose token must be a secret.
func open(t *testing.T, c *client.Client, role string) {
	t.Helper()
	args, err := wire.Encoder{}.Encode(object("role", role))
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "lab:index:openPass", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.Decode(res.GetReturn())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "pass", got, object("token", property.New("t-"+role).WithSecret(true)))
}

// TestCancelCloses: a process that engines attach to is only told by Cancel that
// a run is over, and closes what was opened for it.
func TestCancelCloses(t *testing.T) {
	l := newCloses()
	c := l.provider(t, passes)
	open(t, c, "one")
	if err := c.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for len(l.so()) == 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	open(t, c, "two") // calls that come later are served
	if diff := cmp.Diff([]string{"t-one"}, l.so()); diff != "" {
		t.Errorf("closed (-want +got)\n%s", diff)
	}
}

// TestEndCloses: a process that ends closes what is open first, and says what it
// could not close.
func TestEndCloses(t *testing.T) {
	l := newCloses()
	p := l.program(t, passes)
	ctx, end := context.WithCancel(t.Context())
	port, stdout := io.Pipe()
	var stderr strings.Builder
	ended := make(chan error, 1)
	go func() {
		ended <- pulumi.Serve(ctx, pulumi.Options{Program: p, Version: "1.2.3", Dir: t.TempDir(), Stdout: stdout, Stderr: &stderr})
	}()
	line, err := bufio.NewReader(port).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if _, err := fmt.Sscan(line, &number); err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(number)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Configure(t.Context(), "lab", property.Map{}); err != nil {
		t.Fatal(err)
	}
	open(t, c, "one")
	l.on("close", func(context.Context, *actions.Call) actions.Outcome {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.closed = append(l.closed, "tried")
		return actions.Outcome{Status: actions.Failed, Err: fmt.Errorf("t-one cannot be closed")}
	})
	end()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tried"}, l.so()); diff != "" {
		t.Errorf("closed (-want +got)\n%s", diff)
	}
	if said := stderr.String(); !strings.Contains(said, "close of Pass failed") || strings.Contains(said, "t-one") {
		t.Errorf("stderr is %q", said)
	}
}

package client_test

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// The calls that a provider answers are tested with the provider, in the folder
// above; these tests are of what is the client's alone.

func TestURN(t *testing.T) {
	r := client.Resource{Type: "files:index:File", Name: "a"}
	if got, want := r.URN(), "urn:pulumi:dev::try::files:index:File::a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConnectToNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Check(t.Context(), client.Resource{}, property.Map{}, property.Map{})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("error = %v, want Unavailable", err)
	}
}

func TestEngineKeepsLogs(t *testing.T) {
	e, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop()
	heard := make(chan client.LogMessage, 1)
	e.OnLog = func(m client.LogMessage) { heard <- m }
	conn, err := grpc.NewClient("passthrough:///"+e.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := pulumirpc.NewEngineClient(conn).Log(t.Context(), &pulumirpc.LogRequest{
		Severity: pulumirpc.LogSeverity_WARNING, Message: "slow", Urn: "urn:a",
	}); err != nil {
		t.Fatal(err)
	}
	want := client.LogMessage{Severity: "WARNING", Text: "slow", URN: "urn:a"}
	if diff := cmp.Diff([]client.LogMessage{want, want}, append(e.Logs(), <-heard)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDiffReplaces(t *testing.T) {
	cases := []struct {
		name string
		diff client.Diff
		want bool
	}{
		{"nothing changes", client.Diff{Replaces: []string{"a"}}, false},
		{"keys", client.Diff{Changed: true, Replaces: []string{"a"}}, true},
		{"a detail", client.Diff{Changed: true, Details: []client.Change{{Path: "a", Kind: "ADD_REPLACE"}}}, true},
		{"an update", client.Diff{Changed: true, Details: []client.Change{{Path: "a", Kind: "UPDATE"}}}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.diff.Replace(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

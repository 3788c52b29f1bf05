package grants

import (
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// TestAgentIsGranted: the user's ssh-agent is asked for keys only where the spec is
// granted it, and vet and permissions say so.
func TestAgentIsGranted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		permissions, agent string
		passes, asked      bool
	}{
		"granted":             {`permissions: {hosts: ["ssh://127.0.0.1:*"], agent: true}`, `true`, true, true},
		"granted by no block": {``, `true`, true, true},
		"not granted":         {`permissions: hosts: ["ssh://127.0.0.1:*"]`, `true`, false, false},
		"refused":             {`permissions: {hosts: ["ssh://127.0.0.1:*"], agent: false}`, `true`, false, false},
		"not granted, chosen": {`permissions: hosts: ["ssh://127.0.0.1:*"]`, `"${inputs.agent}"`, false, false},
		"not asked for":       {`permissions: {hosts: ["ssh://127.0.0.1:*"], agent: true}`, `"${!inputs.agent}"`, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "agent")
			agent, asked := counting(t, "unix", socket)
			defer agent.Close()
			machine, _ := counting(t, "tcp", "127.0.0.1:0")
			defer machine.Close()
			_, port, _ := strings.Cut(machine.Addr().String(), ":")
			block := tc.permissions
			if block == "" {
				block = `exec: ssh: {host: "127.0.0.1", port: ` + port + `, user: "me", hostKey: "SHA256:` + strings.Repeat("A", 43) + `"}`
			}
			spec := block + `
functions: go: {
	inputs: agent: bool
	outputs: {}
	exec: {command: ["true"], effect: "none", ssh: {host: "127.0.0.1", port: ` + port + `, user: "me", hostKey: "SHA256:` + strings.Repeat("A", 43) + `", agent: ` + tc.agent + `}}
	return: {}
}`
			said, passes := vet(t, spec)
			if passes != tc.passes || !passes && !strings.Contains(said, "not-permitted") {
				t.Errorf("vet passes: %v\n%s", passes, said)
			}
			if !passes {
				return
			}
			d := serve(t, spec, t.TempDir(), nil, "SSH_AUTH_SOCK="+socket)
			if failed := d.invoke("go", map[string]property.Value{"agent": property.New(true)}); failed == "" {
				t.Error("it logs in at a machine that hangs up")
			}
			// The connection is counted once it is accepted, which may be after the command has failed.
			for deadline := time.Now().Add(time.Minute); tc.asked && asked.Load() == 0 && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
			if (asked.Load() > 0) != tc.asked {
				t.Errorf("the agent was asked %d times", asked.Load())
			}
		})
	}
}

// counting listens, counts who connects, and hangs up.
func counting(t *testing.T, network, address string) (net.Listener, *atomic.Int64) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	count := &atomic.Int64{}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			_ = conn.Close()
		}
	}()
	return l, count
}

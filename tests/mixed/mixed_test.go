package mixed

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func open(t *testing.T) (*inventory, *pulumitest.Stack) {
	t.Helper()
	i := newInventory(t)
	folder := provider.Folder(t, "inventory", "examples/mixed.cue")
	return i, pulumitest.New(t, pulumitest.Providers{"inventory": folder}, "INVENTORY_ENDPOINT="+i.url)
}

func machine(properties string) string {
	return "resources:\n  m: {type: inventory:Machine, properties: {" + properties + "}}\n"
}

// holds asserts what the inventory and the folder of tokens have.
func holds(t *testing.T, i *inventory, s *pulumitest.Stack, roles map[string]string, tokens ...string) {
	t.Helper()
	if diff := cmp.Diff(roles, i.roles()); diff != "" {
		t.Errorf("the inventory (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(tokens, slices.Sorted(maps.Keys(s.Files()))); diff != "" {
		t.Errorf("the tokens (-want +got):\n%s", diff)
	}
}

func TestALifeOfAMachine(t *testing.T) {
	t.Parallel()
	i, s := open(t)
	s.Program(machine("name: web1, role: web"))
	s.Preview("create=1")
	holds(t, i, s, map[string]string{})
	if n := i.requests(); n != 0 {
		t.Errorf("a preview has asked %d times", n)
	}
	s.Up("create=1")
	holds(t, i, s, map[string]string{"web1": "web"}, "tokens/web1")
	got := s.Recorded("m")
	sum := sha256.Sum256([]byte(s.Files()["tokens/web1"]))
	if got.ID != "42" || got.Outputs["fingerprint"] != hex.EncodeToString(sum[:]) {
		t.Errorf("id %q, outputs %v", got.ID, got.Outputs)
	}
	s.Up("same=1")

	// Somebody changes what it is for.
	i.set(func(all map[string]map[string]any) { all["42"]["role"] = "mail" })
	s.Refresh("update Machine m")
	s.Up("update=1")
	holds(t, i, s, map[string]string{"web1": "web"}, "tokens/web1")
	s.Program(machine("name: web1, role: proxy"))
	s.Up("update=1")
	holds(t, i, s, map[string]string{"web1": "proxy"}, "tokens/web1")
	s.Up("same=1")
	s.Program(machine("name: web2, role: proxy"))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	holds(t, i, s, map[string]string{"web2": "proxy"}, "tokens/web2")

	// Somebody takes it away.
	i.set(func(all map[string]map[string]any) { clear(all) })
	s.Refresh("delete Machine m")
	holds(t, i, s, map[string]string{}, "tokens/web2")
	s.Destroy("")
}

func TestImportOfAMachine(t *testing.T) {
	t.Parallel()
	i, s := open(t)
	i.set(func(all map[string]map[string]any) {
		all["7"] = map[string]any{"number": 7, "name": "old", "role": "web", "fingerprint": "x"}
	})
	s.Import("inventory:index:Machine", "m", "7")
	s.Program(machine("name: old, role: web"))
	s.Up("same=1")
}

// The last word is "no": what the steps before have done is undone, and the next
// run begins anew.
func TestUndone(t *testing.T) {
	t.Parallel()
	i, s := open(t)
	s.Program(machine(`name: web1, role: web, check: "echo not today >&2; exit 9"`))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	for _, want := range []string{"exit code 9", "not today", "what it had done was undone"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	holds(t, i, s, map[string]string{})
	s.Unrecorded("m")
	s.Program(machine("name: web1, role: web"))
	s.Up("create=1")
	holds(t, i, s, map[string]string{"web1": "web"}, "tokens/web1")
	s.Up("same=1")
}

// The undoing fails as well: the machine is kept as failed, and the next run
// repairs it, without a second one.
func TestNotUndone(t *testing.T) {
	t.Parallel()
	i, s := open(t)
	i.mu.Lock()
	i.refuse = true
	i.mu.Unlock()
	s.Program(machine(`name: web1, role: web, check: "exit 9"`))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	for _, want := range []string{"exit code 9", "could not be undone", "409"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if got := s.Recorded("m"); got.ID != "42" {
		t.Errorf("it is kept as %q", got.ID)
	}
	i.mu.Lock()
	i.refuse = false
	i.mu.Unlock()
	s.Program(machine("name: web1, role: web"))
	s.Up("update=1")
	holds(t, i, s, map[string]string{"web1": "web"}, "tokens/web1")
	s.Up("same=1")
	s.Destroy("delete=1")
	holds(t, i, s, map[string]string{})
}

// The check of an update says "no": the resource stays, as failed, and the next
// run goes on.
func TestUpdateThatStops(t *testing.T) {
	t.Parallel()
	i, s := open(t)
	s.Program(machine("name: web1, role: web"))
	s.Up("create=1")
	s.Program(machine(`name: web1, role: mail, check: "exit 9"`))
	s.Fails(s.Project.Up(t.Context()))
	s.Program(machine("name: web1, role: mail"))
	s.Up("update=1")
	holds(t, i, s, map[string]string{"web1": "mail"}, "tokens/web1")
	s.Up("same=1")
}

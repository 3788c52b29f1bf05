package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestHelper has a command print the token: once for all requests, and again when the server
// refuses it. A command that fails, or that prints another token, is refused without the password
// in the message.
func TestHelper(t *testing.T) {
	h, dir := open(t), t.TempDir()
	t.Setenv("DECLPROV_JOURNAL", filepath.Join(t.TempDir(), "journal"))
	round := func(printed, admitted string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "round.txt"), []byte(printed), 0o600); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		h.printed = password + "-" + admitted
		h.mu.Unlock()
	}
	refusals := func(want int) {
		t.Helper()
		if _, refused := h.record(); refused != want {
			t.Errorf("%d requests were refused, want %d", refused, want)
		}
	}
	round("1", "1")
	config := values{"endpoint": property.New(h.URL), "password": property.New(password)}
	p := provider.Configured(t, provider.Folder(t, "lodge", "tests/servers/auth/testdata/helper.cue"), "lodge", dir, config)
	guest := client.Resource{Type: "lodge:index:Guest", Name: "ada"}
	live(t, p, guest, "helper")
	refusals(0)
	s, err := p.Create(t.Context(), guest, named("ada"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	round("2", "2")
	for range 2 {
		if s, err = p.Read(t.Context(), guest, s, client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	refusals(1)
	round("3", "4")
	if _, err = p.Read(t.Context(), guest, s, client.Operation{}); err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), password) {
		t.Errorf("another token: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "round.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err = p.Read(t.Context(), guest, s, client.Operation{}); err == nil || strings.Contains(err.Error(), password) {
		t.Errorf("no token: %v", err)
	}
}

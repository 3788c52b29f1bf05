package ssh

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestSecretUploads: a file with secret content is its owner's alone on the machine,
// also one that was there and that others could read; and where the mode that is asked
// for lets others read it, the user is told.
func TestSecretUploads(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	host := provider.Engine(t)
	if err := l.Handshake(t.Context(), host.Address()); err != nil {
		t.Fatal(err)
	}
	const pin = "p1n-that-nobody-sees"
	for i, c := range []struct {
		secret bool
		mode   string      // "" is none
		was    os.FileMode // of a file that is there; 0 is none
		others bool        // may read it afterwards
		told   bool
	}{
		{secret: true},
		{secret: true, was: 0o644},
		{secret: true, mode: "0600"},
		{secret: true, mode: "0640", others: true, told: true},
		{secret: true, mode: "0604", others: true, told: true},
		{secret: true, mode: "0644", was: 0o600, others: true, told: true},
		{secret: false, mode: "0644", others: true},
	} {
		name := filepath.Join(l.near.dir, fmt.Sprint("f", i))
		inputs := property.NewMap(map[string]property.Value{"path": property.New(name), "content": property.New(pin).WithSecret(c.secret)})
		if c.mode != "" {
			inputs = inputs.Set("mode", property.New(c.mode))
		}
		if c.was != 0 {
			if err := os.WriteFile(name, []byte("before"), c.was); err != nil {
				t.Fatal(err)
			}
		}
		it, before := client.Resource{Type: "commands:index:Uploaded", Name: fmt.Sprint("f", i)}, len(host.Logs())
		made, err := l.Create(t.Context(), it, inputs, client.Operation{})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		holds := func(verb, content string) {
			t.Helper()
			info, err := os.Stat(name)
			if err != nil || info.Mode()&0o044 != 0 != c.others {
				t.Errorf("%+v: %s: its mode is %v, %v", c, verb, info.Mode(), err)
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != content {
				t.Errorf("%+v: %s: it holds %q, %v", c, verb, got, err)
			}
			told := 0
			for _, m := range host.Logs()[before:] {
				if m.Severity != "DEBUG" && strings.Contains(m.Text, "others can read it") && strings.Contains(m.Text, name) {
					told++
				}
				if c.secret && strings.Contains(m.Text, content) {
					t.Errorf("%+v: %s: it says %q", c, verb, m.Text)
				}
			}
			before = len(host.Logs())
			if (told > 0) != c.told {
				t.Errorf("%+v: %s: told %d times", c, verb, told)
			}
		}
		holds("create", pin)
		if _, err := l.Update(t.Context(), it, made, inputs.Set("content", property.New(pin+"-2").WithSecret(c.secret)), client.Operation{}); err != nil {
			t.Errorf("%+v: update: %v", c, err)
			continue
		}
		holds("update", pin+"-2")
	}
}

// TestSecretTrees: so are the files of a secret archive, and those of another are as they
// were.
func TestSecretTrees(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	text, err := asset.FromText("p1n-that-nobody-sees")
	if err != nil {
		t.Fatal(err)
	}
	files, err := archive.FromAssets(map[string]any{"a": text})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []bool{true, false} {
		name := filepath.Join(l.near.dir, fmt.Sprint("secret ", secret))
		inputs := property.NewMap(map[string]property.Value{"path": property.New(name), "files": property.New(files).WithSecret(secret)})
		if _, err := l.Create(t.Context(), client.Resource{Type: "commands:index:Tree", Name: fmt.Sprint("t", secret)}, inputs, client.Operation{}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(name, "a")); err != nil || (info.Mode()&0o044 == 0) != secret {
			t.Errorf("secret %t: its mode is %v, %v", secret, info.Mode(), err)
		}
	}
}

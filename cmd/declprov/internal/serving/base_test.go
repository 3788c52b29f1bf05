package serving

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/evaluate"
	"github.com/declprov/declprov/engine/pulumi"
)

// TestMain also evaluates specs: the parameter of the base plugin is evaluated in another process of
// the same binary.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == build.ChildCommand {
		if err := evaluate.Child(context.Background(), func(string) error { return nil }, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	m.Run()
}

// TestBaseVersionOfAllReleases checks that the SDKs of all releases refer to the same version of
// the base plugin, so that a colleague with another declprov can use them, and a later one can
// destroy the stack.
func TestBaseVersionOfAllReleases(t *testing.T) {
	spec := filepath.Join(t.TempDir(), "notes.cue")
	if err := os.WriteFile(spec, []byte("name: \"notes\"\nversion: \"0.1.0\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DECLPROV_CACHE", t.TempDir())
	for _, version := range []string{"", "1.2.0", "v1.3.0", "2.0.0-rc.1"} {
		made, err := Tool{Version: version}.parameterize(t.Context(), slog.New(slog.DiscardHandler), pulumi.Parameters{Args: []string{spec}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := made.Schema()
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Version          string
			Parameterization struct {
				BaseProvider struct{ Name, Version string }
			}
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		if base := schema.Parameterization.BaseProvider; schema.Version != "0.1.0" || base.Name != BaseName || base.Version != "0.0.0" {
			t.Errorf("declprov %q: the package has the version %s, and the base plugin %+v", version, schema.Version, base)
		}
	}
}

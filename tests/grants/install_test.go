// Package grants plays a hostile spec's author against a careful user, who has read what
// `declprov permissions` says: nothing happens beside it.
package grants

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/declprov/declprov/tests/internal/provider"
)

// atTerminal runs a command whose input and output are a terminal at which somebody
// types, and returns what it shows and its exit code.
func atTerminal(t *testing.T, home, typed string, args ...string) (shown string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), provider.Binary(t), args...)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "PULUMI_HOME="+home, "DECLPROV_CACHE="+filepath.Join(home, "cache"))
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if _, err := io.WriteString(terminal, typed); err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	_, _ = io.Copy(&screen, terminal) // it ends with an error, as terminals do whose other end is closed
	_ = cmd.Wait()
	return screen.String(), cmd.ProcessState.ExitCode()
}

// TestInstallAsks: a person at the terminal is asked where a new version asks for more,
// and nothing but "y" or "yes" agrees.
func TestInstallAsks(t *testing.T) {
	t.Parallel()
	const endOfInput = "\x04"
	for name, tc := range map[string]struct {
		spec, typed string
		asked       bool
		installs    bool
	}{
		"the same":        {"pets.cue", endOfInput, false, true},
		"no":              {"more.cue", "n\n", true, false},
		"an empty line":   {"more.cue", "\n", true, false},
		"the end":         {"more.cue", endOfInput, true, false},
		"something else":  {"more.cue", "yea\n", true, false},
		"y":               {"more.cue", "y\n", true, true},
		"yes":             {"more.cue", " Yes \n", true, true},
		"agreed to ahead": {"agreed.cue", endOfInput, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := func(version, run string) string {
				return "package pets\nname: \"pets\"\nversion: \"" + version + "\"\npermissions: run: [" + run + "]\n"
			}
			home := t.TempDir()
			for name, text := range map[string]string{
				"pets.cue": spec("1.0.0", `"git"`), "more.cue": spec("1.1.0", `"git", "sh"`), "agreed.cue": spec("1.1.0", `"git", "sh"`),
			} {
				if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if shown, code := atTerminal(t, home, endOfInput, "install", "pets.cue"); code != 0 || strings.Contains(shown, "[y/N]") {
				t.Fatalf("the first one ends with %d:\n%s", code, shown)
			}
			args := []string{"install", tc.spec}
			if tc.spec == "agreed.cue" {
				args = append(args, "--yes")
			}
			shown, code := atTerminal(t, home, tc.typed, args...)
			if asked := strings.Contains(shown, "+ sh") && strings.Contains(shown, "[y/N]"); asked != tc.asked {
				t.Errorf("asked: %v, want %v", asked, tc.asked)
			}
			if (code == 0) != tc.installs {
				t.Errorf("it ends with %d", code)
			}
			_, err := os.Stat(filepath.Join(home, "plugins", "resource-pets-v1.1.0", "pets.cue"))
			if there := err == nil; there != (tc.installs && tc.spec != "pets.cue") {
				t.Errorf("the new one is there: %v", there)
			}
			if t.Failed() {
				t.Log(shown)
			}
		})
	}
}

// TestInstallAsksOnce checks that install of several specs asks one question, and that its
// answer counts for all of them.
func TestInstallAsksOnce(t *testing.T) {
	t.Parallel()
	for typed, installs := range map[string]bool{"y\n": true, "n\ny\n": false} {
		t.Run(strings.TrimSpace(typed), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			write := func(name, version, run string) {
				t.Helper()
				text := "name: \"" + name + "\"\nversion: \"" + version + "\"\npermissions: run: [" + run + "]\n"
				if err := os.WriteFile(filepath.Join(home, name+".cue"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("pets", "1.0.0", `"git"`)
			write("plants", "1.0.0", `"git"`)
			if shown, code := atTerminal(t, home, "", "install", "pets.cue", "plants.cue"); code != 0 {
				t.Fatalf("the first versions: %d\n%s", code, shown)
			}
			write("pets", "1.1.0", `"git", "sh"`)
			write("plants", "1.1.0", `"git", "sh"`)
			write("new", "1.0.0", `"git"`)
			shown, code := atTerminal(t, home, typed, "install", "pets.cue", "new.cue", "plants.cue")
			if (code == 0) != installs {
				t.Errorf("install ends with %d", code)
			}
			if asked := strings.Count(shown, "[y/N]"); asked != 1 || !strings.Contains(shown, "Install pets 1.1.0, new 1.0.0, plants 1.1.0? [y/N]") {
				t.Errorf("install asked %d times:\n%s", asked, shown)
			}
			for _, folder := range []string{"resource-pets-v1.1.0", "resource-new-v1.0.0", "resource-plants-v1.1.0"} {
				if _, err := os.Stat(filepath.Join(home, "plugins", folder)); (err == nil) != installs {
					t.Errorf("%s: %v", folder, err)
				}
			}
		})
	}
}

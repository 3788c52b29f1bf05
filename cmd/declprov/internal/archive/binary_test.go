package archive

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadBuildInfo: programs of each format say what package debug/buildinfo says.
func TestReadBuildInfo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/tool\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, platform := range []Platform{{"linux", "amd64"}, {"windows", "amd64"}, {"darwin", "arm64"}} {
		t.Run(platform.String(), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "tool")
			cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, ".")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOOS="+platform.OS, "GOARCH="+platform.Arch)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got, err := readBuildInfo(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := buildinfo.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want.GoVersion = "" // it is stored elsewhere
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotABinary: a file without build information is an error.
func TestNotABinary(t *testing.T) {
	t.Parallel()
	info, err := os.ReadFile("binary.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"empty": "", "text": string(info), "half": "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6path\tx\n"} {
		file := filepath.Join(t.TempDir(), "declprov")
		if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		if b, err := OpenBinary(file); err == nil {
			t.Errorf("%s: opened %v", name, b)
		}
	}
	if _, err := OpenBinary(t.TempDir()); err == nil {
		t.Error("opened a folder")
	}
}

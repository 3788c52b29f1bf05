//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/declprov/declprov/actions/grant"
)

// TestLinksWhereASpecMayWrite: a spec that may write in a folder can put a link there, in the place of
// the base of another of its grants. The link leads nowhere, by whatever path the two grants name the
// folder; the base that only the operator can replace may be a link.
func TestLinksWhereASpecMayWrite(t *testing.T) {
	for name, c := range map[string]struct {
		write, read string
		at          string // what is a link to the secret's folder
		operators   bool
	}{
		"no other grant":               {read: "work/sub/**", at: "work/sub", operators: true},
		"another folder":               {write: "other/**", read: "work/sub/**", at: "work/sub", operators: true},
		"files that it cannot be":      {write: "*.txt", read: "sub/**", at: "sub", operators: true},
		"the same folder":              {write: "work/**", read: "work/sub/**", at: "work/sub"},
		"by a wildcard":                {write: "w*/**", read: "work/sub/**", at: "work/sub"},
		"by a question mark":           {write: "wor?/**", read: "work/sub/**", at: "work/sub"},
		"by any name":                  {write: "*/**", read: "work/sub/**", at: "work/sub"},
		"the folder itself":            {write: "*", read: "sub/**", at: "sub"},
		"a single file":                {write: "w*/**", read: "work/sub", at: "work/sub"},
		"above the base":               {write: "w*/**", read: "work/sub/deep/**", at: "work/sub"},
		"the parent of a single file":  {write: "w*/**", read: "work/sub/secret", at: "work/sub"},
		"a glob below":                 {write: "w*/**", read: "work/sub/s*", at: "work/sub"},
		"by an alias":                  {write: "alias/**", read: "work/sub/**", at: "work/sub"},
		"the alias of the other":       {write: "work/**", read: "alias/sub/**", at: "work/sub"},
		"by the folder of the process": {write: "/proc/self/cwd/work/**", read: "work/sub/**", at: "work/sub"},
		"the other by it":              {write: "work/**", read: "/proc/self/cwd/work/sub/**", at: "work/sub"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS != "linux" && (name == "by the folder of the process" || name == "the other by it") {
				t.Skip("there is no /proc")
			}
			dir, secret := t.TempDir(), t.TempDir()
			t.Chdir(dir)
			for _, made := range []error{
				os.MkdirAll(filepath.Join(secret, "deep"), 0o755), os.WriteFile(filepath.Join(secret, "secret"), []byte("secret"), 0o644),
				os.WriteFile(filepath.Join(secret, "deep", "secret"), []byte("secret"), 0o644),
				os.Mkdir(filepath.Join(dir, "work"), 0o755), os.Symlink("work", filepath.Join(dir, "alias")),
			} {
				if made != nil {
					t.Fatal(made)
				}
			}
			rules := []grant.Rule{{Access: grant.Read, Pattern: c.read}}
			if c.write != "" {
				rules = append(rules, grant.Rule{Access: grant.Write, Pattern: c.write})
			}
			f, err := New(dir, rules)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(secret, filepath.Join(dir, c.at)); err != nil {
				t.Fatal(err)
			}
			reached := false
			for _, path := range []string{"sub/secret", "work/sub/secret", "alias/sub/secret", "work/sub/deep/secret", "/proc/self/cwd/work/sub/secret"} {
				_, err := f.Stat(path)
				reached = reached || err == nil
				if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*PermissionError)) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if reached != c.operators {
				t.Errorf("the file behind the link is reached: %t", reached)
			}
			for _, r := range f.Grants() {
				if trusted := r.Root == r.Base; r.Access == grant.Read && trusted != c.operators && name != "the same folder" {
					t.Errorf("the base %s has the root %s", r.Base, r.Root)
				}
			}
		})
	}
}

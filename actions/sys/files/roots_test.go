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
	type grants struct {
		write, read string
		at          string // what is a link to the secret's folder
		operators   bool
	}
	cases := map[string]grants{
		"no other grant":              {read: "data/sub/**", at: "data/sub", operators: true},
		"another folder":              {write: "other/**", read: "data/sub/**", at: "data/sub", operators: true},
		"files that it cannot be":     {write: "*.txt", read: "sub/**", at: "sub", operators: true},
		"the same folder":             {write: "data/**", read: "data/sub/**", at: "data/sub"},
		"by a wildcard":               {write: "d*/**", read: "data/sub/**", at: "data/sub"},
		"by a question mark":          {write: "dat?/**", read: "data/sub/**", at: "data/sub"},
		"by any name":                 {write: "*/**", read: "data/sub/**", at: "data/sub"},
		"the folder itself":           {write: "*", read: "sub/**", at: "sub"},
		"a single file":               {write: "d*/**", read: "data/sub", at: "data/sub"},
		"above the base":              {write: "d*/**", read: "data/sub/deep/**", at: "data/sub"},
		"the parent of a single file": {write: "d*/**", read: "data/sub/secret", at: "data/sub"},
		"a glob below":                {write: "d*/**", read: "data/sub/s*", at: "data/sub"},
		"by an alias":                 {write: "alias/**", read: "data/sub/**", at: "data/sub"},
		"the alias of the other":      {write: "data/**", read: "alias/sub/**", at: "data/sub"},
	}
	if runtime.GOOS == "linux" { // which has /proc
		cases["by the folder of the process"] = grants{write: "/proc/self/cwd/data/**", read: "data/sub/**", at: "data/sub"}
		cases["the other by it"] = grants{write: "data/**", read: "/proc/self/cwd/data/sub/**", at: "data/sub"}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, secret := t.TempDir(), t.TempDir()
			t.Chdir(dir)
			for _, made := range []error{
				os.MkdirAll(filepath.Join(secret, "deep"), 0o755), os.WriteFile(filepath.Join(secret, "secret"), []byte("secret"), 0o644),
				os.WriteFile(filepath.Join(secret, "deep", "secret"), []byte("secret"), 0o644),
				os.Mkdir(filepath.Join(dir, "data"), 0o755), os.Symlink("data", filepath.Join(dir, "alias")),
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
			for _, path := range []string{"sub/secret", "data/sub/secret", "alias/sub/secret", "data/sub/deep/secret", "/proc/self/cwd/data/sub/secret"} {
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

package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

// granted makes a temporary folder with files in it, and grants in it.
func grantedFiles(t *testing.T, rules ...grant.Rule) (string, *Files) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	return dir, f
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(strings.ReplaceAll(target, "DIR", dir), path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tree is all there is below a folder: content by path, links as "-> target",
// folders with a slash at the end.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || rel == ".":
			return err
		case e.IsDir():
			all[rel+"/"] = ""
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[rel] = "-> " + target
			return err
		case !e.Type().IsRegular():
			all[rel] = e.Type().String()
			return nil
		}
		content, err := os.ReadFile(path)
		all[rel] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func writeText(f *Files, name, text string, opts WriteOptions) error {
	_, err := f.Write(context.Background(), name, strings.NewReader(text), opts)
	return err
}

func TestRules(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		yes, no []string
	}{
		{"d/**", []string{"d", "d/x", "d/x/y", "d/.hidden", "e/../d"}, []string{"", ".", "e", "dd", "d/../e", "../p/d"}},
		{"./d/**", []string{"d", "d/x"}, []string{"e"}},
		{"**", []string{".", "a", "a/b"}, []string{"..", "../x", "/etc/passwd"}},
		{"d/*", []string{"d/x", "d/.x"}, []string{"d", "d/x/y", "x"}},
		{"d/*.txt", []string{"d/x.txt", "d/.txt"}, []string{"d/x.md", "d/x/y.txt"}},
		{"d/**/*.txt", []string{"d/x.txt", "d/a/b/x.txt"}, []string{"d", "d/a"}},
		{"d/**/**", []string{"d", "d/x"}, []string{"e"}},
		{"d/?", []string{"d/x", "d/é"}, []string{"d/xy", "d"}},
		{"d/[ab]", []string{"d/a", "d/b"}, []string{"d/c", "d/[ab]"}},
		{"d/[!a]", []string{"d/b"}, []string{"d/a", "d//"}},
		{"d/[*]", []string{"d/*"}, []string{"d/x"}},
		{`d/\*`, []string{"d/*"}, []string{"d/x"}},
		{"d/{a,b}", []string{"d/{a,b}"}, []string{"d/a", "d/b"}},
		{"d/{a,b}*", []string{"d/{a,b}c"}, []string{"d/a", "d/bc"}},
		{"d/x", []string{"d/x", "d/x/", "d/./x"}, []string{"d", "d/x/y"}},
		{"../**", []string{"..", "../x", "."}, []string{"../../x"}},
		{"ü/**", []string{"ü/ß"}, []string{"u\u0308/x"}}, // the same to the eye, and another name
	} {
		t.Run(tc.pattern, func(t *testing.T) {
			_, f := grantedFiles(t, grant.Rule{Access: grant.Read, Pattern: tc.pattern})
			for _, path := range tc.yes {
				if err := f.Check(grant.Read, path); err != nil {
					t.Errorf("%q is refused: %v", path, err)
				}
				if err := f.Check(grant.Write, path); err == nil {
					t.Errorf("%q can be written, and was granted for reading", path)
				}
			}
			for _, path := range tc.no {
				if err := f.Check(grant.Read, path); err == nil {
					t.Errorf("%q is granted", path)
				}
			}
		})
	}
}

func TestRulesRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		"": "empty", "a\x00b": "NUL", "~/x": "not expanded", "d/[a": "bracket is not closed", `d/*\`: `last character is \`, "*/../x": `".." is not allowed`,
	} {
		_, err := New("/", []grant.Rule{{Access: grant.Read, Pattern: pattern}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", pattern, err, want)
		}
	}
	if _, err := New("relative", nil); err == nil {
		t.Error("a relative folder is taken")
	}
	if _, err := New("/", []grant.Rule{{Access: grant.Connect, Pattern: "x"}}); err == nil {
		t.Error("a grant of hosts is taken for one of files")
	}
}

func TestPermissionError(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Read, Pattern: "r"}, grant.Rule{Access: grant.Write, Pattern: "w/**"})
	put(t, dir, map[string]string{"w/link": "-> ../secret", "secret": "s"})
	for _, tc := range []struct {
		err  error
		want PermissionError
	}{
		{f.Check(grant.Write, "r"), PermissionError{Access: grant.Write, Path: filepath.Join(dir, "r"), Granted: []string{"w/**"}}},
		{f.Check(grant.Read, "x"), PermissionError{Access: grant.Read, Path: filepath.Join(dir, "x"), Granted: []string{"r", "w/**"}}},
		{lookErr(f.Stat("w/link")), PermissionError{Access: grant.Read, Path: filepath.Join(dir, "secret"), Via: "w/link", Granted: []string{"r", "w/**"}}},
	} {
		var got *PermissionError
		if !errors.As(tc.err, &got) {
			t.Fatalf("got %v", tc.err)
		}
		if diff := cmp.Diff(&tc.want, got); diff != "" {
			t.Error(diff)
		}
		if !errors.Is(tc.err, fs.ErrPermission) {
			t.Error("it is not of the kind of fs.ErrPermission")
		}
	}
	want := `"` + filepath.Join(dir, "secret") + `": not permitted to read; the spec may only read "r", "w/**" (choose another path, or ask the author of the spec to add it to permissions.read)`
	if got := lookErr(f.Stat("secret")).Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func lookErr(_ fs.FileInfo, err error) error { return err }

// TestEscapes: nothing below secret is read or changed by way of what is below
// open.
func TestEscapes(t *testing.T) {
	long := strings.Repeat("x/", 3000)
	for _, path := range []string{
		"", ".", "..", "../secret/s", "open/../secret/s", "open/./../secret/s", "open//..//secret/s", "secret/s",
		"DIR/secret/s", "DIR/open/../secret/s", "/", "/etc/passwd", "open/\x00", "open/s\x00.txt", "open/up/secret/s", "open/abs/s",
		"open/chain1/s", "open/deep/up3/secret/s", "open/file", "open/indirect", "open/loop", "open/loop/x", "open/up/open/../secret/s",
		"open/" + long + strings.Repeat("../", 3001) + "secret/s", "open/…/../../secret/s", "open/%2e%2e/secret/s", `open\..\..\secret\s`,
	} {
		dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "open/**"})
		put(t, dir, map[string]string{
			"secret/s": "secret", "open/x": "x",
			"open/up": "-> ..", "open/abs": "-> DIR/secret", "open/chain1": "-> chain2", "open/chain2": "-> deep/chain3",
			"open/deep/chain3": "-> ../../secret", "open/deep/up3": "-> ../..", "open/file": "-> ../secret/s",
			"open/indirect": "-> up/secret/s", "open/loop": "-> loop",
		})
		path = strings.ReplaceAll(path, "DIR", dir)
		before := tree(t, filepath.Join(dir, "secret"))
		if file, _, err := f.Open(path); err == nil {
			t.Errorf("%.60q can be opened", path)
			file.Close()
		}
		f.ReadDir(path)
		for _, over := range []bool{true, false} {
			writeText(f, path, "evil", WriteOptions{Overwrite: over, Parents: true})
			f.Mkdir(path, MkdirOptions{Parents: true, Existing: over})
			f.Symlink("x", path, SymlinkOptions{Parents: true, Overwrite: over})
		}
		f.Symlink(path, "open/new", SymlinkOptions{})
		if info, err := os.Stat(filepath.Join(dir, "open/new")); err == nil && info.Size() == 6 {
			t.Errorf("a link to %.60q can be made", path)
		}
		f.Remove(context.Background(), path, false)
		f.Remove(context.Background(), path, true)
		if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "secret"))); diff != "" {
			t.Errorf("%.60q:\n%s", path, diff)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 2 {
			t.Errorf("%.60q made %v", path, entries)
		}
	}
}

func TestLinksInside(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "open/**"}, grant.Rule{Access: grant.Read, Pattern: "other/*.txt"})
	put(t, dir, map[string]string{
		"open/real/f": "old", "open/dir": "-> real", "open/abs": "-> DIR/open/real/f", "open/rel": "-> dir/../real/f",
		"open/away": "-> ../other/a.txt", "open/narrow": "-> ../other/a.key", "other/a.txt": "readable", "other/a.key": "key",
		"open/dangling": "-> real/new", "other/b.txt": "-> a.key",
	})
	for path, want := range map[string]string{"open/dir/f": "old", "open/abs": "old", "open/rel": "old", "open/away": "readable"} {
		file, info, err := f.Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		file.Close()
		if info.Size() != int64(len(want)) {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
	}
	for _, path := range []string{"open/narrow", "other/b.txt", "other/a.key"} {
		if _, _, err := f.Open(path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: got %v, want a refusal", path, err)
		}
	}
	if err := writeText(f, "open/away", "x", WriteOptions{Overwrite: true}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a link is followed to where only reading is granted: %v", err)
	}
	for path, opts := range map[string]WriteOptions{"open/dir/f": {Overwrite: true}, "open/dangling": {Overwrite: true}} {
		if err := writeText(f, path, "new", opts); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := writeText(f, "open/abs", "x", WriteOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link does not exist without overwrite: %v", err)
	}
	if err := f.Remove(context.Background(), "open/dir", true); err != nil {
		t.Error(err)
	}
	got := tree(t, filepath.Join(dir, "open"))
	want := map[string]string{
		"real/": "", "real/f": "new", "real/new": "new", "abs": "-> " + dir + "/open/real/f", "rel": "-> dir/../real/f",
		"away": "-> ../other/a.txt", "narrow": "-> ../other/a.key", "dangling": "-> real/new",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRootIsLink: the folder that the operator names may be a link.
func TestRootIsLink(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "link/**"})
	put(t, dir, map[string]string{"real/f": "f", "link": "-> real"})
	if err := writeText(f, "link/g", "g", WriteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadDir("link"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"link": "-> real", "real/": "", "real/f": "f", "real/g": "g"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestLongNames(t *testing.T) {
	dir, f := grantedFiles(t, grant.Rule{Access: grant.Write, Pattern: "**"})
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("ü", 127), strings.Repeat("👍", 63)} {
		if err := writeText(f, name, "x", WriteOptions{}); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
	if err := writeText(f, strings.Repeat("n", 256), "x", WriteOptions{}); err == nil {
		t.Error("a name of 256 bytes is taken")
	}
	if got := len(tree(t, dir)); got != 3 {
		t.Errorf("%d files, want 3", got)
	}
}

// TestNoLinkBelowAGrant: a spec that may read one folder and write another does
// not get to write the first by a link in the second's place.
func TestNoLinkBelowAGrant(t *testing.T) {
	for _, rules := range [][]grant.Rule{
		{{Access: grant.Write, Pattern: "a/**"}, {Access: grant.Read, Pattern: "r/**"}},
		{{Access: grant.Write, Pattern: "a/*"}, {Access: grant.Write, Pattern: "a"}, {Access: grant.Write, Pattern: "a/sub/**"}, {Access: grant.Read, Pattern: "r/**"}},
	} {
		dir, f := grantedFiles(t, rules...)
		put(t, dir, map[string]string{"r/x": "x"})
		for _, path := range []string{"a", "a/sub"} {
			target := filepath.Join(dir, "r")
			for _, over := range []bool{false, true} {
				f.Symlink(target, path, SymlinkOptions{Overwrite: over, Parents: true})
			}
		}
		for _, path := range []string{"a/x", "a/sub/x"} {
			writeText(f, path, "evil", WriteOptions{Overwrite: true, Parents: true})
		}
		if got := tree(t, dir)["r/x"]; got != "x" {
			t.Errorf("r/x is %q", got)
		}
	}
}

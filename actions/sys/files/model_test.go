package files

import (
	"context"
	"io"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/grant"
)

// modelMatches is the language of globs in its simplest form: name by name,
// `**` any number of them.
func modelMatches(pattern, names []string) bool {
	switch {
	case len(pattern) == 0:
		return len(names) == 0
	case pattern[0] == "**":
		return modelMatches(pattern[1:], names) || len(names) > 0 && modelMatches(pattern, names[1:])
	case len(names) == 0:
		return false
	}
	ok, err := slashpath.Match(pattern[0], names[0])
	return err == nil && ok && modelMatches(pattern[1:], names[1:])
}

func TestRulesAreTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SliceOfN(rapid.SampledFrom([]string{"**", "*", "a", "b", "?", "[ab]", "a*", "*b", "**", "ab"}), 1, 5).Draw(t, "pattern")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "ba", "abab", ".a", "*"}), 1, 5).Draw(t, "path")
		f, err := New("/base", []grant.Rule{{Access: grant.Read, Pattern: strings.Join(pattern, "/")}})
		if err != nil {
			t.Fatal(err)
		}
		got := f.Check(grant.Read, strings.Join(names, "/")) == nil
		if want := modelMatches(pattern, names); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// names of the small world that random operations happen in.
var worldNames = []string{"a", "b", "c"}

func anyPath(t *rapid.T, label string) string {
	names := rapid.SliceOfN(rapid.SampledFrom(append([]string{"..", ".", "", "l", "m"}, worldNames...)), 1, 5).Draw(t, label)
	path := strings.Join(names, "/")
	if path == "" {
		return "."
	}
	return path
}

// TestConfinement runs random operations, on random paths, under random
// grants, in a random tree of folders and links: what changes is granted, or a
// folder on the way to what is; what is read is granted.
func TestConfinement(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		top, err := os.MkdirTemp(outer.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(top)
		dir := filepath.Join(top, "p/q")
		buildWorld(t, top, dir)
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) grant.Rule {
			return grant.Rule{
				Access:  rapid.SampledFrom([]grant.Access{grant.Read, grant.Write}).Draw(t, "access"),
				Pattern: rapid.SampledFrom([]string{"a/**", "a/b/**", "a/*", "b", "a/l", "l/**", "**/c", "a/[ab]/**", "../q/c/**", "n/a/**"}).Draw(t, "pattern"),
			}
		}), 1, 3).Draw(t, "rules")
		f, err := New(dir, rules)
		if err != nil {
			t.Fatal(err)
		}
		may := behindBases(t, f)
		for range rapid.IntRange(1, 6).Draw(t, "operations") {
			before := tree(outer, top)
			path := anyPath(t, "path")
			op := rapid.SampledFrom([]string{"write", "over", "read", "delete", "tree", "mkdir", "link", "linkover"}).Draw(t, "op")
			operate(t, f, may, top, op, path)
			checkChanges(t, may, top, op+" "+path, before, tree(outer, top))
		}
	})
}

// behindBases is the same grants, and those that they are behind the links on
// the way to their bases, which are the operator's.
func behindBases(t *rapid.T, f *Files) *Files {
	model := &Files{dir: f.dir, rules: slices.Clone(f.rules)}
	for _, r := range f.rules {
		rest := ""
		if r.Single { // its root is the folder around it
			r.Base, rest = filepath.Dir(r.Base), filepath.Base(r.Base)
		}
		for at := r.Base; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
			if real, err := filepath.EvalSymlinks(at); err == nil {
				r.Base = filepath.Join(real, rest)
				model.rules = append(model.rules, r)
				break
			}
			if at == filepath.Dir(at) {
				t.Fatalf("nothing of %q is there", r.Base)
			}
		}
	}
	return model
}

// buildWorld makes files whose content is their own path, and links.
func buildWorld(t *rapid.T, top, dir string) {
	for range rapid.IntRange(2, 8).Draw(t, "files") {
		path := filepath.Join(dir, anyPath(t, "file"))
		if !strings.HasPrefix(path, top) || os.MkdirAll(filepath.Dir(path), 0o755) != nil {
			continue
		}
		if rapid.Bool().Draw(t, "is a link") {
			target := anyPath(t, "target")
			if rapid.Bool().Draw(t, "absolute") {
				target = filepath.Join(dir, target)
			}
			os.Symlink(target, filepath.Join(filepath.Dir(path), rapid.SampledFrom([]string{"l", "m", "a"}).Draw(t, "link")))
		} else if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			real = filepath.Join(real, filepath.Base(path))
			os.WriteFile(real, []byte(real), 0o644)
		}
	}
	os.MkdirAll(dir, 0o755)
}

func operate(t *rapid.T, f, may *Files, top, op, path string) {
	switch op {
	case "write":
		writeText(f, path, "new", WriteOptions{Parents: true})
	case "over":
		writeText(f, path, "new", WriteOptions{Parents: true, Overwrite: true})
	case "delete":
		f.Remove(context.Background(), path, false)
	case "tree":
		f.Remove(context.Background(), path, true)
	case "mkdir":
		f.Mkdir(path, MkdirOptions{Parents: true, Existing: true, Mode: perm(0o700)})
	case "link":
		f.Symlink(anyPath(t, "target"), path, SymlinkOptions{Parents: true})
	case "linkover":
		f.Symlink(anyPath(t, "target"), path, SymlinkOptions{Parents: true, Overwrite: true})
	case "read":
		file, _, err := f.Open(path)
		if err != nil {
			return
		}
		defer file.Close()
		content, _ := io.ReadAll(file)
		if strings.HasPrefix(string(content), top) && may.Check(grant.Read, string(content)) != nil {
			t.Errorf("%q reads %q, which is not granted", path, content)
		}
	}
}

func checkChanges(t *rapid.T, f *Files, top, what string, before, after map[string]string) {
	for _, rel := range slices.Sorted(maps.Keys(union(before, after))) {
		old, was := before[rel]
		now, is := after[rel]
		if was == is && old == now {
			continue
		}
		path := filepath.Join(top, rel)
		if f.Check(grant.Write, path) == nil || strings.HasSuffix(rel, "/") && !was && onTheWay(f, top, rel, after) {
			continue
		}
		t.Errorf("%s changes %q (%q, now %q), which is not granted", what, rel, old, now)
	}
}

// onTheWay reports whether the folder holds something that is granted: then it
// was made for that.
func onTheWay(f *Files, top, folder string, after map[string]string) bool {
	for rel := range after {
		if strings.HasPrefix(rel, folder) && f.Check(grant.Write, filepath.Join(top, rel)) == nil {
			return true
		}
	}
	return false
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// FuzzRules: a pattern and a path of any bytes; what is granted lies below the
// pattern's base, and a quoted name grants itself alone.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{{"d/**", "d/x"}, {"../[a-z]*/**", "/x"}, {`\`, `\`}, {"{a,b}", "a"}, {"[", "["}, {"**/..", ".."}, {"[]a]", "]"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if files, err := New("/base", []grant.Rule{{Access: grant.Read, Pattern: pattern}}); err == nil && files.Check(grant.Read, path) == nil {
			abs, _ := files.absolute(path)
			if rel, err := filepath.Rel(files.rules[0].Base, abs); err != nil || !filepath.IsLocal(rel) {
				t.Errorf("%q grants %q", pattern, path)
			}
		}
		if path == "" || strings.ContainsAny(path, "\x00") || strings.HasPrefix(path, "~") || strings.ToValidUTF8(path, "") != path {
			return
		}
		files, err := New("/base", []grant.Rule{{Access: grant.Read, Pattern: grant.QuoteGlob(path)}})
		if err != nil {
			t.Fatalf("%q quoted is no pattern: %v", path, err)
		}
		if err := files.Check(grant.Read, path); err != nil {
			t.Error(err)
		}
		for _, other := range []string{path + "x", "x" + path, pattern} {
			same, _ := files.absolute(path)
			if abs, err := files.absolute(other); err == nil && abs != same && files.Check(grant.Read, other) == nil {
				t.Errorf("%q quoted grants %q too", path, other)
			}
		}
	})
}

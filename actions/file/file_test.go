package file

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// world is a temporary folder with files. All of it is granted except the folder secret.
type world struct {
	*testing.T
	dir   string
	files *files.Files
}

func newWorld(t *testing.T, contents map[string]string) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range contents {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	granted, err := files.New(dir, []grant.Rule{{Access: grant.Write, Pattern: "in/**"}, {Access: grant.Read, Pattern: "ro/**"}})
	if err != nil {
		t.Fatal(err)
	}
	return world{t, dir, granted}
}

// run runs a kind. wanted are the members of the result that the spec refers to.
func (w world) run(kind string, args map[string]any, wanted ...string) actions.Outcome {
	w.Helper()
	ask := map[string]bool{}
	for _, name := range wanted {
		ask[name] = true
	}
	return Family().Kind(kind).Run(context.Background(), &actions.Call{
		Args: args, Env: &actions.Env{Files: w.files}, Progress: func(string) {},
		Wants: func(member string) bool { return ask[member] },
	})
}

func (w world) content(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.Error(err)
	}
	return string(text)
}

type args = map[string]any

// expect compares an outcome, but not members that are not strings, which the caller
// compares.
func (w world) expect(got actions.Outcome, status actions.Status, result args, message string) {
	w.Helper()
	if got.Status != status {
		w.Errorf("status %d, want %d (%v)", got.Status, status, got.Err)
	}
	if (got.Err == nil) != (status == actions.Done) || got.Err != nil && !strings.Contains(got.Err.Error(), message) {
		w.Errorf("expected an error with %q, got %v", message, got.Err)
	}
	if result == nil {
		return
	}
	timeless, _ := got.Result.(map[string]any)
	timeless = maps.Clone(timeless)
	delete(timeless, "modified")
	if diff := cmp.Diff(result, timeless); diff != "" {
		w.Error(diff)
	}
}

const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func text(s string) *string { return &s }

func TestWrite(t *testing.T) {
	plain := args{"path": "in/f", "size": int64(5), "mode": "0600"}
	with := func(more args) args {
		all := maps.Clone(plain)
		maps.Copy(all, more)
		return all
	}
	for _, tc := range []struct {
		name   string
		args   args
		wanted []string
		status actions.Status
		result args
		err    string
	}{
		{"content", args{"content": "hello"}, nil, actions.Done, plain, ""},
		{"hash", args{"content": "hello"}, []string{"sha256"}, actions.Done, with(args{"sha256": helloHash}), ""},
		{
			"content in the result",
			args{"content": "hello"},
			[]string{"content", "contentBase64", "sha256"},
			actions.Done,
			with(args{"content": "hello", "contentBase64": "aGVsbG8=", "sha256": helloHash}), "",
		},
		{"base64", args{"contentBase64": "aGVs\nbG8="}, []string{"content"}, actions.Done, with(args{"content": "hello"}), ""},
		{"binary", args{"contentBase64": "/w=="}, []string{"contentBase64"}, actions.Done, args{"path": "in/f", "size": int64(1), "mode": "0600", "contentBase64": "/w=="}, ""},
		{
			"binary with content and contentBase64",
			args{"contentBase64": "/w=="},
			[]string{"content", "contentBase64"},
			actions.Done,
			args{"path": "in/f", "size": int64(1), "mode": "0600", "contentBase64": "/w=="},
			"",
		},
		{"binary as text", args{"contentBase64": "/w=="}, []string{"content"}, actions.Failed, nil, "refer to contentBase64 instead"},
		{"bad base64", args{"contentBase64": "a*"}, nil, actions.Refused, nil, "contentBase64 is not standard base64"},
		{"short base64", args{"contentBase64": "aGVsbG8"}, nil, actions.Refused, nil, "contentBase64 is not standard base64"},
		{"text asset", args{"source": &spec.File{Text: text("hello")}}, nil, actions.Done, plain, ""},
		{"path asset", args{"source": &spec.File{Path: "users/own"}}, []string{"sha256"}, actions.Done, with(args{"sha256": helloHash}), ""},
		{"missing asset", args{"source": &spec.File{Path: "users/none"}}, nil, actions.Refused, nil, `asset "users/none": no such file`},
		{"directory asset", args{"source": &spec.File{Path: "users"}}, nil, actions.Refused, nil, "a directory"},
		{"archive", args{"source": &spec.File{Archive: true, Path: "users"}}, nil, actions.Refused, nil, "source: expected an asset"},
		{"remote asset", args{"source": &spec.File{URI: "ftp://localhost/x"}}, nil, actions.Refused, nil, "unsupported scheme"},
		{"elided asset", args{"source": &spec.File{Hash: helloHash}}, nil, actions.Refused, nil, "only its hash"},
		{"nothing", args{"content": nil}, nil, actions.Refused, nil, "nothing to write"},
		{"empty", args{"content": ""}, nil, actions.Done, args{"path": "in/f", "size": int64(0), "mode": "0600"}, ""},
		{"bad mode", args{"content": "x", "mode": "rw-r--r--"}, nil, actions.Refused, nil, `like "0644"`},
		{"large mode", args{"content": "x", "mode": "1777"}, nil, actions.Refused, nil, `like "0644"`},
		{"exists", args{"content": "x", "path": "in/old"}, nil, actions.Refused, nil, "overwrite: true"},
		{"no parents", args{"content": "x", "path": "in/a/b", "parents": false}, nil, actions.Refused, nil, "set parents: true"},
		{"not granted", args{"content": "x", "path": "ro/f"}, nil, actions.Refused, nil, "add it to permissions.write"},
		{"over limit", args{"contentBase64": "aGVsbG8=", "maxBytes": int64(4)}, []string{"content"}, actions.Failed, nil, "maxBytes"},
		{"empty path", args{"content": "x", "path": ""}, nil, actions.Refused, nil, "the path is empty"},
		{"trailing slash", args{"content": "x", "path": "in/f/"}, nil, actions.Refused, nil, "ends in a slash"},
		{"below root", args{"content": "hello", "path": "f", "root": "in"}, nil, actions.Done, args{"path": "f", "size": int64(5), "mode": "0600"}, ""},
		{"above root", args{"content": "hello", "path": "../f", "root": "in"}, nil, actions.Refused, nil, "not permitted to write"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"users/own": "hello", "in/old": "old", "ro/x": "x"})
			given := args{"path": "in/f", "mode": "0600"}
			maps.Copy(given, tc.args)
			got := w.run("write", given, tc.wanted...)
			w.expect(got, tc.status, tc.result, tc.err)
			if _, err := os.Stat(filepath.Join(w.dir, "in/f")); (err == nil) != (tc.status != actions.Refused) {
				t.Errorf("the file exists: %v", err == nil)
			}
			if w.content("in/old") != "old" {
				t.Error("another file was changed")
			}
		})
	}
}

func TestRead(t *testing.T) {
	w := newWorld(t, map[string]string{
		"in/f": "hello", "in/bin": "\xff", "in/link": "-> f", "in/out": "-> ../users/own", "users/own": "secret", "in/dangling": "-> none", "in/large": strings.Repeat("x", 2048),
	})
	plain := args{"path": "in/f", "size": int64(5), "mode": "0644"}
	for _, tc := range []struct {
		name   string
		args   args
		wanted []string
		status actions.Status
		result args
		err    string
	}{
		{"plain", args{"path": "in/f"}, nil, actions.Done, plain, ""},
		{
			"all",
			args{"path": "in/f"},
			[]string{"content", "sha256", "contentBase64"},
			actions.Done,
			args{"path": "in/f", "size": int64(5), "mode": "0644", "content": "hello", "sha256": helloHash, "contentBase64": "aGVsbG8="},
			"",
		},
		{"link", args{"path": "link", "root": "in"}, []string{"content"}, actions.Done, args{"path": "link", "size": int64(5), "mode": "0644", "content": "hello"}, ""},
		{"absolute", args{"path": filepath.Join(w.dir, "in/f"), "root": "ro"}, nil, actions.Done, args{"path": filepath.Join(w.dir, "in/f"), "size": int64(5), "mode": "0644"}, ""},
		{"missing", args{"path": "in/none"}, nil, actions.Gone, nil, "no such file"},
		{"missing folder", args{"path": "in/none/f"}, nil, actions.Gone, nil, "no such file"},
		{"missing grant", args{"path": "ro/f"}, nil, actions.Gone, nil, "no such file"},
		{"below a file", args{"path": "in/f/g"}, nil, actions.Gone, nil, "not a folder"},
		{"dangling", args{"path": "in/dangling"}, nil, actions.Gone, nil, "no such file"},
		{"directory", args{"path": "in"}, nil, actions.Refused, nil, "a directory"},
		{"binary", args{"path": "in/bin"}, []string{"content"}, actions.Refused, nil, "refer to contentBase64 instead"},
		{"binary unread", args{"path": "in/bin"}, nil, actions.Done, args{"path": "in/bin", "size": int64(1), "mode": "0644"}, ""},
		{"outside", args{"path": "in/out"}, nil, actions.Refused, nil, "leads to a path that is not granted"},
		{"too large", args{"path": "in/large", "maxBytes": "1KiB"}, []string{"content"}, actions.Refused, nil, "more than the 1024 bytes"},
		{"just right", args{"path": "in/f", "maxBytes": int64(5)}, []string{"content"}, actions.Done, args{"path": "in/f", "size": int64(5), "mode": "0644", "content": "hello"}, ""},
		{"bad limit", args{"path": "in/f", "maxBytes": "much"}, nil, actions.Refused, nil, "invalid size"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := world{t, w.dir, w.files}
			w.expect(w.run("read", tc.args, tc.wanted...), tc.status, tc.result, tc.err)
		})
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t, map[string]string{"in/f": "f", "in/d/x": "x", "in/t/x": "x", "in/link": "-> d", "ro/f": "f"})
	w.expect(w.run("delete", args{"path": "in/f"}), actions.Done, args{"path": "in/f"}, "")
	w.expect(w.run("delete", args{"path": "in/f"}), actions.Gone, nil, "no such file")
	w.expect(w.run("delete", args{"path": "in/none/f"}), actions.Gone, nil, "no such file")
	w.expect(w.run("delete", args{"path": "in/link"}), actions.Done, args{"path": "in/link"}, "")
	w.expect(w.run("delete", args{"path": "in/d"}), actions.Refused, nil, "set recursive: true")
	w.expect(w.run("delete", args{"path": "in/t", "recursive": true}), actions.Done, args{"path": "in/t"}, "")
	w.expect(w.run("delete", args{"path": "ro/f"}), actions.Refused, nil, "permissions.write")
	if w.content("in/d/x")+w.content("ro/f") != "xf" {
		t.Error("another file was deleted")
	}
}

func TestMkdir(t *testing.T) {
	w := newWorld(t, map[string]string{"in/d/x": "x", "in/f": "f"})
	w.expect(w.run("mkdir", args{"path": "in/a/b", "mode": "0711"}), actions.Done, args{"path": "in/a/b", "mode": "0711"}, "")
	w.expect(w.run("mkdir", args{"path": "in/d"}), actions.Refused, nil, "overwrite: true")
	w.expect(w.run("mkdir", args{"path": "in/d", "overwrite": true, "mode": "0750"}), actions.Done, args{"path": "in/d", "mode": "0750"}, "")
	w.expect(w.run("mkdir", args{"path": "in/f", "overwrite": true}), actions.Refused, nil, "a file already exists")
	w.expect(w.run("mkdir", args{"path": "in/x/y", "parents": false}), actions.Refused, nil, "set parents: true")
	w.expect(w.run("mkdir", args{"path": "in/d", "mode": "x"}), actions.Refused, nil, "octal")
	w.expect(w.run("mkdir", args{"path": "ro/x"}), actions.Refused, nil, "permissions.write")
	if w.content("in/d/x") != "x" {
		t.Error("the contents of the directory are gone")
	}
}

func TestCopy(t *testing.T) {
	w := newWorld(t, map[string]string{"ro/f": "hello", "ro/d/x": "x", "in/old": "old"})
	if err := os.Chmod(filepath.Join(w.dir, "ro/f"), 0o640); err != nil {
		t.Fatal(err)
	}
	w.expect(w.run("copy", args{"from": "ro/f", "path": "in/a/f"}, "sha256"), actions.Done,
		args{"path": "in/a/f", "size": int64(5), "mode": "0640", "sha256": helloHash}, "")
	w.expect(w.run("copy", args{"from": "ro/f", "path": "in/g", "mode": "600"}), actions.Done, args{"path": "in/g", "size": int64(5), "mode": "0600"}, "")
	w.expect(w.run("copy", args{"from": "ro/f", "path": "in/old"}), actions.Refused, nil, "overwrite: true")
	w.expect(w.run("copy", args{"from": "ro/f", "path": "in/old", "overwrite": true}, "content"), actions.Done,
		args{"path": "in/old", "size": int64(5), "mode": "0640", "content": "hello"}, "")
	w.expect(w.run("copy", args{"from": "in/old", "path": "in/old", "overwrite": true}), actions.Done, nil, "")
	w.expect(w.run("copy", args{"from": "ro/none", "path": "in/x"}), actions.Gone, nil, "no such file")
	w.expect(w.run("copy", args{"from": "ro/d", "path": "in/x"}), actions.Refused, nil, "forEach")
	w.expect(w.run("copy", args{"from": "in/old", "path": "ro/x"}), actions.Refused, nil, "permissions.write")
	w.expect(w.run("copy", args{"from": "/etc/passwd", "path": "in/x"}), actions.Refused, nil, "permissions.read")
	if w.content("in/old") != "hello" {
		t.Errorf("in/old contains %q", w.content("in/old"))
	}
}

func TestSymlink(t *testing.T) {
	w := newWorld(t, map[string]string{"in/f": "f", "in/d/x": "x", "ro/f": "ro"})
	w.expect(w.run("symlink", args{"path": "in/l/a", "target": "../f"}), actions.Done, args{"path": "in/l/a", "target": "../f"}, "")
	w.expect(w.run("symlink", args{"path": "in/l/b", "target": filepath.Join(w.dir, "ro/f")}), actions.Done, nil, "")
	w.expect(w.run("symlink", args{"path": "in/l/a", "target": "b"}), actions.Refused, nil, "overwrite: true")
	w.expect(w.run("symlink", args{"path": "in/l/a", "target": "b", "overwrite": true}), actions.Done, nil, "")
	w.expect(w.run("symlink", args{"path": "in/f", "target": "none yet", "overwrite": true}), actions.Done, nil, "")
	w.expect(w.run("symlink", args{"path": "in/d", "target": "f", "overwrite": true}), actions.Refused, nil, "a directory")
	w.expect(w.run("symlink", args{"path": "in/x", "target": "../users/own"}), actions.Refused, nil, "permissions.read")
	w.expect(w.run("symlink", args{"path": "in/x", "target": "/etc/passwd"}), actions.Refused, nil, "permissions.read")
	w.expect(w.run("symlink", args{"path": "in/x", "target": ""}), actions.Refused, nil, "the target is empty")
	w.expect(w.run("symlink", args{"path": "ro/x", "target": "f"}), actions.Refused, nil, "permissions.write")
	if w.content("in/l/a") != "ro" {
		t.Errorf("in/l/a leads to %q", w.content("in/l/a"))
	}
}

func TestStat(t *testing.T) {
	w := newWorld(t, map[string]string{"in/f": "hello", "in/link": "-> f", "in/out": "-> /etc/passwd"})
	w.expect(w.run("stat", args{"path": "in/f"}), actions.Done, args{"path": "in/f", "type": "file", "size": int64(5), "mode": "0644"}, "")
	w.expect(w.run("stat", args{"path": "in/link", "follow": true}), actions.Done, args{"path": "in/link", "type": "file", "size": int64(5), "mode": "0644"}, "")
	w.expect(w.run("stat", args{"path": "in/none"}), actions.Gone, nil, "no such file")
	w.expect(w.run("stat", args{"path": "in/out", "follow": true}), actions.Refused, nil, "leads to a path that is not granted")
	for path, want := range map[string]args{"in": {"type": "directory"}, "in/out": {"type": "symlink", "target": "/etc/passwd"}} {
		got := w.run("stat", args{"path": path})
		result, _ := got.Result.(map[string]any)
		for name, value := range want {
			if result[name] != value {
				t.Errorf("%s: %s: got %v, want %v", path, name, result[name], value)
			}
		}
	}
}

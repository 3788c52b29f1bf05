package file

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

func TestList(t *testing.T) {
	w := newWorld(t, map[string]string{
		"in/b.txt": "b", "in/a.txt": "hello", "in/c.md": "c", "in/d/e.txt": "e", "in/d/f/g.txt": "g", "in/d-/h.txt": "h",
		"in/.hidden": "x", "in/link.txt": "-> a.txt", "in/out.txt": "-> /etc/passwd", "in/dangling.txt": "-> none", "in/dir": "-> d",
		"in/.a.txt.declprov-ABCDEFGHIJKLMNOP": "half", "in/{x}": "braces", "in/\xff.txt": "no UTF-8", "users/own": "x",
	})
	for _, tc := range []struct {
		name   string
		args   args
		status actions.Status
		want   []string
		err    string
	}{
		{"all", args{"path": "in"}, actions.Done, []string{"in/.hidden", "in/a.txt", "in/b.txt", "in/c.md", "in/link.txt", "in/{x}"}, ""},
		{"glob", args{"path": "in", "glob": "?.txt"}, actions.Done, []string{"in/a.txt", "in/b.txt"}, ""},
		{"one level", args{"path": "in", "glob": "*/*.txt"}, actions.Done, []string{"in/d-/h.txt", "in/d/e.txt"}, ""},
		{"deep", args{"path": "in", "glob": "**/[eg].txt"}, actions.Done, []string{"in/d/e.txt", "in/d/f/g.txt"}, ""},
		{"braces", args{"path": "in", "glob": "{x}"}, actions.Done, []string{"in/{x}"}, ""},
		{"root", args{"path": "d", "root": "in"}, actions.Done, []string{"d/e.txt"}, ""},
		{"the root itself", args{"path": ".", "root": "in/d"}, actions.Done, []string{"e.txt"}, ""},
		{"through a link", args{"path": "in/dir"}, actions.Done, []string{"in/dir/e.txt"}, ""},
		{"directories", args{"path": "in", "type": "directory", "glob": "**"}, actions.Done, []string{"in/d", "in/d-", "in/d/f", "in/dir"}, ""},
		{"none", args{"path": "in", "glob": "*.go"}, actions.Done, []string{}, ""},
		{"missing", args{"path": "in/none"}, actions.Gone, nil, "no such file"},
		{"file", args{"path": "in/a.txt"}, actions.Refused, nil, "expected a directory, got a file"},
		{"not granted", args{"path": "users"}, actions.Refused, nil, "permissions.read"},
		{"bad glob", args{"path": "in", "glob": "["}, actions.Refused, nil, "bracket is not closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := world{t, w.dir, w.files}
			got := w.run("list", tc.args)
			w.expect(got, tc.status, nil, tc.err)
			if diff := cmp.Diff(tc.want, paths(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func paths(o actions.Outcome) []string {
	result, ok := o.Result.(map[string]any)
	if !ok {
		return nil
	}
	all := []string{}
	for _, item := range result["items"].([]any) {
		all = append(all, item.(map[string]any)["path"].(string))
	}
	return all
}

func TestListContent(t *testing.T) {
	w := newWorld(t, map[string]string{"in/a": "hello", "in/b": "\xff"})
	got := w.run("list", args{"path": "in", "glob": "a"}, "items.content", "items.sha256")
	w.expect(got, actions.Done, nil, "")
	item := got.Result.(map[string]any)["items"].([]any)[0].(map[string]any)
	if item["content"] != "hello" || item["sha256"] != helloHash {
		t.Errorf("got %v", item)
	}
	w.expect(w.run("list", args{"path": "in"}, "items.content"), actions.Refused, nil, `b": the content is not valid UTF-8`)
	w.expect(w.run("list", args{"path": "in", "maxBytes": "3B"}, "items.contentBase64"), actions.Refused, nil, "maxBytes")
}

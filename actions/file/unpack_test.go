package file

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

func TestUnpack(t *testing.T) {
	site := &spec.File{Archive: true, Members: map[string]*spec.File{
		"index.html": {Text: text("hello")}, "css/site.css": {Text: text("")},
	}}
	items := []any{
		args{"path": "in/www/css/site.css", "size": int64(0), "mode": "0600", "sha256": emptyHash},
		args{"path": "in/www/index.html", "size": int64(5), "mode": "0600", "sha256": helloHash},
	}
	for _, tt := range []struct {
		name   string
		args   args
		before map[string]string
		status actions.Status
		items  []any
		err    string
		after  map[string]string
	}{
		{
			"into a new directory",
			args{},
			nil, actions.Done, items, "",
			map[string]string{"in/www/index.html": "hello", "in/www/css/site.css": ""},
		},
		{
			"next to other files",
			args{},
			map[string]string{"in/www/old": "o"},
			actions.Done, items, "",
			map[string]string{"in/www/index.html": "hello", "in/www/css/site.css": "", "in/www/old": "o"},
		},
		{
			"exactly",
			args{"exact": true},
			map[string]string{"in/www/old": "o", "in/www/d/e/old": "o", "in/www/css/old": "o", "in/other": "o"},
			actions.Done, items, "",
			map[string]string{"in/www/index.html": "hello", "in/www/css/site.css": "", "in/other": "o"},
		},
		{
			"over existing files",
			args{"overwrite": true},
			map[string]string{"in/www/index.html": "o"},
			actions.Done, items, "",
			map[string]string{"in/www/index.html": "hello", "in/www/css/site.css": ""},
		},
		{
			"over the first existing file",
			args{},
			map[string]string{"in/www/css/site.css": "o"},
			actions.Refused, nil, "overwrite: true",
			map[string]string{"in/www/css/site.css": "o"},
		},
		{
			"over a later existing file",
			args{},
			map[string]string{"in/www/index.html": "o"},
			actions.Failed, nil, "overwrite: true",
			map[string]string{"in/www/index.html": "o", "in/www/css/site.css": ""},
		},
		{"nothing", args{"archive": &spec.File{Archive: true, Members: map[string]*spec.File{}}}, nil, actions.Done, []any{}, "", map[string]string{}},
		{
			"exact with an empty archive",
			args{"archive": &spec.File{Archive: true, Members: map[string]*spec.File{}}, "exact": true},
			map[string]string{"in/www/d/old": "o"},
			actions.Done,
			[]any{},
			"",
			map[string]string{},
		},
		{"not granted", args{"path": "ro/www"}, nil, actions.Refused, nil, "not permitted", map[string]string{}},
		{"not an archive", args{"archive": &spec.File{Archive: true, Path: "none"}}, nil, actions.Refused, nil, "no such file", map[string]string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.before)
			given := args{"path": "in/www", "archive": site, "mode": "0600"}
			for k, v := range tt.args {
				given[k] = v
			}
			got := w.run("unpack", given)
			result, _ := got.Result.(map[string]any)
			for _, item := range asList(result["items"]) {
				delete(item.(map[string]any), "modified")
			}
			if got.Status == actions.Done {
				w.expect(got, tt.status, args{"path": "in/www", "items": tt.items}, tt.err)
			} else {
				w.expect(got, tt.status, nil, tt.err)
			}
			if diff := cmp.Diff(tt.after, w.tree()); diff != "" {
				t.Errorf("files in the folder (-want +got):\n%s", diff)
			}
		})
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// tree returns the contents of the files of the world.
func (w world) tree() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[filepath.ToSlash(name)] = w.content(name)
		}
		return err
	})
	if err != nil {
		w.Error(err)
	}
	return out
}

// TestWhatAFailureChanged: only a step that has changed nothing says so; unpack says what it had done.
func TestWhatAFailureChanged(t *testing.T) {
	const nothing = "nothing was changed"
	long := strings.Repeat("x", 300) // longer than a name may be
	archive := func() *spec.File { return &spec.File{Archive: true, Path: "a.zip"} }
	for name, tt := range map[string]struct {
		kind   string
		args   args
		before map[string]string
		status actions.Status
		err    string
	}{
		"unpack, at the first file":     {"unpack", args{"path": "in/d", "archive": archive()}, map[string]string{"a.zip": zipped(t, "broken", "fine")}, actions.Refused, nothing},
		"unpack, at a later file":       {"unpack", args{"path": "in/d", "archive": archive()}, map[string]string{"a.zip": zipped(t, "a", "b", "broken")}, actions.Failed, "2 files were written before that"},
		"unpack, at a file that exists": {"unpack", args{"path": "in/d", "archive": archive()}, map[string]string{"a.zip": zipped(t, "a", "b"), "in/d/b": ""}, actions.Failed, "overwrite: true; 1 file was written before that"},
		"mkdir":                         {"mkdir", args{"path": "in/d/e/" + long, "parents": true}, nil, actions.Refused, nothing},
		"symlink":                       {"symlink", args{"path": "in/d/" + long, "target": "in/x", "parents": true}, nil, actions.Refused, nothing},
		"delete":                        {"delete", args{"path": "in/d"}, map[string]string{"in/d/x": ""}, actions.Refused, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.before)
			got := w.run(tt.kind, tt.args)
			w.expect(got, tt.status, nil, tt.err)
			if got.Err != nil && strings.Contains(got.Err.Error(), nothing) != (tt.err == nothing) {
				t.Errorf("the error is %v", got.Err)
			}
			if diff := cmp.Diff(len(tt.before), len(w.tree())); tt.err == nothing && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// zipped returns a zip file with files of these names. The content of one named broken is corrupt.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = file.Write([]byte("content of " + name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(b.String(), "content of broken", "content is broken", 1)
}

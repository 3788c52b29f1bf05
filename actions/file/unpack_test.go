package file

import (
	"io/fs"
	"os"
	"path/filepath"
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

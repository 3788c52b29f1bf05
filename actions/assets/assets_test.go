package assets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// folder makes files, of which "-> x" is a link to x, and what reads below it.
func folder(t *testing.T, contents map[string]string) (string, *actions.Env) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(at, []byte(text), 0o644)
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			os.Remove(at)
			err = os.Symlink(target, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	access, err := files.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, &actions.Env{Files: access}
}

// held are an archive's files by name.
func held(t *testing.T, access *actions.Env, f *spec.File) (map[string]string, error) {
	t.Helper()
	out := map[string]string{}
	err := Walk(t.Context(), access, f, func(e Entry) error {
		text, err := io.ReadAll(e.Content)
		out[e.Name] = string(text)
		if e.Size >= 0 && e.Size != int64(len(text)) {
			t.Errorf("%s has %d bytes, and says %d", e.Name, len(text), e.Size)
		}
		return err
	})
	return out, err
}

func text(s string) *spec.File { return &spec.File{Text: &s} }

func assetAt(p string) *spec.File { return &spec.File{Path: p} }

func archiveAt(p string) *spec.File { return &spec.File{Archive: true, Path: p} }

func zipped(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, _ := w.Create(files[i])
		io.WriteString(f, files[i+1])
	}
	w.Close()
	return b.Bytes()
}

func tarred(headers ...tar.Header) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		h.Size = int64(len(h.Name))
		if h.Typeflag != tar.TypeReg {
			h.Size = 0
		}
		w.WriteHeader(&h)
		if h.Typeflag == tar.TypeReg {
			io.WriteString(w, h.Name)
		}
	}
	w.Close()
	return b.Bytes()
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestWalk(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644} }
	dir, access := folder(t, map[string]string{
		"site/a": "A", "site/d/b": "B", "site/link": "-> d/b",
		"out/link": "-> ../site/a", "loop/link": "-> link", "toFolder/link": "-> .",
		"z.zip":       string(zipped("a", "A", "d/", "", "d/b", "B")),
		"t.tar":       string(tarred(tar.Header{Typeflag: tar.TypeDir, Name: "d/", Mode: 0o755}, reg("d/b"), reg("./a"))),
		"t.tgz":       string(gzipped(tarred(reg("a")))),
		"empty.zip":   string(zipped()),
		"slip.zip":    string(zipped("../x", "!")),
		"root.zip":    string(zipped("/etc/x", "!")),
		"latin.zip":   string(zipped("a\xff", "!")),
		"latin.tar":   string(tarred(reg("d/\xff\xfe"))),
		"dot.zip":     string(zipped("./.", "!")),
		"dot.tar":     string(tarred(reg("a/.."))),
		"twice.zip":   string(zipped("a", "1", "./a", "2")),
		"slip.tar":    string(tarred(reg("d/../../x"))),
		"link.tar":    string(tarred(tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc/passwd"})),
		"cut.tgz":     string(gzipped(tarred(reg("a"))))[:40],
		"plain.txt":   "no archive",
		"nothing.txt": "",
	})
	members := func(kv ...any) *spec.File {
		f := &spec.File{Archive: true, Members: map[string]*spec.File{}}
		for i := 0; i < len(kv); i += 2 {
			f.Members[kv[i].(string)] = kv[i+1].(*spec.File)
		}
		return f
	}
	for _, tt := range []struct {
		name string
		file *spec.File
		want map[string]string
		err  string
	}{
		{"a folder, with a link within", archiveAt("site"), map[string]string{"a": "A", "d/b": "B", "link": "B"}, ""},
		{"an absolute one", archiveAt(filepath.Join(dir, "site", "d")), map[string]string{"b": "B"}, ""},
		{"zip", archiveAt("z.zip"), map[string]string{"a": "A", "d/b": "B"}, ""},
		{"tar", archiveAt("t.tar"), map[string]string{"a": "./a", "d/b": "d/b"}, ""},
		{"tar.gz", archiveAt("t.tgz"), map[string]string{"a": "a"}, ""},
		{"empty", archiveAt("empty.zip"), map[string]string{}, ""},
		{"assets by name", members("x", text("X"), "d/y", assetAt("site/a"), "z", archiveAt("z.zip")), map[string]string{"x": "X", "d/y": "A", "z/a": "A", "z/d/b": "B"}, ""},
		{"by URI", &spec.File{Archive: true, URI: "file://" + filepath.ToSlash(dir) + "/z.zip"}, map[string]string{"a": "A", "d/b": "B"}, ""},
		{"a link out of the folder", archiveAt("out"), nil, "a link must lead to a file in the same folder"},
		{"a link to itself", archiveAt("loop"), nil, "link"},
		{"a link to a folder", archiveAt("toFolder"), nil, "is not a regular file"},
		{"a name that is not UTF-8, in a zip file", archiveAt("latin.zip"), nil, `"a\xff" in it is not UTF-8`},
		{"a name that is not UTF-8, in a tar file", archiveAt("latin.tar"), nil, `"d/\xff\xfe" in it is not UTF-8`},
		{"a name that is not UTF-8, of a member", members("a\xff", text("A")), nil, `"a\xff" in it is not UTF-8`},
		{"no name, in a zip file", archiveAt("dot.zip"), nil, "is not that of a file"},
		{"no name, in a tar file", archiveAt("dot.tar"), nil, "is not that of a file"},
		{"a name above", archiveAt("slip.zip"), nil, `"../x" in it leads out`},
		{"a name from the root", archiveAt("root.zip"), nil, `"/etc/x" in it leads out`},
		{"a name above, in the middle", archiveAt("slip.tar"), nil, "leads out"},
		{"a link in a tar", archiveAt("link.tar"), nil, `"l" in it is not a regular file`},
		{"a name twice", archiveAt("twice.zip"), nil, "twice"},
		{"cut short", archiveAt("cut.tgz"), nil, "unexpected EOF"},
		{"no archive", archiveAt("plain.txt"), nil, "expected a folder, or a zip"},
		{"an empty file", archiveAt("nothing.txt"), nil, "expected a folder, or a zip"},
		{"missing", archiveAt("none"), nil, `archive "none": no such file`},
		{"an asset", assetAt("site/a"), nil, "expected an archive"},
		{"elided", &spec.File{Archive: true, Hash: "x"}, nil, "only its hash"},
		{"an elided member", members("a", &spec.File{Hash: "x"}), nil, "a: the state contains only its hash"},
		{"a member above", members("../a", text("")), nil, "leads out of the archive"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := held(t, access, tt.file)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRemote(t *testing.T) {
	_, access := folder(t, nil)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(server.URL+"/a", http.StatusFound))
	defer secure.Close()
	mux.HandleFunc("/a", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials came along")
		}
		if r.Header.Get("Referer") != "" {
			t.Error("the URL before came along")
		}
		io.WriteString(w, "A")
	})
	mux.HandleFunc("/chunks", func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); io.WriteString(w, "AB") })
	mux.HandleFunc("/z", func(w http.ResponseWriter, _ *http.Request) { w.Write(zipped("a", "A")) })
	mux.Handle("/moved", http.RedirectHandler("/a", http.StatusMovedPermanently))
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(MaxBytes+1))
		fmt.Fprint(w, "A")
	})
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	for _, tt := range []struct {
		at, want, err string
		size          int64
	}{
		{"/a", "A", "", 1},
		{"/chunks", "AB", "", -1},
		{"/moved", "A", "", 1},
		{"/round", "", "more than 5 redirects", 0},
		{"/none", "", "the server responded 404", 0},
	} {
		opened, err := Open(t.Context(), access, &spec.File{URI: server.URL + tt.at})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want one with %q", tt.at, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(tt.at, err)
		}
		got, err := io.ReadAll(opened)
		if err != nil || string(got) != tt.want || opened.Size != tt.size {
			t.Errorf("%s: %q of size %d, %v", tt.at, got, opened.Size, err)
		}
		opened.Close()
	}
	got, err := held(t, access, &spec.File{Archive: true, URI: server.URL + "/z"})
	if diff := cmp.Diff(map[string]string{"a": "A"}, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	if opened, err := Open(t.Context(), access, &spec.File{URI: server.URL + "/endless"}); err == nil || !strings.Contains(err.Error(), "pass ") {
		t.Errorf("more than there may be: %v, %v", opened, err)
	}
}

// TestSecretsOfURLs: neither a password nor what a link is signed with is told,
// whatever is wrong.
func TestSecretsOfURLs(t *testing.T) {
	_, access := folder(t, nil)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, uri := range []string{
		"http://me:hidden@" + host + "/none?signature=hidden#hidden",
		"http://me:hidden@127.0.0.1:1/none?signature=hidden",
		"http://me:hidden/hidden@" + host,
		"http://me:hid den@" + host,
		"ftp://me:hidden@host/a?signature=hidden",
		"file://me:hidden@host/a",
	} {
		_, openErr := Open(t.Context(), access, &spec.File{URI: uri})
		_, walkErr := held(t, access, &spec.File{Archive: true, URI: uri})
		for _, err := range []error{openErr, walkErr} {
			if err == nil || strings.Contains(err.Error(), "hid") {
				t.Errorf("%s: %v", uri, err)
			}
		}
	}
	// A file that is there, and no archive.
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") }))
	defer plain.Close()
	_, err := held(t, access, &spec.File{Archive: true, URI: strings.Replace(plain.URL, "://", "://me:hidden@", 1) + "/a?signature=hidden"})
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("no archive: %v", err)
	}
}

// TestFetchedIsBounded: what is longer than there may be is an error, and not cut
// off.
func TestFetchedIsBounded(t *testing.T) {
	c := &counter{from: strings.NewReader("abcd"), left: 3}
	if got, err := io.ReadAll(c); err == nil {
		t.Errorf("%q of four bytes is all, where three may be", got)
	}
	c = &counter{from: strings.NewReader("abc"), left: 3}
	if got, err := io.ReadAll(c); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFoldersWithoutEnd: folders are no files, and yet there are only so many of
// them, however few bytes they are packed into.
func TestFoldersWithoutEnd(t *testing.T) {
	var packed bytes.Buffer
	squeezed, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	folders := bytes.TrimSuffix(tarred(tar.Header{Typeflag: tar.TypeDir, Name: "d/", Mode: 0o755}), make([]byte, 1024))
	const batch = 1000
	folders = bytes.Repeat(folders, batch)
	for range 2*MaxFiles/batch + 1 {
		squeezed.Write(folders)
	}
	squeezed.Close()
	dir, access := folder(t, map[string]string{"packed": packed.String()})
	got, err := held(t, access, archiveAt(filepath.Join(dir, "packed")))
	if err == nil || !strings.Contains(err.Error(), "more than 200000 files and folders") || len(got) > 0 {
		t.Errorf("%d bytes give %v, %v", packed.Len(), got, err)
	}
}

// What is packed and walked again is the same, and the same files give the same
// bytes.
// TestDirectoriesWithoutEnd: what a zip file says of its files is read at once.
func TestDirectoriesWithoutEnd(t *testing.T) {
	dir, access := folder(t, nil)
	for name, many := range map[string]int{"few.zip": 10, "many.zip": maxDirectory/math.MaxUint16 + 1} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i := range many {
			h := &zip.FileHeader{Name: fmt.Sprintf("%d/", i), Comment: strings.Repeat("x", math.MaxUint16)}
			if _, err := w.CreateHeader(h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := held(t, access, archiveAt(name))
		if refused := err != nil && strings.Contains(err.Error(), "split"); refused != (many > 10) || err != nil && !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPackIsDeterministic(t *testing.T) {
	name := rapid.StringMatching(`[a-z]{1,3}(/[a-z]{1,3})?`)
	rapid.Check(t, func(rt *rapid.T) {
		want := map[string]string{}
		f := &spec.File{Archive: true, Members: map[string]*spec.File{}}
		for n, content := range rapid.MapOfN(name, rapid.String(), 0, 8).Draw(rt, "files") {
			want["f/"+n+".x"] = content
			f.Members["f/"+n+".x"] = text(content)
		}
		for _, format := range Formats() {
			var one, two bytes.Buffer
			for _, b := range []*bytes.Buffer{&one, &two} {
				if err := Pack(t.Context(), nil, f, format, b); err != nil {
					rt.Fatal(format, err)
				}
			}
			if !bytes.Equal(one.Bytes(), two.Bytes()) {
				rt.Fatalf("%s: the same files give other bytes", format)
			}
			dir, access := folder(t, map[string]string{"packed": one.String()})
			got, err := held(t, access, archiveAt(filepath.Join(dir, "packed")))
			if err != nil {
				rt.Fatal(format, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("%s (-want +got):\n%s", format, diff)
			}
		}
	})
}

func TestPackedModes(t *testing.T) {
	dir, access := folder(t, map[string]string{"d/run": "#!", "d/read": "x"})
	if err := os.Chmod(filepath.Join(dir, "d/run"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Pack(t.Context(), access, archiveAt("d"), format, &b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "p"), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		modes := map[string]string{}
		err := Walk(t.Context(), access, archiveAt("p"), func(e Entry) error {
			modes[e.Name] = fmt.Sprintf("%04o", e.Mode)
			return nil
		})
		if diff := cmp.Diff(map[string]string{"run": "0755", "read": "0644"}, modes); err != nil || diff != "" {
			t.Errorf("%s: %v %s", format, err, diff)
		}
	}
}

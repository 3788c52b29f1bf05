// Package assets_test hands assets and archives to a provider through the real
// CLI: into files and into requests, compared by what they hold.
package assets_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func open(t *testing.T, env ...string) *pulumitest.Stack {
	t.Helper()
	return pulumitest.New(t, pulumitest.Providers{"handed": provider.Folder(t, "handed", "tests/assets/testdata/handed.cue")}, env...)
}

func holds(t *testing.T, s *pulumitest.Stack, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, s.Files()); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
}

func TestArchiveIntoAFolder(t *testing.T) {
	t.Parallel()
	s := open(t)
	site := func(files string) string {
		return "resources:\n  www: {type: handed:Site, properties: {path: www, files: " + files + "}}\n"
	}
	s.Write("src/index.html", "hello")
	s.Write("src/css/site.css", "p {}")
	src := map[string]string{"src/index.html": "hello", "src/css/site.css": "p {}"}
	with := func(more ...string) map[string]string {
		out := map[string]string{}
		for k, v := range src {
			out[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	s.Program(site("{fn::fileArchive: ./src}"))
	s.Preview("create=1")
	holds(t, s, src)
	s.Up("create=1")
	holds(t, s, with("www/index.html", "hello", "www/css/site.css", "p {}"))
	s.Up("same=1")

	// The same files from elsewhere are no change: archives compare by hash.
	s.Program(site("{fn::assetArchive: {index.html: {fn::fileAsset: ./src/index.html}, css/site.css: {fn::fileAsset: ./src/css/site.css}}}"))
	s.Preview("same=1")
	s.Program(site("{fn::assetArchive: {index.html: {fn::stringAsset: bye}, new.html: {fn::stringAsset: new}}}"))
	s.Up("update=1")
	holds(t, s, with("www/index.html", "bye", "www/new.html", "new"))
	s.Up("same=1")
	s.Destroy("delete=1")
	holds(t, s, src)
}

func TestAssetsIntoFiles(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "from afar") }))
	t.Cleanup(server.Close)
	s := open(t)
	note := func(content string) string {
		return "resources:\n  n: {type: handed:Note, properties: {path: n.txt, source: " + content + "}}\n"
	}
	s.Write("a.txt", "A")
	s.Program(note("{fn::fileAsset: ./a.txt}"))
	s.Up("create=1")
	holds(t, s, map[string]string{"a.txt": "A", "n.txt": "A"})
	s.Program(note("{fn::stringAsset: A}"))
	s.Up("same=1")
	s.Write("a.txt", "B")
	s.Program(note("{fn::fileAsset: ./a.txt}"))
	s.Up("update=1")
	holds(t, s, map[string]string{"a.txt": "B", "n.txt": "B"})
	s.Program(note("{fn::remoteAsset: '" + server.URL + "/n'}"))
	s.Up("update=1")
	holds(t, s, map[string]string{"a.txt": "B", "n.txt": "from afar"})
	s.Up("same=1")
}

// shelf is a server that keeps what is uploaded.
type shelf struct {
	mu   sync.Mutex
	kept map[string]string // files of what came last, by part and name
	puts int
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		io.WriteString(w, "{}")
		return
	case http.MethodDelete:
		s.kept = nil
		return
	}
	s.puts++
	s.kept = map[string]string{}
	if parts, err := r.MultipartReader(); err == nil {
		for {
			part, err := parts.NextPart()
			if err != nil {
				return
			}
			body, _ := io.ReadAll(part)
			s.keep(part.FormName()+"/", body)
		}
	}
	body, _ := io.ReadAll(r.Body)
	s.keep("", body)
}

// keep keeps a file, or the files in one that is packed.
func (s *shelf) keep(below string, body []byte) {
	if z, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err == nil {
		for _, f := range z.File {
			r, _ := f.Open()
			text, _ := io.ReadAll(r)
			s.kept[below+f.Name] = string(text)
		}
		return
	}
	g, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		s.kept[strings.TrimSuffix(below, "/")] = string(body)
		return
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err != nil {
			return
		}
		text, _ := io.ReadAll(r)
		s.kept[below+h.Name] = string(text)
	}
}

func (s *shelf) holds(t *testing.T, puts int, want map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.kept); diff != "" || s.puts != puts {
		t.Errorf("after %d uploads, want %d, the server has (-want +got):\n%s", s.puts, puts, diff)
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	shelf := &shelf{}
	server := httptest.NewServer(shelf)
	t.Cleanup(server.Close)
	s := open(t, "HANDED_ENDPOINT="+server.URL)
	upload := func(content string) string {
		return "resources:\n  u: {type: handed:Upload, properties: {name: u, readme: {fn::stringAsset: 'read me'}, content: " + content + "}}\n"
	}
	s.Write("src/a", "A")
	s.Write("src/d/b", "B")
	s.Program(upload("{fn::fileArchive: ./src}"))
	s.Preview("create=1")
	shelf.holds(t, 0, nil)
	s.Up("create=1")
	shelf.holds(t, 1, map[string]string{"readme": "read me", "content/a": "A", "content/d/b": "B"})
	s.Up("same=1")
	s.Write("src/a", "changed")
	s.Up("update=1")
	shelf.holds(t, 2, map[string]string{"a": "changed", "d/b": "B"})
	s.Refresh("same Upload u")
	s.Up("same=1")
	s.Destroy("delete=1")
	shelf.holds(t, 2, nil)
}

// A command reads an asset, and finds an archive in a folder that is its own and
// gone afterwards.
func TestFilesOfACommand(t *testing.T) {
	t.Parallel()
	s := open(t)
	build := func(script string) string {
		return "resources:\n  b: {type: handed:Build, properties: {path: out, script: {fn::stringAsset: '" + script + "'}, source: {fn::fileArchive: ./src}}}\n"
	}
	s.Write("src/a", "A")
	s.Write("src/d/b", "B")
	s.Program(build(`cat "$1/a" "$1/d/b" "$1/../conf/mode"`))
	s.Preview("create=1")
	s.Up("create=1")
	if got := s.Files()["out"]; got != "ABfast" {
		t.Errorf("the command made %q", got)
	}
	log, _ := s.Recorded("b").Outputs["log"].(string)
	if _, err := os.Stat(log); log == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder %q is left: %v", log, err)
	}
	s.Up("same=1")
	s.Write("src/a", "changed ")
	s.Up("update=1")
	if got := s.Files()["out"]; got != "changed Bfast" {
		t.Errorf("the command made %q", got)
	}
	s.Program(build("exit 9"))
	if said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n"); !strings.Contains(said, "exit code 9") {
		t.Errorf("it says %s", said)
	}
	s.Program(build(`cat "$1/a"`))
	s.Up("update=1")
	s.Destroy("delete=1")
}

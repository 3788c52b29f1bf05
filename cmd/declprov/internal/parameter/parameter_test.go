package parameter_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/parameter"
	"github.com/declprov/declprov/spec/container"
)

func source(path, content string) container.Source {
	return container.Source{Path: path, Content: []byte(content)}
}

func TestParametersKeepTheirContent(t *testing.T) {
	t.Parallel()
	want := build.Bundle{
		Spec: "specs/a", Tags: []string{"stage=<test> & \"prod\"", "ü"},
		Files: []container.Source{source("cue.mod/module.cue", ""), source("specs/a/b.cue", "x: <1 & >0\r\n\u2028"), source("specs/a/c.bin", "\xff\x00\xfe")},
	}
	packed, err := parameter.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parameter.Decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// gzipped returns compressed content.
func gzipped(t testing.TB, content io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.Copy(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb returns a gzip stream of many MiB of zeros without its end. It repeats one compressed
// block, because compressing all of them takes a minute with the race detector.
func bomb(t testing.TB, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := w.Flush(); err != nil { // writes the header
		t.Fatal(err)
	}
	header := b.Len()
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	block := b.Bytes()[header:]
	return append(bytes.Clone(b.Bytes()[:header]), bytes.Repeat(block, size>>20)...)
}

// withPaths returns a parameter with files of these names, the first of which is the spec.
func withPaths(t testing.TB, paths ...string) []byte {
	t.Helper()
	files := []map[string]string{}
	for _, p := range paths {
		files = append(files, map[string]string{"path": p, "text": "x"})
	}
	text, err := json.Marshal(map[string]any{"declprovSource": 1, "spec": paths[0], "files": files})
	if err != nil {
		t.Fatal(err)
	}
	return gzipped(t, bytes.NewReader(text))
}

// TestHostileParameters checks that parameters that Encode does not return are errors, which say
// what is wrong.
func TestHostileParameters(t *testing.T) {
	good, err := parameter.Encode(build.Bundle{Spec: "notes.cue", Files: []container.Source{source("notes.cue", strings.Repeat("# a comment\n", 100))}})
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)-6]++ // the checksum
	many := []string{}
	for i := range 1001 {
		many = append(many, fmt.Sprintf("f%04d", i))
	}
	text := func(s string) []byte { return gzipped(t, strings.NewReader(s)) }
	tests := map[string]struct {
		packed []byte
		want   string
	}{
		"nothing":                      {nil, "not compressed"},
		"garbage":                      {[]byte("garbage, not a parameter"), "not compressed"},
		"truncated":                    {good[:len(good)/2], "truncated"},
		"without its checksum":         {good[:len(good)-8], "truncated"},
		"damaged":                      {damaged, "damaged"},
		"more behind it":               {append(bytes.Clone(good), "more and more, without end"...), "damaged"},
		"a bomb":                       {bomb(t, 1<<28), "more than 6 MiB"},
		"not JSON":                     {text("name: notes"), "not the source of a spec"},
		"nested without end":           {text(strings.Repeat("[", 1<<20)), "not the source of a spec"},
		"other JSON":                   {text(`{"name":"notes"}`), "not the source of a spec"},
		"a compiled spec":              {text("DECLPROV\x01\x00\x00\x00"), "not the source of a spec"},
		"a newer format":               {text(`{"declprovSource":2,"modules":[]}`), "format 2 is of a newer declprov"},
		"no files":                     {text(`{"declprovSource":1,"spec":"notes.cue"}`), `does not contain the spec "notes.cue"`},
		"another file":                 {text(`{"declprovSource":1,"spec":"a.cue","files":[{"path":"b.cue"}]}`), `does not contain the spec "a.cue"`},
		"no spec":                      {text(`{"declprovSource":1,"files":[{"path":"b.cue"}]}`), `the path "" does not name a file`},
		"above":                        {withPaths(t, "../notes.cue"), `the path "../notes.cue" does not name a file`},
		"above, inside":                {withPaths(t, "a/../../notes.cue"), "does not name a file"},
		"not clean":                    {withPaths(t, "a//notes.cue"), "does not name a file"},
		"absolute":                     {withPaths(t, "/etc/passwd"), "does not name a file"},
		"of Windows":                   {withPaths(t, `a\..\..\notes.cue`), "does not name a file"},
		"with a NUL":                   {withPaths(t, "notes\x00.cue"), "does not name a file"},
		"a long path":                  {withPaths(t, strings.Repeat("a/", 126)+"b"), "the maximum is 250"},
		"the same file twice":          {withPaths(t, "notes.cue", "notes.cue"), "not in order"},
		"more files than a spec has":   {withPaths(t, many...), "1001 files; the maximum is 1000"},
		"a spec outside of its folder": {text(`{"declprovSource":1,"spec":"..","files":[{"path":"b.cue"}]}`), `the path ".." does not name a file`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := parameter.Decode(test.packed)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, expected one with %q", err, test.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("decoding allocated %d MiB", used>>20)
			}
		})
	}
}

// TestParametersAreRefusedThatCannotBeRead checks that Encode has the limits of Decode.
func TestParametersAreRefusedThatCannotBeRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a/", 126) + "b"
	if packed, err := parameter.Encode(build.Bundle{Spec: long, Files: []container.Source{source(long, "x")}}); err == nil {
		t.Errorf("a path of %d bytes is encoded in %d", len(long), len(packed))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(withPaths(f, "notes.cue"))
	f.Add(gzipped(f, strings.NewReader(`{"declprovSource":1,"spec":".","files":[{"path":"a","bytes":"AAAA"}]}`)))
	f.Fuzz(func(t *testing.T, packed []byte) {
		b, err := parameter.Decode(packed)
		if err != nil {
			return
		}
		if _, err := parameter.Encode(b); err != nil {
			t.Errorf("what was decoded cannot be encoded: %v", err)
		}
	})
}

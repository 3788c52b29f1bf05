package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is an entry of an archive.
type entry struct {
	name    string
	kind    byte
	content string
	// size is the size that the header claims, if it is not that of the content.
	size int64
}

// pack returns an archive with some entries.
func pack(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	files := tar.NewWriter(compressed)
	for _, e := range entries {
		h := &tar.Header{Typeflag: e.kind, Name: e.name, Mode: 0o755, Size: int64(len(e.content)) + e.size}
		if e.kind != tar.TypeReg {
			h.Linkname, h.Size = "/etc/passwd", 0
		}
		if err := files.WriteHeader(h); err != nil {
			continue // the entry before it is smaller than it claims
		}
		if _, err := files.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	_ = files.Close() // an error if an entry is smaller than it claims
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestRead checks that only archives such as package writes can be read: nobody should learn the
// permissions of one spec, and run another.
func TestRead(t *testing.T) {
	program, spec := entry{"pulumi-resource-pets", tar.TypeReg, "program", 0}, entry{"pets.declprov", tar.TypeReg, "compiled", 0}
	whole := pack(t, program, spec)
	for name, tc := range map[string]struct {
		content []byte
		want    string // what the error contains; "" if it can be read
	}{
		"as written":             {whole, ""},
		"for Windows":            {pack(t, entry{"pulumi-resource-pets.exe", tar.TypeReg, "program", 0}, spec), ""},
		"the other order":        {pack(t, spec, program), ""},
		"empty":                  {nil, "EOF"},
		"not compressed":         {[]byte("name: \"pets\"\n"), "gzip"},
		"truncated":              {whole[:len(whole)-20], "EOF"},
		"no spec":                {pack(t, program), "no compiled spec"},
		"no program":             {pack(t, spec), "no program"},
		"a second spec":          {pack(t, program, spec, entry{"pets.cue", tar.TypeReg, "", 0}), `"pets.cue"`},
		"a spec twice":           {pack(t, program, spec, spec), `"pets.declprov"`},
		"of another name":        {pack(t, program, entry{"cats.declprov", tar.TypeReg, "compiled", 0}), "cats"},
		"two programs":           {pack(t, program, spec, entry{"pulumi-resource-aws", tar.TypeReg, "", 0}), `"pulumi-resource-aws"`},
		"above":                  {pack(t, program, spec, entry{"../x", tar.TypeReg, "", 0}), `"../x"`},
		"above, as a spec":       {pack(t, program, entry{"../pets.declprov", tar.TypeReg, "", 0}), `"../pets.declprov"`},
		"absolute":               {pack(t, program, spec, entry{"/etc/x", tar.TypeReg, "", 0}), `"/etc/x"`},
		"a folder":               {pack(t, program, spec, entry{"more/", tar.TypeDir, "", 0}), `"more/"`},
		"a link for a spec":      {pack(t, program, entry{"pets.declprov", tar.TypeSymlink, "", 0}), `"pets.declprov"`},
		"a hard link for a spec": {pack(t, program, entry{"pets.declprov", tar.TypeLink, "", 0}), `"pets.declprov"`},
		"a device":               {pack(t, entry{"pulumi-resource-pets", tar.TypeChar, "", 0}, spec), `"pulumi-resource-pets"`},
		"a huge spec":            {pack(t, program, entry{"pets.declprov", tar.TypeReg, "compiled", 1 << 40}), "more than"},
		"a huge program":         {pack(t, entry{"pulumi-resource-pets", tar.TypeReg, "program", 1 << 40}, spec), "more than"},
	} {
		path := filepath.Join(t.TempDir(), "pets.tar.gz")
		if err := os.WriteFile(path, tc.content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: error is %v, want one with %q and the path", name, err, tc.want)
			}
			continue
		}
		if err != nil || got.Name != "pets" || string(got.Compiled) != "compiled" || got.Program != sha256.Sum256([]byte("program")) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

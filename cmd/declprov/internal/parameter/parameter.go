// Package parameter encodes the source of a spec as the parameter of the base plugin, which
// Pulumi stores in sdks/ and in the state of a stack: compressed JSON, without any path of
// the machine that wrote it. Equal specs give equal parameters.
package parameter

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/container"
)

// format is the version of the encoding.
const format = 1

// The limits of a parameter. A parameter comes from outside, and is unpacked in the process
// that serves the provider.
const (
	// maxSize is the maximum size of an unpacked parameter in bytes: more than the 4 MiB of
	// files that the loader reads.
	maxSize = 6 << 20
	// maxFiles is the maximum number of files, and maxPath that of bytes in a path.
	maxFiles = 1000
	maxPath  = 250
)

// document is the JSON in a parameter.
type document struct {
	// Format is in every version of the encoding.
	Format int      `json:"declprovSource"`
	Spec   string   `json:"spec"`
	Tags   []string `json:"tags,omitempty"`
	Files  []file   `json:"files"`
}

// file has its content in Text, or in Bytes if it is not text.
type file struct {
	Path  string `json:"path"`
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
}

// Encode returns the parameter of a bundle.
func Encode(b build.Bundle) ([]byte, error) {
	doc := document{Format: format, Spec: b.Spec, Tags: b.Tags}
	for _, f := range b.Files {
		if utf8.Valid(f.Content) {
			doc.Files = append(doc.Files, file{Path: f.Path, Text: string(f.Content)})
		} else {
			doc.Files = append(doc.Files, file{Path: f.Path, Bytes: f.Content})
		}
	}
	if err := doc.check(); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	text := json.NewEncoder(w)
	text.SetEscapeHTML(false) // CUE contains many < and >
	if err := errors.Join(text.Encode(doc), w.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// Decode returns the bundle of a parameter.
func Decode(packed []byte) (build.Bundle, error) {
	text, err := unpack(packed)
	if err != nil {
		return build.Bundle{}, err
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return build.Bundle{}, fmt.Errorf("it is not the source of a spec: %w", err)
	}
	switch {
	case doc.Format > format:
		return build.Bundle{}, fmt.Errorf("its format %d is of a newer declprov than this one, which reads format %d: install the newer version", doc.Format, format)
	case doc.Format < format:
		return build.Bundle{}, errors.New("it is not the source of a spec")
	}
	if err := doc.check(); err != nil {
		return build.Bundle{}, err
	}
	b := build.Bundle{Spec: doc.Spec, Tags: doc.Tags}
	for _, f := range doc.Files {
		content := f.Bytes
		if content == nil {
			content = []byte(f.Text)
		}
		b.Files = append(b.Files, container.Source{Path: f.Path, Content: content})
	}
	return b, nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("it is not compressed: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it is truncated")
	case err != nil:
		return nil, fmt.Errorf("it is damaged: %w", err)
	case len(text) > maxSize:
		return nil, fmt.Errorf("it unpacks to more than %d MiB", maxSize>>20)
	}
	return text, nil
}

// check returns an error for paths that are not below the folder of the bundle, and for more
// files than a spec may have.
func (d document) check() error {
	if len(d.Files) > maxFiles {
		return fmt.Errorf("the spec consists of %d files; the maximum is %d", len(d.Files), maxFiles)
	}
	if d.Spec != "." {
		if err := checkPath(d.Spec); err != nil {
			return err
		}
	}
	for i, f := range d.Files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		if i > 0 && strings.Compare(d.Files[i-1].Path, f.Path) >= 0 {
			return fmt.Errorf("its files are not in order: %q is before %q", d.Files[i-1].Path, f.Path)
		}
	}
	if !slices.ContainsFunc(d.Files, func(f file) bool { return d.Spec == "." || f.Path == d.Spec || strings.HasPrefix(f.Path, d.Spec+"/") }) {
		return fmt.Errorf("it does not contain the spec %q", d.Spec)
	}
	return nil
}

// checkPath returns an error unless a path names a file below a folder on every platform.
func checkPath(p string) error {
	switch {
	case len(p) > maxPath:
		return fmt.Errorf("the path %.40q… has %d bytes; the maximum is %d", p, len(p), maxPath)
	case !utf8.ValidString(p), strings.ContainsAny(p, "\\\x00"), p != filepath.ToSlash(filepath.Clean(p)), !filepath.IsLocal(filepath.FromSlash(p)), p == ".":
		return fmt.Errorf("the path %q does not name a file of the spec", p)
	}
	return nil
}

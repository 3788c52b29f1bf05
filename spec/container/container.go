// Package container implements the compiled form of a spec, on disk and in memory. It
// consists of a header, an index, one JSON document per resource, the schema, and the
// sources. A process that serves a spec opens a container instead of evaluating CUE,
// and only decodes the parts that it needs.
//
// The layout, in little endian:
//
//	offset  0  magic "DECLPROV"
//	offset  8  format version, 32 bits
//	offset 12  length of the header, 32 bits
//	offset 16  CRC-32 (IEEE) of the header, 32 bits
//	offset 20  header: JSON, see type header
//	then       blobs, one after the other; their offsets are relative to the first
//
// Equal content gives equal bytes. Every format has the same first 20 bytes, and type
// origin in its header: see Salvage.
package container

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// Format is the version of the layout and of the model that Encode writes and Open
// reads. It must be incremented for changes that older code would misread, and for
// additions that newer code requires.
const Format = 3

const (
	magic        = "DECLPROV"
	preambleSize = 20
	// maxHeader is the maximum size of the header in bytes, which Open reads before
	// it can verify it. A thousand resources take 50 kB.
	maxHeader = 64 << 20
)

// ErrUnusable is wrapped by all errors of opening and reading a container. The caller
// should delete the container, or rebuild it from the spec.
var ErrUnusable = errors.New("the compiled spec cannot be used")

// ErrOlder is wrapped, in addition to ErrUnusable, by errors for a container of an
// older format. Its sources can be compiled again, see Salvage.
var ErrOlder = errors.New("its format is an older one")

const remedy = "delete it, or build it again from the spec"

// Source is one of the files from which a container was compiled.
type Source struct {
	// Path is the path as diagnostics show it.
	Path    string
	Content []byte
}

// origin is the part of the header that every format has: the sources from which the
// container was compiled, and the tools that compiled it.
type origin struct {
	Tool    string      `json:"tool"`
	CUE     string      `json:"cue"`
	Tags    []string    `json:"tags"`
	Dirs    []string    `json:"dirs"`
	Sources []namedBlob `json:"sources"`
}

// header is the table of contents.
type header struct {
	origin
	Hash      string      `json:"hash"`
	Provider  blob        `json:"provider"`
	Schema    blob        `json:"schema"`
	Resources []namedBlob `json:"resources"`
}

// blob is a range of bytes after the header.
type blob struct {
	Offset int64  `json:"o"`
	Length int64  `json:"l"`
	CRC    uint32 `json:"c"`
}

// isWithin reports whether the range lies in the first room bytes.
func (b blob) isWithin(room int64) bool {
	return b.Offset >= 0 && b.Length >= 0 && b.Offset <= room && b.Length <= room-b.Offset
}

type namedBlob struct {
	Name string `json:"n"`
	At   blob   `json:"b"`
}

// Container is an opened compiled spec. It is safe for concurrent use. Each call
// reads and decodes again without caching, so that callers may modify the results.
type Container struct {
	r      io.ReaderAt
	base   int64
	closer io.Closer
	header header
	index  map[string]blob
}

// Open reads the header and index of a container. All other parts are read and
// verified on demand, so r must remain valid. Errors wrap ErrUnusable.
func Open(r io.ReaderAt, size int64) (*Container, error) {
	c := &Container{r: r}
	if err := c.open(size); err != nil {
		return nil, fmt.Errorf("%w: %w; %s", ErrUnusable, err, remedy)
	}
	return c, nil
}

// OpenBytes opens a container in memory. b must not change afterwards.
func OpenBytes(b []byte) (*Container, error) { return Open(bytes.NewReader(b), int64(len(b))) }

// OpenFile opens a container on disk. The file remains open until Close, and may be
// replaced or removed meanwhile.
func OpenFile(path string) (*Container, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	c, err := Open(f, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	c.closer = f
	return c, nil
}

// Close closes the file, if there is one.
func (c *Container) Close() error {
	if c.closer == nil {
		return nil
	}
	return c.closer.Close()
}

func (c *Container) open(size int64) error {
	pre, err := readPreamble(c.r, size)
	if err != nil {
		return err
	}
	switch {
	case pre.format > Format:
		return fmt.Errorf("it has format %d, but this declprov only supports formats up to %d: a newer declprov wrote it", pre.format, Format)
	case pre.format < Format:
		return fmt.Errorf("it has format %d, which this declprov no longer supports: %w", pre.format, ErrOlder)
	}
	text, err := readChecked(c.r, preambleSize, pre.length, pre.crc)
	if err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	if err := unmarshal(text, &c.header); err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	c.base = preambleSize + pre.length
	return c.buildIndex(size - c.base)
}

// buildIndex builds the index, and checks that all blobs lie within room bytes.
func (c *Container) buildIndex(room int64) error {
	h := &c.header
	c.index = make(map[string]blob, len(h.Resources))
	blobs := []blob{h.Provider, h.Schema}
	for _, r := range h.Resources {
		c.index[r.Name] = r.At
		blobs = append(blobs, r.At)
	}
	for _, s := range h.Sources {
		blobs = append(blobs, s.At)
	}
	for _, b := range blobs {
		if !b.isWithin(room) {
			return errors.New("it is truncated")
		}
	}
	return nil
}

// Provider returns the spec without its resources.
func (c *Container) Provider() (*spec.Provider, error) {
	p := &spec.Provider{}
	return p, c.decode("the provider", c.header.Provider, p)
}

// ResourceNames returns the names of the resources, in the order of the document.
func (c *Container) ResourceNames() []string {
	return lists.Map(c.header.Resources, func(r namedBlob) string { return r.Name })
}

// Resource decodes one resource. The error for an unknown name does not wrap
// ErrUnusable.
func (c *Container) Resource(name string) (*spec.Resource, error) {
	b, ok := c.index[name]
	if !ok {
		return nil, fmt.Errorf("the spec has no resource %q", name)
	}
	r := &spec.Resource{}
	if err := c.decode(fmt.Sprintf("resource %q", name), b, r); err != nil {
		return nil, err
	}
	return r, nil
}

// Schema returns the Pulumi package schema, as JSON.
func (c *Container) Schema() ([]byte, error) { return c.read("the schema", c.header.Schema) }

// Sources returns the files from which the container was compiled. They allow
// rebuilding an older container, and showing source text in errors.
func (c *Container) Sources() ([]Source, error) {
	sources := make([]Source, len(c.header.Sources))
	for i, s := range c.header.Sources {
		content, err := c.read("source "+s.Name, s.At)
		if err != nil {
			return nil, err
		}
		sources[i] = Source{Path: s.Name, Content: content}
	}
	return sources, nil
}

// SourceHash returns the SHA-256, in hex, of the sources, their names and the tags.
func (c *Container) SourceHash() string { return c.header.Hash }

// Tool returns the version of the declprov that wrote the container.
func (c *Container) Tool() string { return c.header.Tool }

// CUE returns the version of the CUE evaluator that read the sources.
func (c *Container) CUE() string { return c.header.CUE }

// Tags returns the tags with which the sources were evaluated.
func (c *Container) Tags() []string { return c.header.Tags }

// Dirs returns the folders whose listings determined the set of sources.
func (c *Container) Dirs() []string { return c.header.Dirs }

// Whole returns the spec with all its resources.
func (c *Container) Whole() (*spec.Provider, error) {
	p, err := c.Provider()
	if err != nil {
		return nil, err
	}
	for _, r := range c.header.Resources {
		res, err := c.Resource(r.Name)
		if err != nil {
			return nil, err
		}
		p.Resources = append(p.Resources, res)
	}
	return p, nil
}

func (c *Container) decode(what string, b blob, dst any) error {
	text, err := c.read(what, b)
	if err != nil {
		return err
	}
	if err := unmarshal(text, dst); err != nil {
		return fmt.Errorf("%w: %s in it: %w; %s", ErrUnusable, what, err, remedy)
	}
	return nil
}

func (c *Container) read(what string, b blob) ([]byte, error) {
	text, err := readChecked(c.r, c.base+b.Offset, b.Length, b.CRC)
	if err != nil {
		return nil, fmt.Errorf("%w: %s in it: %w; %s", ErrUnusable, what, err, remedy)
	}
	return text, nil
}

func readChecked(r io.ReaderAt, offset, length int64, crc uint32) ([]byte, error) {
	text := make([]byte, length)
	if n, err := r.ReadAt(text, offset); n < len(text) {
		return nil, fmt.Errorf("it is truncated: %w", err)
	}
	if crc32.ChecksumIEEE(text) != crc {
		return nil, errors.New("the checksum does not match")
	}
	return text, nil
}

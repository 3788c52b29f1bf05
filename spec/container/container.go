// Package container is the compiled form of a spec, on disk and in memory: a
// header, an index, one JSON document a resource, the ready schema, and the
// sources it was made from. A process that serves a spec opens one instead of
// evaluating CUE, and decodes of it only what it is asked for.
//
// The layout, in little endian:
//
//	offset  0  magic "DECLPROV"
//	offset  8  format version, 32 bits
//	offset 12  length of the header, 32 bits
//	offset 16  CRC-32 (IEEE) of the header, 32 bits
//	offset 20  header: JSON, see the type of that name
//	then       blobs, one after the other; offsets count from the first
//
// Equal content gives equal bytes. Every format keeps the first 20 bytes and, in
// the header, the sources: see Salvage.
package container

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/declprov/declprov/spec"
)

// Format is the version of the layout and of the model that Encode writes and
// Open reads. It grows with every change that older code would misread, or
// whose absence newer code would.
const Format = 2

const (
	magic        = "DECLPROV"
	preambleSize = 20
	// maxHeader bounds what Open reads before it knows whether to trust it, in
	// bytes: a thousand resources take 50 kB.
	maxHeader = 64 << 20
)

// ErrUnusable is what every error of opening and reading a container wraps. Its
// holder deletes the container, or builds it again from the spec.
var ErrUnusable = errors.New("the compiled spec cannot be used")

// ErrOlder is what errors wrap, beside ErrUnusable, of a container that has a
// former format: what it was made from can be compiled again, see Salvage.
var ErrOlder = errors.New("its format is a former one")

const remedy = "delete it, or build it again from the spec"

// Source is one file that a container was made from.
type Source struct {
	// Path is as diagnostics show it.
	Path    string
	Content []byte
}

// header says what is where.
type header struct {
	Tool      string
	CUE       string
	Hash      string
	Tags      []string
	Dirs      []string
	Files     []string
	Provider  blob
	Schema    blob
	Resources []namedBlob
	Sources   []namedBlob
}

// blob is a stretch of the bytes after the header.
type blob struct {
	Offset int64  `json:"o"`
	Length int64  `json:"l"`
	CRC    uint32 `json:"c"`
}

// within reports whether the stretch lies in that many bytes.
func (b blob) within(room int64) bool {
	return b.Offset >= 0 && b.Length >= 0 && b.Offset <= room && b.Length <= room-b.Offset
}

type namedBlob struct {
	Name string `json:"n"`
	At   blob   `json:"b"`
}

// Container is an opened compiled spec. It is safe for concurrent use; each
// call reads anew and remembers nothing, so what it returns is the caller's.
type Container struct {
	r      io.ReaderAt
	base   int64
	size   int64
	closer io.Closer
	header header
	index  map[string]blob
	shapes *shapes
}

// Open reads the header and index of a container; everything else is read, and
// its checksum verified, when it is asked for. r stays in use until then.
// Errors wrap ErrUnusable.
func Open(r io.ReaderAt, size int64) (*Container, error) {
	c := &Container{r: r, size: size, shapes: &shapes{}}
	if err := c.open(size); err != nil {
		return nil, fmt.Errorf("%w: %w; %s", ErrUnusable, err, remedy)
	}
	return c, nil
}

// OpenBytes opens a container in memory, which must not change any more.
func OpenBytes(b []byte) (*Container, error) { return Open(bytes.NewReader(b), int64(len(b))) }

// OpenFile opens a container on disk. The file stays open until Close; that it
// is replaced or removed meanwhile does no harm.
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

// Encoded returns the whole container, as Encode gave it.
func (c *Container) Encoded() ([]byte, error) {
	out := make([]byte, c.size)
	if _, err := c.r.ReadAt(out, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w; %s", ErrUnusable, err, remedy)
	}
	return out, nil
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
		return fmt.Errorf("it has format %d, and this declprov reads up to %d: it was written by a newer one", pre.format, Format)
	case pre.format < Format:
		return fmt.Errorf("it has format %d, which this declprov no longer reads: %w", pre.format, ErrOlder)
	}
	text, err := readChecked(c.r, preambleSize, pre.length, pre.crc)
	if err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	rd := reader{shapes: c.shapes, text: string(text)}
	if err := rd.into(&c.header); err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	c.base = preambleSize + pre.length
	return c.buildIndex(size - c.base)
}

// buildIndex checks that all blobs lie within the room there is.
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
		if !b.within(room) {
			return errors.New("it is cut short")
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
	names := make([]string, len(c.header.Resources))
	for i, r := range c.header.Resources {
		names[i] = r.Name
	}
	return names
}

// Has reports whether there is a resource of that name.
func (c *Container) Has(name string) bool {
	_, ok := c.index[name]
	return ok
}

// Resource decodes one resource. The error for a name that is not there does
// not wrap ErrUnusable.
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

// Sources returns the files that the container was made from, so that an older
// container can be built again, and errors can show the text they speak of.
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

// Tags returns those that the sources were evaluated with.
func (c *Container) Tags() []string { return c.header.Tags }

// Dirs returns the folders whose listing decided which files were sources.
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
	rd := reader{shapes: c.shapes, text: string(text), files: c.header.Files}
	if err := rd.into(dst); err != nil {
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
		return nil, fmt.Errorf("it is cut short: %w", err)
	}
	if crc32.ChecksumIEEE(text) != crc {
		return nil, errors.New("its checksum is wrong: it was damaged")
	}
	return text, nil
}

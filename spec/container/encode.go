package container

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/declprov/declprov/spec"
)

// Content is the content of a container.
type Content struct {
	Provider *spec.Provider
	// Schema is the Pulumi package schema, as JSON.
	Schema []byte
	// Sources are all files that were read, in any order.
	Sources []Source
	// Dirs are the folders whose listings determined the set of sources, named like
	// the sources.
	Dirs []string
	Tags []string
	// Tool is the version of declprov, and CUE that of the CUE evaluator.
	Tool, CUE string
}

// Encode returns a container. Equal content gives equal bytes. It returns an error
// for a model that cannot be written: two resources with the same name, or a literal
// of an unknown type.
func Encode(c Content) ([]byte, error) {
	if c.Provider == nil {
		return nil, errors.New("compile the spec: no provider")
	}
	h := header{origin: origin{Tool: c.Tool, CUE: c.CUE, Tags: c.Tags, Dirs: c.Dirs}}
	var body []byte
	add := func(content []byte) blob {
		at := blob{Offset: int64(len(body)), Length: int64(len(content)), CRC: crc32.ChecksumIEEE(content)}
		body = append(body, content...)
		return at
	}
	text, err := marshal(c.Provider)
	if err != nil {
		return nil, fmt.Errorf("compile the spec: %w", err)
	}
	h.Provider = add(text)
	names := map[string]bool{}
	for _, r := range c.Provider.Resources {
		if names[r.Name] {
			return nil, fmt.Errorf("compile the spec: two resources have the same name: %q", r.Name)
		}
		names[r.Name] = true
		text, err := marshal(r)
		if err != nil {
			return nil, fmt.Errorf("compile the spec: resource %q: %w", r.Name, err)
		}
		h.Resources = append(h.Resources, namedBlob{Name: r.Name, At: add(text)})
	}
	h.Schema = add(c.Schema)
	sources := slices.Clone(c.Sources)
	sort.Slice(sources, func(i, j int) bool { return sources[i].Path < sources[j].Path })
	for _, s := range sources {
		h.Sources = append(h.Sources, namedBlob{Name: s.Path, At: add(s.Content)})
	}
	h.Hash = hashSources(sources, c.Tags)
	text, err = marshal(&h)
	if err != nil {
		return nil, fmt.Errorf("compile the spec: %w", err)
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("compile the spec: the index cannot hold %d resources", len(h.Resources))
	}
	out := make([]byte, 0, preambleSize+len(text)+len(body))
	out = append(out, magic...)
	out = binary.LittleEndian.AppendUint32(out, Format)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(text))
	return append(append(out, text...), body...), nil
}

// hashSources returns a hash of sources and tags. Sources that differ in name,
// content or tags have different hashes.
func hashSources(sorted []Source, tags []string) string {
	h := sha256.New()
	for _, s := range sorted {
		hashPart(h, []byte(s.Path))
		hashPart(h, s.Content)
	}
	for _, t := range tags {
		hashPart(h, []byte(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashPart adds the length of a part before the part, so that the boundaries of parts
// affect the hash.
func hashPart(h hash.Hash, part []byte) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	h.Write(part)
}

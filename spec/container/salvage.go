package container

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Salvaged are the sources of a container of any format.
type Salvaged struct {
	Sources []Source
	Tags    []string
	// Dirs are the folders that are CUE packages, named like the sources.
	Dirs []string
	// Tool and CUE are the versions with which the container was compiled.
	Tool, CUE string
}

// Salvage reads the sources of a container with a format that Open does not support,
// so that its spec can be compiled again. Every format has the same preamble, and an
// origin in its header. Errors wrap ErrUnusable.
func Salvage(r io.ReaderAt, size int64) (*Salvaged, error) {
	out, err := salvage(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; %s", ErrUnusable, err, remedy)
	}
	return out, nil
}

// SalvageFile applies Salvage to a file.
func SalvageFile(path string) (_ *Salvaged, err error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return Salvage(f, info.Size())
}

func salvage(r io.ReaderAt, size int64) (*Salvaged, error) {
	pre, err := readPreamble(r, size)
	if err != nil {
		return nil, err
	}
	text, err := readChecked(r, preambleSize, pre.length, pre.crc)
	if err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	// unmarshal would reject the members that only other formats have.
	var h origin
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	base := preambleSize + pre.length
	out := &Salvaged{Tags: h.Tags, Dirs: h.Dirs, Tool: h.Tool, CUE: h.CUE}
	for _, s := range h.Sources {
		if !s.At.isWithin(size - base) {
			return nil, errors.New("it is truncated")
		}
		content, err := readChecked(r, base+s.At.Offset, s.At.Length, s.At.CRC)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", s.Name, err)
		}
		out.Sources = append(out.Sources, Source{Path: s.Name, Content: content})
	}
	return out, nil
}

// preamble is the content of the first bytes in every format.
type preamble struct {
	format uint32
	length int64
	crc    uint32
}

func readPreamble(r io.ReaderAt, size int64) (preamble, error) {
	var b [preambleSize]byte
	if size < preambleSize {
		return preamble{}, errors.New("it is truncated")
	}
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return preamble{}, err
	}
	if string(b[:8]) != magic {
		return preamble{}, errors.New("it is not a compiled spec")
	}
	p := preamble{
		format: binary.LittleEndian.Uint32(b[8:]),
		length: int64(binary.LittleEndian.Uint32(b[12:])),
		crc:    binary.LittleEndian.Uint32(b[16:]),
	}
	if p.length > maxHeader || preambleSize+p.length > size {
		return preamble{}, errors.New("it is truncated")
	}
	return p, nil
}

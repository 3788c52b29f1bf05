package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/startup"
)

// Ext is the file name extension of archives.
const Ext = ".tar.gz"

// The maximum sizes of the files in an archive, in bytes. A program has about 50 MB.
const (
	maxProgram = 512 << 20
	maxSpec    = 128 << 20
)

// Content is the content of an archive.
type Content struct {
	// Name is the name of the provider.
	Name string
	// Compiled is the compiled spec.
	Compiled []byte
	// Program is the SHA-256 sum of the program that serves it.
	Program [sha256.Size]byte
}

// Read reads an archive that Write has made. It refuses any other content, because Pulumi would
// unpack that, too, and the program might serve another spec than the one that Read returns.
func Read(path string) (Content, error) {
	f, err := os.Open(path)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	content, err := read(f)
	if err != nil {
		return Content{}, fmt.Errorf("%s is not an archive of `declprov package`: %w", path, err)
	}
	return content, nil
}

func read(r io.Reader) (content Content, err error) {
	decompressed, err := gzip.NewReader(r)
	if err != nil {
		return content, err
	}
	program, spec := "", "" // the names of the provider in the names of the files
	for files := tar.NewReader(decompressed); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return content, err
		}
		ofProgram, isProgram := startup.ProviderName(h.Name)
		ofSpec, isSpec := strings.CutSuffix(h.Name, startup.CompiledExt)
		isPlain := h.Typeflag == tar.TypeReg && !strings.ContainsAny(h.Name, `/\`)
		switch {
		case isPlain && isProgram && program == "":
			program = ofProgram
			sum := sha256.New()
			err = copyAtMost(sum, files, h, maxProgram)
			content.Program = [sha256.Size]byte(sum.Sum(nil))
		case isPlain && isSpec && spec == "" && ofSpec != "":
			spec = ofSpec
			var text strings.Builder
			err = copyAtMost(&text, files, h, maxSpec)
			content.Compiled = []byte(text.String())
		default:
			err = fmt.Errorf("it contains %q, in addition to the program and the compiled spec", h.Name)
		}
		if err != nil {
			return content, err
		}
	}
	switch {
	case program == "":
		return content, errors.New("it contains no program pulumi-resource-NAME")
	case spec == "":
		return content, errors.New("it contains no compiled spec NAME" + startup.CompiledExt)
	case program != spec:
		return content, fmt.Errorf("its program serves %q, and its spec is that of %q", program, spec)
	}
	content.Name = program
	return content, nil
}

// copyAtMost copies a file of an archive, if its size is at most limit.
func copyAtMost(to io.Writer, from io.Reader, h *tar.Header, limit int64) error {
	if h.Size > limit {
		return fmt.Errorf("%s has more than %d MiB", h.Name, limit>>20)
	}
	_, err := io.Copy(to, from)
	return err
}

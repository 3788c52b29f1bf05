package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
)

// Publish writes an archive for the platform of each binary into a folder, and the checksums of all archives of this version
// there. It passes the path of each file to written. Unless replace is true, it replaces no archive that has another content.
//
// Several processes may publish in one folder at the same time. If they have different specs of the same version, they do
// not all succeed.
func (p Provider) Publish(folder string, binaries []Binary, replace bool, written func(path string)) error {
	check := func() error {
		if replace {
			return nil
		}
		return p.checkUnchanged(folder, binaries)
	}
	if err := check(); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, b := range binaries {
		path, err := p.write(folder, b, replace)
		if err != nil {
			return fmt.Errorf("packaging %s for %s: %w", p.Name, b.Platform, err)
		}
		written(path)
	}
	if err := check(); err != nil { // another process may have written an archive for another platform
		return err
	}
	sums, err := p.writeChecksums(folder)
	if err != nil {
		return fmt.Errorf("packaging %s: %w", p.Name, err)
	}
	written(sums)
	return nil
}

// write writes the archive for the platform of a binary into a folder, and returns its path. A failed write leaves no archive.
func (p Provider) write(folder string, binary Binary, replace bool) (path string, err error) {
	packed, err := p.pack(binary)
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, p.FileName(binary.Platform))
	if replace {
		return path, install.WriteFile(path, packed, 0o644)
	}
	err = install.WriteNewFile(path, packed, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return path, p.checkUnchanged(folder, []Binary{binary})
	}
	return path, err
}

// writeChecksums writes the SHA-256 sums of all archives of this version in a folder, and returns the path of the file. If
// another process has written an archive in the meantime, it writes them again: that process may have written its
// checksums before.
func (p Provider) writeChecksums(folder string) (path string, err error) {
	path = filepath.Join(folder, p.prefix()+"-checksums.txt")
	sums, err := p.checksums(folder)
	for err == nil {
		if err = install.WriteFile(path, sums, 0o644); err != nil {
			break
		}
		written := sums
		if sums, err = p.checksums(folder); err == nil && bytes.Equal(sums, written) {
			return path, nil
		}
	}
	return "", err
}

// checksums returns the SHA-256 sums of all archives of this version in a folder, in the format of sha256sum.
func (p Provider) checksums(folder string) ([]byte, error) {
	names, err := p.existing(folder)
	if err != nil {
		return nil, err
	}
	var sums []byte
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		sums = fmt.Appendf(sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	return sums, nil
}

// existing returns the names of the archives of this version in a folder, in their order. It returns
// none if the folder does not exist.
func (p Provider) existing(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		platform, ok := strings.CutPrefix(e.Name(), p.prefix()+"-")
		platform, isArchive := strings.CutSuffix(platform, Ext)
		if ok && isArchive && isPlatform(platform) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// checkUnchanged returns an error if a folder has an archive of this version with another spec, or
// one of the same platform with another program. Somebody may have installed it, or recorded its
// checksum, and Pulumi never downloads the same version again.
func (p Provider) checkUnchanged(folder string, binaries []Binary) error {
	names, err := p.existing(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		old, err := Read(path)
		if err != nil {
			return fmt.Errorf("%w; to replace it, use --force", err)
		}
		if !bytes.Equal(old.Compiled, p.Compiled) {
			return fmt.Errorf("%s contains another spec of the same version: raise the version of the spec, or, if nobody has that archive, use --force", path)
		}
		for _, b := range binaries {
			if name != p.FileName(b.Platform) {
				continue
			}
			program, err := os.ReadFile(b.Path)
			if err != nil {
				return err
			}
			if sha256.Sum256(program) != old.Program {
				return fmt.Errorf("%s contains another version of declprov: raise the version of the spec, or, if nobody has that archive, use --force", path)
			}
		}
	}
	return nil
}

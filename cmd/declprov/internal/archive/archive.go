// Package archive writes the archives from which Pulumi installs plugins: a .tar.gz with the
// binary of a provider and its compiled spec. Equal inputs give equal archives, byte for byte.
package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
)

// Provider is a provider to package.
type Provider struct {
	Name, Version string
	// Compiled is the compiled spec.
	Compiled []byte
}

// prefix is the beginning of the names of all files for this version of the provider.
func (p Provider) prefix() string { return "pulumi-resource-" + p.Name + "-v" + p.Version }

// FileName returns the name of the archive for a platform. Pulumi downloads it by this name
// (pulumi/pulumi v3.259.0, sdk/go/common/workspace/plugins.go).
func (p Provider) FileName(t Platform) string {
	return p.prefix() + "-" + t.OS + "-" + t.Arch + Ext
}

// Write writes the archive for the platform of a binary into a folder, and returns its path.
// A failed write leaves no archive.
func (p Provider) Write(folder string, binary Binary) (path string, err error) {
	program, err := os.ReadFile(binary.Path)
	if err != nil {
		return "", err
	}
	name := install.Binary(p.Name)
	if binary.Platform.OS == "windows" {
		name += ".exe"
	}
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	files := tar.NewWriter(compressed)
	for _, f := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{name, 0o755, program},
		{p.Name + startup.CompiledExt, 0o644, p.Compiled},
	} {
		// Without owner and time, which would differ between machines.
		if err := files.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Format: tar.FormatUSTAR}); err != nil {
			return "", err
		}
		if _, err := files.Write(f.content); err != nil {
			return "", err
		}
	}
	if err := files.Close(); err != nil {
		return "", err
	}
	if err := compressed.Close(); err != nil {
		return "", err
	}
	path = filepath.Join(folder, p.FileName(binary.Platform))
	return path, install.WriteFile(path, packed.Bytes(), 0o644)
}

// WriteChecksums writes the SHA-256 sums of all archives of this version in a folder, in the
// format of sha256sum, and returns the path of the file.
func (p Provider) WriteChecksums(folder string) (path string, err error) {
	names, err := p.existing(folder)
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	path = filepath.Join(folder, p.prefix()+"-checksums.txt")
	return path, install.WriteFile(path, []byte(sums.String()), 0o644)
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

// CheckUnchanged returns an error if a folder has an archive of this version with another spec, or
// one of the same platform with another program. Somebody may have installed it, or recorded its
// checksum, and Pulumi never downloads the same version again.
func (p Provider) CheckUnchanged(folder string, binaries []Binary) error {
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

// isPlatform reports whether the end of a file name is OS-ARCH, of a platform on which Pulumi installs
// plugins. A prerelease such as 1.0.0-beta has archives whose names begin like those of 1.0.0.
func isPlatform(text string) bool {
	goos, arch, ok := strings.Cut(text, "-")
	return ok && slices.Contains([]string{"linux", "darwin", "windows"}, goos) && slices.Contains([]string{"amd64", "arm64"}, arch)
}

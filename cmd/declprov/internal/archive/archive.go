// Package archive writes the archives from which Pulumi installs plugins: a .tar.gz with the
// binary of a provider and its compiled spec. Equal inputs give equal archives, byte for byte.
package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
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

// pack returns the archive for the platform of a binary.
func (p Provider) pack(binary Binary) ([]byte, error) {
	program, err := os.ReadFile(binary.Path)
	if err != nil {
		return nil, err
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
			return nil, err
		}
		if _, err := files.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := files.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// isPlatform reports whether the end of a file name is OS-ARCH, of a platform on which Pulumi installs
// plugins. A prerelease such as 1.0.0-beta has archives whose names begin like those of 1.0.0.
func isPlatform(text string) bool {
	goos, arch, ok := strings.Cut(text, "-")
	return ok && slices.Contains([]string{"linux", "darwin", "windows"}, goos) && slices.Contains([]string{"amd64", "arm64"}, arch)
}

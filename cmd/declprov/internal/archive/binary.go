package archive

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

// Platform is an operating system and a processor architecture, as in GOOS and GOARCH.
type Platform struct{ OS, Arch string }

// Here is the platform of this process.
func Here() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// ParsePlatform parses OS/ARCH.
func ParsePlatform(text string) (Platform, error) {
	goos, arch, _ := strings.Cut(text, "/")
	if !isPlatform(goos + "-" + arch) {
		return Platform{}, fmt.Errorf("invalid platform %q; use OS/ARCH with linux, darwin or windows, and amd64 or arm64, such as linux/amd64", text)
	}
	return Platform{goos, arch}, nil
}

// Binary is a declprov binary that can serve providers.
type Binary struct {
	Path     string
	Platform Platform
	// tags are the build tags, separated by commas.
	tags string
	// revision is the commit that it was built from, or "" if that is not known.
	revision string
}

// OpenBinary checks that a file is a declprov binary. Its platform and commit are those that
// the Go linker recorded.
func OpenBinary(file string) (Binary, error) {
	info, err := readBuildInfo(file)
	if err != nil {
		return Binary{}, fmt.Errorf("%s is not a declprov binary: %w", file, err)
	}
	if name := path.Base(info.Path); name != "declprov" && name != "declprov-server" {
		return Binary{}, fmt.Errorf("%s is not a declprov binary, but %s", file, info.Path)
	}
	b := Binary{Path: file}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			b.Platform.OS = s.Value
		case "GOARCH":
			b.Platform.Arch = s.Value
		case "-tags":
			b.tags = s.Value
		case "vcs.revision":
			b.revision = s.Value
		}
	}
	return b, nil
}

// infoStart and infoEnd enclose the build information in each Go program, in hexadecimal digits, so
// that this program contains them once: see ModInfoData in cmd/go/internal/modload.
const infoStart, infoEnd = "3077af0c9274080241e1c107e6d618e6", "f932433186182072008242104116d8f2"

// readBuildInfo returns what the Go linker recorded in a program. Package debug/buildinfo returns
// the same, but contains readers of four formats of programs and of their debug information: 1 %
// of declprov, of which only this needs any.
func readBuildInfo(file string) (*debug.BuildInfo, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	start, _ := hex.DecodeString(infoStart)
	end, _ := hex.DecodeString(infoEnd)
	_, rest, found := bytes.Cut(content, start)
	text, _, complete := bytes.Cut(rest, end)
	if !found || !complete {
		return nil, errors.New("not a Go executable")
	}
	return debug.ParseBuildInfo(string(text))
}

// CheckRevision returns an error if two binaries were built from different commits: one may
// not be able to read the specs that the other compiles.
func (b Binary) CheckRevision(other Binary) error {
	if b.revision != "" && other.revision != "" && b.revision != other.revision {
		return fmt.Errorf("%s was built from commit %.12s, and %s from commit %.12s, so one may not be able to read what the other compiles; use binaries that were built from the same commit", b.Path, b.revision, other.Path, other.revision)
	}
	return nil
}

// CheckVariant returns an error if the binary lacks the drivers that a spec needs.
func (b Binary) CheckVariant(variant string) error {
	if variant == "" || slices.Contains(strings.Split(b.tags, ","), serving.VariantTag(variant)) {
		return nil
	}
	return fmt.Errorf("the spec uses the family %s, and %s has no drivers for it: build it with go build%s", variant, b.Path, BuildFlags(variant))
}

// BuildFlags returns the flags for building a variant, with a space before them, or "".
func BuildFlags(variant string) string {
	if variant == "" {
		return ""
	}
	return " -tags " + serving.VariantTag(variant)
}

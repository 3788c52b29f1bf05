package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/archive"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/spec/container"
)

const packageHelp = `Package writes an archive from which others install the provider, without declprov
and without the source of the spec:

  declprov package petstore.cue -o dist
  pulumi plugin install resource petstore 0.1.0 --file dist/pulumi-resource-petstore-v0.1.0-linux-amd64.tar.gz

It also writes the SHA-256 checksums of all archives of this version in the folder.
Equal specs give equal archives, byte for byte. Package does not replace an archive of
the same version that has another content: raise the version.

If the folder is published under a URL, Pulumi installs the provider from there:

  pulumi plugin install resource petstore 0.1.0 --server URL

With pluginDownloadURL: "URL" in the spec, Pulumi does so itself when a program uses
the provider.

The archive is for this platform. For others, give a declprov binary of each:

  declprov package petstore.cue -o dist --binary darwin/arm64=./declprov-darwin-arm64`

// packager is one run of the package command.
type packager struct {
	*app
	folder   string
	targets  []string
	binaries map[string]string
	force    bool
}

func packageCommand(a *app) *cobra.Command {
	p := &packager{app: a}
	cmd := &cobra.Command{
		Use:               "package SPEC",
		Short:             "Write archives from which Pulumi installs a provider",
		Long:              packageHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.writeArchives(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVarP(&p.folder, "out", "o", ".", "write the archives into this `folder`")
	cmd.Flags().StringSliceVar(&p.targets, "target", nil, "platforms to write archives for, as `os/arch` (default: this one and those of --binary)")
	cmd.Flags().StringToStringVar(&p.binaries, "binary", nil, "the declprov binary of another platform, as `os/arch=path` (repeatable)")
	cmd.Flags().BoolVar(&p.force, "force", false, "replace archives of the same version that have another content")
	a.addTagFlag(cmd)
	return cmd
}

func (p *packager) writeArchives(ctx context.Context, path string) error {
	compiled, err := p.vetSpec(ctx, path) // reports diagnostics with paths as the user wrote them
	if err != nil {
		return err
	}
	if path != "-" {
		if compiled, err = p.compileInFolder(ctx, path); err != nil {
			return err
		}
	}
	c, err := container.OpenBytes(compiled)
	if err != nil {
		return err
	}
	described, err := c.Provider()
	if err != nil {
		return err
	}
	binaries, err := p.targetBinaries(builtin.Variant(described))
	if err != nil {
		return err
	}
	provider := archive.Provider{Name: described.Name, Version: described.Version, Compiled: compiled}
	if err := provider.Publish(p.folder, binaries, p.force, func(path string) { fmt.Fprintln(p.out, path) }); err != nil {
		return failedError{err}
	}
	return nil
}

// compileInFolder compiles a spec with its folder as the base of all paths. The compiled form
// contains the paths of the sources, for messages. So it does not depend on the location of the
// folder.
func (p *packager) compileInFolder(ctx context.Context, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	spec := p.specOf(path)
	spec.Dir, spec.Path = path, "."
	if !info.IsDir() {
		spec.Dir, spec.Path = filepath.Split(path)
		spec.Dir = cmp.Or(spec.Dir, ".")
	}
	b := p.builder()
	b.Tool = cmp.Or(version, "devel") // without the time of this binary
	built, err := b.Evaluate(ctx, spec)
	if err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, failedError{fmt.Errorf("%s was changed while it was packaged: run package again", path)}
	}
	return built.Container, nil
}

// targetBinaries returns the binary of each platform that an archive is written for.
func (p *packager) targetBinaries(variant string) ([]archive.Binary, error) {
	executable, _, err := install.Executable(variant)
	if err != nil {
		return nil, failedError{err}
	}
	own := archive.Binary{Path: executable, Platform: archive.Here()}
	if read, err := archive.OpenBinary(executable); err == nil {
		own = read
	}
	given := map[archive.Platform]archive.Binary{own.Platform: own}
	platforms := []archive.Platform{}
	if len(p.targets) == 0 {
		platforms = append(platforms, own.Platform)
	}
	var mistakes []error
	for _, text := range p.targets {
		platform, err := archive.ParsePlatform(text)
		mistakes = append(mistakes, err)
		platforms = append(platforms, platform)
	}
	for _, text := range slices.Sorted(maps.Keys(p.binaries)) {
		b, err := givenBinary(text, p.binaries[text], own, variant)
		mistakes = append(mistakes, err)
		if given[b.Platform] = b; len(p.targets) == 0 && b.Platform != own.Platform {
			platforms = append(platforms, b.Platform)
		}
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, usageError{err}
	}
	var out []archive.Binary
	for _, platform := range platforms {
		b, ok := given[platform]
		if !ok {
			return nil, usagef("there is no binary for %s: add --binary %s=PATH; to build one: GOOS=%s GOARCH=%s go build%s ./cmd/declprov/%s",
				platform, platform, platform.OS, platform.Arch, archive.BuildFlags(variant), install.Server)
		}
		out = append(out, b)
	}
	return out, nil
}

// givenBinary returns the binary of a --binary flag. own is the binary that compiles the
// spec, and variant the one that the spec needs.
func givenBinary(platform, path string, own archive.Binary, variant string) (archive.Binary, error) {
	p, err := archive.ParsePlatform(platform)
	if err != nil {
		return archive.Binary{}, err
	}
	b, err := archive.OpenBinary(path)
	switch {
	case err != nil:
		return b, err
	case b.Platform != p:
		return b, fmt.Errorf("%s is a binary for %s, not for %s", path, b.Platform, strings.TrimSpace(platform))
	}
	if err := b.CheckVariant(variant); err != nil {
		return b, err
	}
	return b, b.CheckRevision(own)
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver"

	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/container"
)

// askForGrants prints what a spec may do. Where it asks for more than the version that is
// installed, it prints the difference, and goes on only where that is agreed to.
func (i *installation) askForGrants(ctx context.Context, compiled []byte, p install.Provider) error {
	c, err := container.OpenBytes(compiled)
	if err != nil {
		return err
	}
	now, err := grantsOf(c)
	if err != nil {
		return err
	}
	if err := writeGrants(i.out, now.about, now.grants); err != nil {
		return err
	}
	fmt.Fprintln(i.out)
	path, err := installedBefore(p, i.o.dir)
	if err != nil {
		return failed{err}
	}
	if path == "" {
		return nil
	}
	before, err := i.installedGrants(ctx, path)
	if err != nil {
		// What cannot be read allows nothing, as far as is known.
		fmt.Fprintf(i.err, "declprov: what the installed spec may do cannot be read: %s\n", err)
		before = granted{}
		before.about.Name = path
	}
	d := differenceOf(before, now)
	if len(d.More) == 0 {
		return nil
	}
	if err := writeDifference(i.out, d); err != nil {
		return err
	}
	fmt.Fprintln(i.out)
	return i.confirmed(d)
}

// confirmed asks the person at the terminal, and refuses where there is none.
func (i *installation) confirmed(d difference) error {
	switch {
	case i.o.yes:
		return nil
	case !terminal.Is(i.in) || !terminal.Is(i.out):
		return failed{fmt.Errorf("%s is not installed: it asks for more than %s, and nobody is at a terminal to be asked. Read the difference, and agree to it with --yes", d.New, d.Old)}
	}
	fmt.Fprintf(i.out, "Install %s all the same? [y/N] ", d.New)
	line := bufio.NewScanner(i.in)
	line.Scan()
	if answer := strings.ToLower(strings.TrimSpace(line.Text())); answer != "y" && answer != "yes" {
		return failed{errors.New("nothing is installed, and what was there stays")}
	}
	return nil
}

// installedBefore is the spec that is installed and that a new one is compared with:
// that of the same version, which it replaces; else of the newest version. In a folder
// it is the one there. It is "" where there is none.
func installedBefore(p install.Provider, dir string) (path string, err error) {
	if dir != "" {
		for _, spec := range install.Specs(dir, p.Name) {
			return spec, nil
		}
		return "", nil
	}
	plugins, err := install.Plugins()
	if err != nil {
		return "", err
	}
	folders := install.Folders(plugins, p.Name)
	if len(folders) == 0 {
		return "", nil
	}
	version := func(folder string) semver.Version {
		_, text, _ := strings.Cut(filepath.Base(folder), p.Name+"-v")
		v, _ := semver.Parse(text)
		return v
	}
	newest := slices.MaxFunc(folders, func(x, y string) int { return version(x).Compare(version(y)) })
	for _, folder := range folders {
		if filepath.Base(folder) == install.Folder(p.Name, p.Version) {
			newest = folder
		}
	}
	return door.SpecIn(newest, p.Name)
}

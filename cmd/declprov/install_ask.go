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

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/container"
)

// askForGrants prints what a spec may do. If the spec requires more permissions than the
// installed version, it prints the difference and asks for confirmation.
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
	path, err := previousSpec(p, i.o.dir)
	if err != nil {
		return failedError{err}
	}
	if path == "" {
		return nil
	}
	before, err := i.installedGrants(ctx, path)
	if err != nil {
		// A spec that cannot be read counts as one without permissions.
		fmt.Fprintf(i.err, "declprov: cannot read the permissions of the installed spec: %s\n", err)
		before = specGrants{}
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
	return i.confirm(d)
}

// confirm asks for confirmation at the terminal. Without a terminal, it returns an error.
func (i *installation) confirm(d difference) error {
	switch {
	case i.o.yes:
		return nil
	case !terminal.IsTerminal(i.in) || !terminal.IsTerminal(i.out):
		return failedError{fmt.Errorf("%s is not installed: it requires more permissions than %s, and there is no terminal to ask for confirmation. Read the difference, and accept it with --yes", d.New, d.Old)}
	}
	fmt.Fprintf(i.out, "Install %s? [y/N] ", d.New)
	line := bufio.NewScanner(i.in)
	line.Scan()
	if answer := strings.ToLower(strings.TrimSpace(line.Text())); answer != "y" && answer != "yes" {
		return failedError{errors.New("nothing was installed or changed")}
	}
	return nil
}

// previousSpec returns the path of the installed spec to compare a new one with: the
// spec of the same version, or else of the newest version. With dir, it is the spec in
// that folder. The path is "" if no spec is installed.
func previousSpec(p install.Provider, dir string) (path string, err error) {
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
	return startup.SpecIn(newest, p.Name)
}

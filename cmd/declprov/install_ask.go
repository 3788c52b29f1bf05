package main

import (
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
)

// askForGrants describes what specs may do. If some require more permissions than their installed
// versions, it prints that with the differences, and asks once for confirmation. Otherwise it
// returns what to print after the installation: a reader that stops early, such as head, ends this
// process, and must not prevent what needs no answer.
func (i *installation) askForGrants(ctx context.Context, all []prepared) (about string, err error) {
	var text strings.Builder
	var more []difference
	for _, p := range all {
		now, err := grantsOf(p.compiled)
		if err != nil {
			return "", err
		}
		if err := writeGrants(&text, now.about, now.grants); err != nil {
			return "", err
		}
		text.WriteByte('\n')
		before, installed, err := i.previousGrants(ctx, p.Provider)
		if err != nil {
			return "", err
		}
		if d := differenceOf(before, now); installed && len(d.More) > 0 {
			more = append(more, d)
		}
	}
	for _, d := range more {
		if err := writeDifference(&text, d); err != nil {
			return "", err
		}
		text.WriteByte('\n')
	}
	if len(more) == 0 || i.o.yes {
		return text.String(), nil
	}
	if _, err := fmt.Fprint(i.out, &text); err != nil {
		return "", err
	}
	return "", i.confirm(more, all)
}

// previousGrants returns the permissions of the installed version of a provider, if there is one.
func (i *installation) previousGrants(ctx context.Context, p install.Provider) (before specGrants, installed bool, err error) {
	path, err := previousSpec(p, i.o.dir)
	if err != nil {
		return before, false, failedError{err}
	}
	if path == "" {
		return before, false, nil
	}
	if before, err = installedGrants(ctx, i.app, path); err != nil {
		// A spec that cannot be read counts as one without permissions.
		fmt.Fprintf(i.err, "declprov: cannot read the permissions of the installed spec: %s\n", err)
		before = specGrants{}
		before.about.Name = path
	}
	return before, true, nil
}

// confirm asks for confirmation at the terminal. Without a terminal, it returns an error.
func (i *installation) confirm(more []difference, all []prepared) error {
	var require, titles []string
	for _, d := range more {
		require = append(require, fmt.Sprintf("%s requires more permissions than %s", d.New, d.Old))
	}
	for _, p := range all {
		titles = append(titles, p.Name+" "+p.Version)
	}
	if !terminal.IsTerminal(i.in) || !terminal.IsTerminal(i.out) {
		return failedError{fmt.Errorf("nothing was installed: %s, and there is no terminal to ask for confirmation. Read the difference, and accept it with --yes", strings.Join(require, "; "))}
	}
	if !i.confirms(fmt.Sprintf("Install %s?", strings.Join(titles, ", "))) {
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

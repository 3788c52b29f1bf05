package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Remove removes a plugin from Pulumi's plugins: the given version, or all versions if
// version is "". It only removes plugins that declprov installed. It returns the folders
// that it removed.
func Remove(plugins string, kind Kind, name, version string) (removed []string, err error) {
	if !names.MatchString(name) {
		return nil, fmt.Errorf("%q is not the name of a provider", name)
	}
	entries, err := os.ReadDir(plugins)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, e := range entries {
		of, ok := strings.CutPrefix(e.Name(), kind.folder(name, ""))
		folder := filepath.Join(plugins, e.Name())
		if !ok || !versions.MatchString(of) || version != "" && of != version || !isInstalledByDeclprov(folder, kind, name) {
			continue
		}
		if err := removePlugin(folder); err != nil {
			return removed, fmt.Errorf("removing %s: %w", name, err)
		}
		removed = append(removed, folder)
	}
	if len(removed) == 0 {
		if version != "" {
			return nil, fmt.Errorf("declprov has not installed version %s of the %s %q in %s", version, kind.noun(), name, plugins)
		}
		return nil, fmt.Errorf("declprov has not installed the %s %q in %s", kind.noun(), name, plugins)
	}
	return removed, nil
}

// RemoveFrom removes the binary of a provider from a folder. It keeps the spec, which may
// be the only copy.
func RemoveFrom(folder, name string) (removed []string, err error) {
	if !names.MatchString(name) {
		return nil, fmt.Errorf("%q is not the name of a provider", name)
	}
	binary := filepath.Join(folder, Binary(name))
	if err := os.Remove(binary); err != nil {
		return nil, fmt.Errorf("removing %s: %w", name, err)
	}
	return []string{binary}, nil
}

// Folders returns the folders of the installed versions of a provider.
func Folders(plugins, name string) []string {
	return slices.DeleteFunc(versionsOf(plugins, Resource, name), func(folder string) bool { return !isInstalledByDeclprov(folder, Resource, name) })
}

// versionsOf returns the folders of the installed versions of a plugin, whoever installed them.
func versionsOf(plugins string, kind Kind, name string) []string {
	var found []string
	entries, _ := os.ReadDir(plugins)
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), kind.folder(name, ""))
		if folder := filepath.Join(plugins, e.Name()); ok && versions.MatchString(version) && !isIncomplete(folder) {
			found = append(found, folder)
		}
	}
	return found
}

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Remove takes a provider out of Pulumi's plugins again: the given version, or
// all where version is "". It returns the folders that are gone. What declprov
// did not install it leaves alone.
func Remove(plugins, name, version string) (removed []string, err error) {
	if !names.MatchString(name) {
		return nil, fmt.Errorf("%q is not a provider's name", name)
	}
	entries, err := os.ReadDir(plugins)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, e := range entries {
		of, ok := strings.CutPrefix(e.Name(), Folder(name, ""))
		folder := filepath.Join(plugins, e.Name())
		if !ok || !versions.MatchString(of) || version != "" && of != version || !isOurs(folder, name) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return removed, fmt.Errorf("removing %s: %w", name, err)
		}
		removed = append(removed, folder)
	}
	if len(removed) == 0 {
		if version != "" {
			return nil, fmt.Errorf("version %s of the provider %q is not installed by declprov in %s", version, name, plugins)
		}
		return nil, fmt.Errorf("the provider %q is not installed by declprov in %s", name, plugins)
	}
	return removed, nil
}

// RemoveFrom takes the binary of a provider out of a folder. The spec stays: it
// may be the only one there is.
func RemoveFrom(folder, name string) (removed []string, err error) {
	if !names.MatchString(name) {
		return nil, fmt.Errorf("%q is not a provider's name", name)
	}
	binary := filepath.Join(folder, Binary(name))
	if err := os.Remove(binary); err != nil {
		return nil, fmt.Errorf("removing %s: %w", name, err)
	}
	return []string{binary}, nil
}

// Folders are those of the installed versions of a provider.
func Folders(plugins, name string) []string {
	var found []string
	entries, _ := os.ReadDir(plugins)
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), Folder(name, ""))
		folder := filepath.Join(plugins, e.Name())
		if ok && versions.MatchString(version) && isOurs(folder, name) {
			found = append(found, folder)
		}
	}
	return found
}

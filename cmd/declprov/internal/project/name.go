package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// checkName returns an error if the Pulumi.yaml of the program refers to the provider in a folder by
// another name than its own. Pulumi would then look for a plugin with the other name on the internet,
// and run what it finds there. The Pulumi.yaml is in a folder above the provider's; or, if Pulumi has
// cloned the provider from a Git repository, in the working directory or above.
func checkName(dir, workingDir, name string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	err = checkPackages(filepath.Dir(dir), name, func(above, source string) bool { return filepath.Join(above, source) == dir })
	if clone := cloneOf(dir); err == nil && clone != "" {
		err = checkPackages(workingDir, name, func(_, source string) bool { return cloneName(source) == clone })
	}
	return err
}

// checkPackages checks the first Pulumi.yaml in a folder or above it. isThis reports whether a source of
// a package, in the Pulumi.yaml of a folder, is the provider.
func checkPackages(dir, name string, isThis func(dir, source string) bool) error {
	for ; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, "Pulumi.yaml")
		text, err := os.ReadFile(file)
		if err != nil && dir != filepath.Dir(dir) {
			continue
		}
		for key, source := range packageSources(text) {
			if key != name && isThis(dir, source) {
				return fmt.Errorf("%s refers to the provider %q as the package %q: under `packages`, write `%s: %s`", file, name, key, name, source)
			}
		}
		return nil
	}
}

// cloneOf returns the part of the name of a plugin's folder that tells the repository which Pulumi has
// cloned there, and the folder in it, in the form of cloneName; or "" if a folder is in no plugin.
func cloneOf(dir string) string {
	for _, part := range slices.Backward(strings.Split(filepath.ToSlash(dir), "/")) {
		if name, ok := strings.CutPrefix(part, "resource-"); ok {
			if end := strings.LastIndex(name, "-v"); end > 0 {
				return cloneName(name[:end])
			}
		}
	}
	return ""
}

// cloneName returns the name under which Pulumi stores the clone of a Git repository, without ".git",
// which may be omitted in a source (pulumi/pulumi v3.259.0, sdk/go/common/workspace/plugins.go, LocalName).
func cloneName(source string) string {
	if scheme, rest, ok := strings.Cut(source, "://"); ok && (scheme == "https" || scheme == "git") {
		source = rest
	}
	source, _, _ = strings.Cut(source, "@")
	return strings.Replace(strings.ReplaceAll(source, "/", "_")+"_", ".git_", "_", 1)
}

// packageSources returns the sources of `packages` in a Pulumi.yaml, by package. It returns
// none for a text that Pulumi does not accept either.
func packageSources(text []byte) map[string]string {
	var project struct{ Packages map[string]any }
	if yaml.Unmarshal(text, &project) != nil {
		return nil
	}
	sources := map[string]string{}
	for key, source := range project.Packages {
		if options, ok := source.(map[string]any); ok {
			source = options["source"]
		}
		if path, ok := source.(string); ok {
			sources[key] = path
		}
	}
	return sources
}

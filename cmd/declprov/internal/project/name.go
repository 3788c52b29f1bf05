package project

import (
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// checkName returns an error if the Pulumi.yaml of the program, in a folder above the
// provider's, refers to the provider by another name than its own. Pulumi would then look for a
// plugin with the provider's name on the internet, and run what it finds there.
func checkName(dir, name string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		file := filepath.Join(above, "Pulumi.yaml")
		text, err := os.ReadFile(file)
		if err != nil && above != filepath.Dir(above) {
			continue
		}
		for key, source := range packageFolders(text) {
			if key != name && filepath.Join(above, source) == dir {
				return fmt.Errorf("%s refers to the provider %q as the package %q: under `packages`, write `%s: %s`", file, name, key, name, source)
			}
		}
		return nil
	}
}

// packageFolders returns the sources of `packages` in a Pulumi.yaml, by package. It returns
// none for a text that Pulumi does not accept either.
func packageFolders(text []byte) map[string]string {
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

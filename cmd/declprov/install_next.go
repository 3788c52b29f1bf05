package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/engine/pulumi/language"
)

// printInstalled prints what is still to say about providers, where they were installed, and what to
// type next in a program of each language.
func (i *installation) printInstalled(about string, all []prepared) error {
	var text, examples strings.Builder
	text.WriteString(about)
	for _, p := range all {
		fmt.Fprintf(&text, "Installed %s %s in %s\n", p.Name, p.Version, p.folder)
		example, err := exampleOf(p.Name, p.compiled)
		if err != nil {
			return err
		}
		examples.WriteString(example)
	}
	if i.o.dir != "" {
		text.WriteString("\nAdd this to Pulumi.yaml (the path is relative to that file):\n\nplugins:\n  providers:\n")
		for _, p := range all {
			fmt.Fprintf(&text, "    - name: %s\n      path: %s\n", p.Name, shownFolder(p.folder))
		}
	}
	text.WriteString("\nTypeScript, Python, Go: generate the SDK, in the folder of the program:\n\n")
	for _, p := range all {
		source := p.Name + "@" + p.Version
		if i.o.dir != "" {
			source = shownFolder(p.folder) + "/" + install.Binary(p.Name)
		}
		fmt.Fprintf(&text, "  pulumi package add %s\n", source)
	}
	if examples.Len() > 0 {
		fmt.Fprintf(&text, "\nYAML: no SDK is required:\n\nresources:\n%s", &examples)
	}
	_, err := fmt.Fprint(i.out, &text)
	return err
}

// shownFolder returns a folder as Pulumi.yaml and the arguments of Pulumi require it.
func shownFolder(dir string) string {
	shown := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) && !strings.HasPrefix(shown, ".") {
		return "./" + shown
	}
	return shown
}

// installRuntime installs the language host.
func (i *installation) installRuntime() error {
	p := install.Provider{Kind: install.Language, Name: language.Runtime, Version: serving.PluginVersion}
	folder, err := i.installSelf(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.out, `Installed the runtime %s in %s

It runs a provider from a folder with a spec and this PulumiPlugin.yaml:

runtime: declprov

Add the folder to a program in any language:

  pulumi package add ./petstore

Or write it into Pulumi.yaml, and run pulumi install:

packages:
  petstore: ./petstore
`, p.Name, folder)
	return err
}

// installBase installs the base plugin.
func (i *installation) installBase() error {
	p := install.Provider{Name: serving.BaseName, Version: serving.PluginVersion}
	folder, err := i.installSelf(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.out, `Installed the plugin %s in %s

It has the permissions of the spec that it is used with: see declprov permissions SPEC.

Add a spec to a program in any language:

  pulumi package add %s ./SPEC.cue
`, p.Name, folder, p.Name)
	return err
}

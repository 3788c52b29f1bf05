// Package starter writes the first files of a provider: a spec, a program that uses it, and
// a README that says what to type.
package starter

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/project"
	"github.com/declprov/declprov/spec/load/editor"
	"github.com/declprov/declprov/spec/load/layout"
)

// templates has a folder for each template. Its files are those of a provider with the name
// "starter", so that tools and tests read them as they are.
//
//go:embed templates
var templates embed.FS

// Templates returns the names of the templates. The first one is the default.
func Templates() []string { return []string{"rest", "files", "command", "component"} }

// Provider is a provider to be.
type Provider struct {
	// Name is valid for a provider.
	Name string
	// Template is one of Templates.
	Template string
	// YAML means that the spec is written in YAML, and not in CUE.
	YAML bool
	// Generated is what was made from a document. The template is OpenAPI then.
	Generated *Generated
}

// OpenAPI is the template of what was made from a document.
const OpenAPI = "openapi"

// Generated is a spec that was not written by a person.
type Generated struct {
	// Spec is the text of the spec.
	Spec []byte
	// Resources are the names of its resources.
	Resources []string
	// Example is an entry of the resources in a program in YAML, or "".
	Example string
}

// File is a file to write. Path is relative to the folder of the provider, with slashes.
type File struct {
	Path string
	Text []byte
}

// Spec returns the name of the file of the spec.
func (p Provider) Spec() string { return p.Name + p.extension() }

func (p Provider) extension() string {
	if p.YAML {
		return ".yaml"
	}
	return ".cue"
}

// Files returns the files of the provider, with those for editors.
func (p Provider) Files() ([]File, error) {
	files, err := p.fromTemplate()
	if err != nil {
		return nil, err
	}
	forEditors, err := p.forEditors()
	return append(files, forEditors...), err
}

func (p Provider) fromTemplate() ([]File, error) {
	from := map[string]string{p.Spec(): "spec" + p.extension(), "Pulumi.yaml": "Pulumi.yaml", "README.md": "README.md"}
	paths := []string{p.Spec(), "Pulumi.yaml", "README.md"}
	if p.Template == "command" {
		// The spec changes settings in a file that the application has.
		from["settings/app.ini"] = "app.ini"
		paths = append(paths, "settings/app.ini")
	}
	var files []File
	for _, path := range paths {
		text, err := p.textOf(path, from[path])
		if err != nil {
			return nil, err
		}
		if path == p.Spec() && p.YAML {
			text = editor.Modeline(p.schema()) + "\n\n" + text
		}
		files = append(files, File{Path: path, Text: []byte(text)})
	}
	return files, nil
}

// textOf returns the text of a file: that of its template, or what was made from a document.
func (p Provider) textOf(path, from string) (string, error) {
	g := p.Generated
	if g != nil && path == p.Spec() {
		return string(g.Spec), nil
	}
	text, err := templates.ReadFile("templates/" + p.Template + "/" + from)
	if err != nil {
		return "", fmt.Errorf("reading a template of declprov: %w", err)
	}
	out := p.rename(string(text))
	switch {
	case g != nil && path == "Pulumi.yaml" && g.Example == "":
		out = strings.Replace(out, "resources:\n", "resources: {}\n", 1)
	case g != nil && path == "Pulumi.yaml":
		out += g.Example
	case g != nil && path == "editor.cue":
		for _, name := range g.Resources {
			out += "resources: " + name + ": spec.#Resource\n"
		}
		formatted, err := layout.CUE([]byte(out))
		return string(formatted), err
	}
	return out, nil
}

// schema returns the name of the file with the JSON Schema of specs.
func (p Provider) schema() string { return p.Name + project.SchemaExtension }

// forEditors returns the files that editors read: the JSON Schema for a spec in YAML, and CUE
// definitions for one in CUE.
func (p Provider) forEditors() ([]File, error) {
	if p.YAML {
		schema, err := Actions().JSONSchema()
		return []File{{Path: p.schema(), Text: schema}}, err
	}
	definitions, err := Actions().CUE()
	if err != nil {
		return nil, err
	}
	use, err := p.textOf("editor.cue", "editor.cue")
	if err != nil {
		return nil, err
	}
	return []File{
		{Path: "editor.cue", Text: []byte(use)},
		{Path: "cue.mod/module.cue", Text: []byte(p.rename(editor.Module("starter")))},
		{Path: editor.DefinitionsPath, Text: definitions},
	}, nil
}

// rename replaces the name of the templates by that of the provider.
func (p Provider) rename(text string) string {
	identifier := strings.ReplaceAll(p.Name, "-", "_")
	return strings.NewReplacer(
		"package starter", "package "+identifier, "STARTER_", strings.ToUpper(identifier)+"_",
		"starter.cue", p.Spec(), "starter", p.Name,
	).Replace(text)
}

// ErrExists is the error of Write if a file exists.
var ErrExists = errors.New("exists already, and init overwrites nothing")

// Write writes files into a folder, and makes the folders that are missing. If one of the
// files exists, it writes none of them.
func Write(dir string, files []File) (err error) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s %w", path, ErrExists)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var written []string
	defer func() {
		if err == nil {
			return
		}
		for _, path := range written {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeNew(path, f.Text); err != nil {
			return err
		}
		written = append(written, path)
	}
	return nil
}

// writeNew writes a file that must not exist: another process may have made it since the
// check.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	return f.Close()
}

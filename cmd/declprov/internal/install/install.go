// Package install puts a provider where a host finds it: this binary under the
// provider's name, and the spec beside it.
package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/declprov/declprov/cmd/declprov/internal/door"
)

// Provider is what is installed.
type Provider struct {
	Name, Version string
	// Executable is this binary.
	Executable string
	// SpecName is the name of the file beside it, Spec what is in it; "" is none,
	// for the base plugin.
	SpecName string
	Spec     []byte
}

var (
	// names are those that Pulumi finds plugins by
	// (sdk/go/common/workspace/plugins.go), and no path.
	names    = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9._-]*$`)
	versions = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)
)

func (p Provider) check() error {
	if !names.MatchString(p.Name) {
		return fmt.Errorf("a provider cannot be installed as %q: a name has letters, digits and dashes, and begins with a letter", p.Name)
	}
	if !versions.MatchString(p.Version) {
		return fmt.Errorf("a provider cannot be installed with version %q: give the spec one such as 0.1.0", p.Version)
	}
	return nil
}

// Binary is the file name of a provider's plugin.
func Binary(name string) string { return "pulumi-resource-" + name }

// Folder is the name of a plugin's folder.
func Folder(name, version string) string { return "resource-" + name + "-v" + version }

// Plugins is the folder that Pulumi looks for plugins in: that of $PULUMI_HOME,
// or of ~/.pulumi.
func Plugins() (string, error) {
	home := os.Getenv("PULUMI_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("where Pulumi keeps its plugins is not known: %w; set PULUMI_HOME, or use --dir", err)
		}
		home = filepath.Join(user, ".pulumi")
	}
	home, err := filepath.Abs(home)
	return filepath.Join(home, "plugins"), err
}

// ErrForeign says that something else than declprov installed what is there.
var ErrForeign = errors.New("declprov did not install it")

// IntoPlugins installs a provider for all programs of this user, and returns
// its folder. What is there of the same name and version is exchanged as a
// whole; unless force, only if declprov put it there.
func IntoPlugins(plugins string, p Provider, force bool) (folder string, err error) {
	if err := p.check(); err != nil {
		return "", err
	}
	folder = filepath.Join(plugins, Folder(p.Name, p.Version))
	if _, err := os.Lstat(folder); err == nil && !force && p.SpecName != "" && !isOurs(folder, p.Name) {
		return "", fmt.Errorf("%s is a plugin already, and %w: give the provider another name or version, or use --force", folder, ErrForeign)
	}
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	staged, err := os.MkdirTemp(plugins, ".declprov-*")
	if err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	defer os.RemoveAll(staged)
	if err := os.Chmod(staged, 0o755); err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	if err := place(staged, p); err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	if err := exchange(staged, folder); err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	return folder, nil
}

// IntoFolder installs a provider for the programs that name the folder.
func IntoFolder(folder string, p Provider) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("installing %s: %w", p.Name, err)
	}
	for _, stale := range Specs(folder, p.Name) {
		if filepath.Base(stale) != p.SpecName {
			return fmt.Errorf("installing %s: %s is there already, and a provider has one spec: remove it first", p.Name, stale)
		}
	}
	if err := place(folder, p); err != nil {
		return fmt.Errorf("installing %s: %w", p.Name, err)
	}
	return nil
}

// place writes the two files of a provider.
func place(folder string, p Provider) error {
	if p.SpecName != "" {
		if err := WriteFile(filepath.Join(folder, p.SpecName), p.Spec, 0o644); err != nil {
			return err
		}
	}
	return linkOrCopy(p.Executable, filepath.Join(folder, Binary(p.Name)))
}

// Specs are the files in a folder that a provider's spec may be.
func Specs(folder, name string) []string {
	var found []string
	for _, ext := range []string{".cue", ".yaml", ".yml", ".json", door.CompiledExt} {
		path := filepath.Join(folder, name+ext)
		if _, err := os.Lstat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// isOurs reports whether a folder looks as IntoPlugins leaves it.
func isOurs(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, Binary(name)))
	return err == nil && len(Specs(folder, name)) > 0
}

// linkOrCopy gives a file a second name, or where the file system cannot, a
// copy. The name changes hands at once.
func linkOrCopy(from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return nil
		}
	}
	temp, err := os.MkdirTemp(filepath.Dir(to), ".declprov-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	staged := filepath.Join(temp, "binary")
	if err := os.Link(from, staged); err != nil {
		if err := copyFile(from, staged); err != nil {
			return err
		}
	}
	return os.Rename(staged, to)
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// WriteFile writes a file in one step: who reads it finds the old content or
// the new.
func WriteFile(path string, content []byte, mode os.FileMode) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".declprov-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreGone(os.Remove(temp.Name())))
		}
	}()
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

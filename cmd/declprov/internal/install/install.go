// Package install installs providers where Pulumi finds them: a binary with the name of
// the provider, and the spec in the same folder.
package install

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/startup"
)

// Kind is the kind of a plugin. It is part of the names of the binary and its folder.
type Kind string

const (
	Resource Kind = "resource" // a provider
	Language Kind = "language" // a language host
)

// Provider is a provider to install, or the language host that runs providers.
type Provider struct {
	Kind          Kind // "" is Resource
	Name, Version string
	// Executable is the path of the binary.
	Executable string
	// Evaluator is the path of declprov, which evaluates specs for the binary; "" if the
	// binary needs none.
	Evaluator string
	// SpecName is the file name of the spec, and Spec its content. The base plugin
	// and the language host have no spec, and the name is "".
	SpecName string
	Spec     []byte
}

var (
	// names matches plugin names that Pulumi accepts
	// (sdk/go/common/workspace/plugins.go). They contain no path separators.
	names    = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9._-]*$`)
	versions = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)
)

func (p Provider) check() error {
	if !names.MatchString(p.Name) {
		return fmt.Errorf("cannot install a provider with the name %q: use letters, digits and hyphens, and begin with a letter", p.Name)
	}
	if !versions.MatchString(p.Version) {
		return fmt.Errorf("cannot install a provider with version %q: set the version of the spec to one such as 0.1.0", p.Version)
	}
	return nil
}

// Binary returns the file name of a provider's plugin.
func Binary(name string) string { return Resource.binary(name) }

// Folder returns the name of the folder of a provider's plugin.
func Folder(name, version string) string { return Resource.folder(name, version) }

// noun returns the name of the kind in messages.
func (k Kind) noun() string {
	if k == Language {
		return "runtime"
	}
	return "provider"
}

func (k Kind) binary(name string) string { return "pulumi-" + string(k) + "-" + name }

func (k Kind) folder(name, version string) string { return string(k) + "-" + name + "-v" + version }

// Plugins returns the folder of Pulumi's plugins, in $PULUMI_HOME or ~/.pulumi.
//
// Like Pulumi, it takes the home from the user database, not from $HOME: the two differ in
// containers of CI services, for example, and a plugin below $HOME would not be found.
func Plugins() (string, error) {
	home := os.Getenv("PULUMI_HOME")
	if home == "" {
		me, err := user.Current()
		if err == nil && me.HomeDir == "" {
			err = errors.New("the user has no home")
		}
		if err != nil {
			return "", fmt.Errorf("cannot determine the folder of Pulumi's plugins: %w; set PULUMI_HOME, or use --dir", err)
		}
		home = filepath.Join(me.HomeDir, ".pulumi")
	}
	home, err := filepath.Abs(home)
	return filepath.Join(home, "plugins"), err
}

// ErrForeign reports a plugin that declprov did not install.
var ErrForeign = errors.New("declprov did not install it")

// CheckPlugins returns an error if IntoPlugins refuses a provider.
func CheckPlugins(plugins string, p Provider, force bool) error {
	if err := p.check(); err != nil {
		return err
	}
	folder := p.folder(plugins)
	if _, err := os.Lstat(folder); err == nil && !force && !isIncomplete(folder) && !isInstalledByDeclprov(folder, cmp.Or(p.Kind, Resource), p.Name) {
		return fmt.Errorf("the plugin %s exists, and %w: change the name or version of the provider, or use --force", folder, ErrForeign)
	}
	if !force {
		return checkNamesake(plugins, p)
	}
	return nil
}

// checkNamesake returns an error if the plugins contain another program's provider of the same
// name. A program that names no version would run the newest of both: a spec of the name "aws"
// would receive the credentials of all programs that use AWS.
func checkNamesake(plugins string, p Provider) error {
	kind := cmp.Or(p.Kind, Resource)
	for _, folder := range versionsOf(plugins, kind, p.Name) {
		if _, err := os.Lstat(filepath.Join(folder, kind.binary(p.Name))); err == nil && !isInstalledByDeclprov(folder, kind, p.Name) {
			return fmt.Errorf("the plugin %s exists, and %w: programs that name no version would use the newer one of it and this. "+
				"Change the name of the provider, or use --force if it is to replace that plugin", folder, ErrForeign)
		}
	}
	return nil
}

// folder returns the folder of a provider among the plugins.
func (p Provider) folder(plugins string) string {
	return filepath.Join(plugins, cmp.Or(p.Kind, Resource).folder(p.Name, p.Version))
}

// IntoPlugins installs a provider for all programs of this user, and returns its folder.
// It replaces a plugin with the same name and version as a whole. Without force, it only
// does so if declprov installed that plugin, or a download of Pulumi left a part of it.
func IntoPlugins(plugins string, p Provider, force bool) (folder string, err error) {
	if err := CheckPlugins(plugins, p, force); err != nil {
		return "", err
	}
	folder = p.folder(plugins)
	if err := replacePlugin(folder, p); err != nil {
		return "", fmt.Errorf("installing %s: %w", p.Name, err)
	}
	return folder, nil
}

// replacePlugin writes a provider into a new folder, which then replaces the folder of the plugin.
func replacePlugin(folder string, p Provider) error {
	plugins := filepath.Dir(folder)
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		return err
	}
	staged, err := os.MkdirTemp(plugins, ".declprov-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	if err := os.Chmod(staged, 0o755); err != nil {
		return err
	}
	if err := writeFiles(staged, p); err != nil {
		return err
	}
	unlock, err := lockPlugin(folder)
	if err != nil {
		return err
	}
	defer unlock()
	if err := exchange(staged, folder); err != nil {
		return err
	}
	return markComplete(folder)
}

// CheckFolder returns an error if IntoFolder refuses a provider.
func CheckFolder(folder string, p Provider) error {
	if err := p.check(); err != nil {
		return err
	}
	for _, stale := range Specs(folder, p.Name) {
		if filepath.Base(stale) != p.SpecName {
			return fmt.Errorf("installing %s: %s exists, and a provider must have only one spec: remove that file first", p.Name, stale)
		}
	}
	return nil
}

// IntoFolder installs a provider for programs that specify the folder.
func IntoFolder(folder string, p Provider) error {
	if err := CheckFolder(folder, p); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("installing %s: %w", p.Name, err)
	}
	if err := writeFiles(folder, p); err != nil {
		return fmt.Errorf("installing %s: %w", p.Name, err)
	}
	return nil
}

// writeFiles writes the spec and the binaries of a provider.
func writeFiles(folder string, p Provider) error {
	if p.SpecName != "" {
		if err := WriteFile(filepath.Join(folder, p.SpecName), p.Spec, 0o644); err != nil {
			return err
		}
	}
	if p.Evaluator != "" {
		// The binary looks for this name.
		name := ownName + strings.ToLower(filepath.Ext(p.Evaluator))
		if err := linkOrCopy(p.Evaluator, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return linkOrCopy(p.Executable, filepath.Join(folder, cmp.Or(p.Kind, Resource).binary(p.Name)))
}

// Specs returns the files in a folder that may be the spec of a provider.
func Specs(folder, name string) []string {
	var found []string
	for _, ext := range []string{".cue", ".yaml", ".yml", ".json", startup.CompiledExt} {
		path := filepath.Join(folder, name+ext)
		if _, err := os.Lstat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// isInstalledByDeclprov reports whether a folder has the files that IntoPlugins writes.
func isInstalledByDeclprov(folder string, kind Kind, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, kind.binary(name)))
	return err == nil && (name == ownName || len(Specs(folder, name)) > 0)
}

// ownName is the name of the plugins that are declprov itself: the base plugin and the
// language host. They have no spec.
const ownName = "declprov"

// linkOrCopy creates a hard link to a file, or a copy if the file system has no hard
// links. It replaces an existing file atomically.
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

// WriteFile writes a file atomically: readers see either the old or the new content.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	return writeAs(path, content, mode, os.Rename)
}

// WriteNewFile is like WriteFile, but returns an error that is fs.ErrExist if the file exists, also if another process
// creates it at the same time.
func WriteNewFile(path string, content []byte, mode os.FileMode) error {
	return writeAs(path, content, mode, func(temp, path string) error {
		err := os.Link(temp, path)
		if err == nil {
			return ignoreGone(os.Remove(temp))
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		if _, err := os.Lstat(path); err == nil {
			return fs.ErrExist
		}
		return os.Rename(temp, path) // the file system may not have hard links
	})
}

// writeAs writes a temporary file next to path, and calls place to give it that name.
func writeAs(path string, content []byte, mode os.FileMode, place func(temp, path string) error) (err error) {
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
	return place(temp.Name(), path)
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

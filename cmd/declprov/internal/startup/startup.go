// Package startup determines the provider from the name of the binary, and finds its
// spec.
package startup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const prefix = "pulumi-resource-"

// versionSuffix matches the version that package managers add to the file name of a
// plugin.
var versionSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-v\d+\.\d+\.\d+([-+.][0-9A-Za-z.+-]*)?$`) })

// ProviderName returns NAME if the file name of argv0 is pulumi-resource-NAME, with or
// without a version at the end.
func ProviderName(argv0 string) (name string, ok bool) {
	base := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	name, ok = strings.CutPrefix(base, prefix)
	name = versionSuffix().ReplaceAllString(name, "")
	return name, ok && name != ""
}

// CompiledExt is the file name extension of compiled specs.
const CompiledExt = ".declprov"

// extensions lists the file name extensions of specs.
var extensions = []string{".cue", ".yaml", ".yml", ".json", CompiledExt}

// FindSpec returns the spec of the provider that was started as argv0. It looks in the
// folder of that path (which may be a link), then in the folder of the binary.
func FindSpec(argv0, name string) (path string, err error) {
	var dirs []string
	for _, of := range []func(string) (string, error){ownFolder, binaryFolder} {
		dir, err := of(argv0)
		if err != nil || len(dirs) > 0 && dirs[0] == dir {
			continue
		}
		path, err := SpecIn(dir, name)
		if path != "" || err != nil {
			return path, err
		}
		dirs = append(dirs, dir)
	}
	return "", fmt.Errorf("the provider %q has no spec: expected %s%s, %s.cue (or .yaml, .json), provider.cue, or one CUE package, in %s; if the file is lost, install the provider again",
		name, name, CompiledExt, name, strings.Join(dirs, " or "))
}

// ownFolder returns the folder of the path that started the process, without resolving
// links.
func ownFolder(argv0 string) (string, error) {
	path, err := exec.LookPath(argv0)
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(path)
	return filepath.Dir(path), err
}

// binaryFolder returns the folder of the running binary.
func binaryFolder(string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err = filepath.EvalSymlinks(path)
	return filepath.Dir(path), err
}

// SpecIn returns the spec of a provider in a folder: NAME.cue, .yaml or .json, or else
// provider.*, or else the folder itself if it contains CUE files. It returns "" if there
// is none, and an error if there are two of the same name.
func SpecIn(dir, name string) (path string, err error) {
	for _, stem := range []string{name, "provider"} {
		var found []string
		for _, ext := range extensions {
			if info, err := os.Stat(filepath.Join(dir, stem+ext)); err == nil && info.Mode().IsRegular() {
				found = append(found, stem+ext)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return filepath.Join(dir, found[0]), nil
		default:
			return "", fmt.Errorf("%s contains %s: keep only one of them", dir, strings.Join(found, " and "))
		}
	}
	if cue, _ := filepath.Glob(filepath.Join(dir, "*.cue")); len(cue) > 0 {
		return dir, nil
	}
	return "", nil
}

// InstalledSpec returns the spec of the provider that is installed in a folder: of the one whose
// binary is there. It returns "" if no binary is there, or if path is not a folder.
func InstalledSpec(path string) (spec string, err error) {
	files, err := os.ReadDir(path)
	if err != nil {
		return "", nil // not a folder, or one that the caller cannot open either
	}
	for _, f := range files {
		if name, ok := ProviderName(f.Name()); ok {
			if spec, err := SpecIn(path, name); spec != "" || err != nil {
				return spec, err
			}
		}
	}
	return "", nil
}

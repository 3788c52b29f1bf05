// Package door finds out what the binary was started as, and the spec that goes
// with it.
package door

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const prefix = "pulumi-resource-"

// versionSuffix is what package managers add to a plugin's file name.
var versionSuffix = regexp.MustCompile(`-v\d+\.\d+\.\d+([-+.][0-9A-Za-z.+-]*)?$`)

// ProviderName is the NAME of a `pulumi-resource-NAME`, with or without a
// version behind it, where argv0 is one.
func ProviderName(argv0 string) (name string, ok bool) {
	base := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	name, ok = strings.CutPrefix(base, prefix)
	name = versionSuffix.ReplaceAllString(name, "")
	return name, ok && name != ""
}

// CompiledExt ends the name of a spec in its compiled form, which install writes
// where one file of source would not do.
const CompiledExt = ".declprov"

// extensions are those of a spec.
var extensions = []string{".cue", ".yaml", ".yml", ".json", CompiledExt}

// FindSpec finds the spec of the provider that was started as argv0: beside
// that path (which may be a link), else beside the binary itself.
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
	return "", fmt.Errorf("there is no spec for the provider %q: it should be %s.cue (or .yaml, .json), provider.cue, or the only CUE package, in %s",
		name, name, strings.Join(dirs, " or "))
}

// ownFolder is that of the path the process was started by, links unresolved.
func ownFolder(argv0 string) (string, error) {
	path, err := exec.LookPath(argv0)
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(path)
	return filepath.Dir(path), err
}

// binaryFolder is that of the file that is running.
func binaryFolder(string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err = filepath.EvalSymlinks(path)
	return filepath.Dir(path), err
}

// SpecIn is the spec of that name in a folder: NAME.cue, .yaml or .json, else
// provider.*, else the folder itself where it holds a CUE package; "" where
// there is none. Two specs of the same rank are an error.
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
			return "", fmt.Errorf("%s holds %s: keep the one that is the spec", dir, strings.Join(found, " and "))
		}
	}
	if cue, _ := filepath.Glob(filepath.Join(dir, "*.cue")); len(cue) > 0 {
		return dir, nil
	}
	return "", nil
}

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

// Server is the name of the binary that only serves providers.
const Server = serving.ServerName

// Executable returns the path of the binary to install for a provider: the one that only
// serves, if it is in the folder of this binary, or else this binary. evaluates reports
// whether it can evaluate the source of a spec. A variant is the one that the spec needs, or
// "": see serving.Tool.Program.
func Executable(variant string) (path string, evaluates bool, err error) {
	if variant != "" {
		return executableOf(variant)
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", false, fmt.Errorf("cannot find this binary, which would be installed: %w", err)
	}
	server := filepath.Join(filepath.Dir(self), Server)
	if strings.HasSuffix(self, ".exe") {
		server += ".exe"
	}
	if info, err := os.Stat(server); err == nil && info.Mode().IsRegular() {
		return server, false, nil
	}
	return self, true, nil
}

// executableOf is Executable for a variant: declprov-server-VARIANT, or else
// declprov-VARIANT.
func executableOf(variant string) (path string, evaluates bool, err error) {
	path, err = serving.FindVariant(Server, variant)
	if err == nil {
		return path, false, nil
	}
	if whole, other := serving.FindVariant("declprov", variant); other == nil {
		return whole, true, nil
	}
	return "", false, err
}

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Server is the name of the binary that only serves providers.
const Server = "pulumi-resource-declprov"

// Executable returns the path of the binary to install for a provider: the one that only
// serves, if it is in the folder of this binary, or else this binary. evaluates reports
// whether it can evaluate the source of a spec.
func Executable() (path string, evaluates bool, err error) {
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

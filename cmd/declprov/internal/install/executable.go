package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Server is the name of the binary that serves providers and does nothing else.
const Server = "pulumi-resource-declprov"

// Executable is the binary to install as a provider's: the one that only
// serves, where it lies beside this one, else this one. Evaluates says that it
// needs nobody to read a spec's source.
func Executable() (path string, evaluates bool, err error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", false, fmt.Errorf("this binary, which would be installed, is not to be found: %w", err)
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

package kill

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// family are the CLI that started a provider, and all that it has started; none
// where that is no CLI.
func family(process int) []int {
	cli := provider.Parent(process)
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cli))
	if err != nil || filepath.Base(exe) != "pulumi" {
		return nil
	}
	return append([]int{cli}, provider.Children(cli)...)
}

// kill ends processes at once, as a lack of memory does.
func kill(t *testing.T, pids []int) {
	for _, pid := range pids {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Logf("process %d had ended: %v", pid, err)
		}
	}
}

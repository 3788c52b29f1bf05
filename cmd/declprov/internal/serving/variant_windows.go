package serving

import (
	"errors"
	"os"
	"os/exec"

	"github.com/declprov/declprov/actions/sys/process"
)

// replaceProcess runs another binary with the same arguments, and ends when it ends. The other one
// ends if this process is killed.
func replaceProcess(path string) error {
	cmd := exec.Command(path, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := process.RunBound(cmd)
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}

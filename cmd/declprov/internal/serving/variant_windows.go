package serving

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs another binary with the same arguments, and ends when it ends.
func replaceProcess(path string) error {
	cmd := exec.Command(path, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}

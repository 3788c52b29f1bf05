package tools

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// WriteProgram writes a new executable file. It can be executed at once: no process that is started meanwhile has it open for
// writing, which would be "text file busy" (https://go.dev/issue/22315).
func WriteProgram(path string, content io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}

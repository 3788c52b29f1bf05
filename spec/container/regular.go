package container

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openRegular opens a file that can be read without waiting for somebody. A
// named pipe in its place would hold the process in open for good, where no
// signal that Go handles ends it.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

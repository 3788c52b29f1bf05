package try

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// pipePatience is the time limit for reading a pipe.
const pipePatience = 10 * time.Second

// readFile reads a file, or a pipe that has a writer, such as <(command) of a shell. A pipe
// without a writer is an error: to open it in blocking mode would wait forever, and ignore
// signals.
func readFile(path string) (content []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return io.ReadAll(f)
	case info.Mode()&fs.ModeNamedPipe == 0:
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if err := f.SetReadDeadline(time.Now().Add(pipePatience)); err != nil {
		return nil, err
	}
	content, err = io.ReadAll(f)
	if err == nil && len(content) == 0 {
		err = fmt.Errorf("%s is a pipe without a writer: name a file", path)
	}
	return content, err
}

// checkRegular returns an error if a file is not regular. Assets must be regular files,
// because they are read more than once.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

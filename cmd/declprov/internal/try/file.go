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

// pipePatience is how long a pipe may take to give what it holds.
const pipePatience = 10 * time.Second

// readFile reads a file, or a pipe that somebody has begun to write, as the
// shell makes one of <(command). A pipe that nobody writes is an error, for
// opening it in the usual way waits for ever, whatever signal comes.
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
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	if err := f.SetReadDeadline(time.Now().Add(pipePatience)); err != nil {
		return nil, err
	}
	content, err = io.ReadAll(f)
	if err == nil && len(content) == 0 {
		err = fmt.Errorf("%s is a pipe that nobody writes to: name a file", path)
	}
	return content, err
}

// regular says what keeps a file from being an asset, which is read more than
// once.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	return err
}

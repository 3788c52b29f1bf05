//go:build linux || darwin

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

func setMark(f *os.File, mark string) error {
	return unix.Fsetxattr(int(f.Fd()), markName, []byte(mark), 0)
}

// getMark returns the file's mark, or "".
func getMark(f *os.File) string {
	buf := make([]byte, 256)
	n, err := unix.Fgetxattr(int(f.Fd()), markName, buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

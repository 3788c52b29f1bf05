package files

import (
	"fmt"
	"io/fs"
	"os"
)

// If a create is killed after it renamed its file, and before the host recorded it, the next
// run of that create finds the file. So a create writes a mark into an extended attribute of
// its file: which create made it, and its size and modification time. A file with the right
// mark that nobody has touched since belongs to the create, and may be replaced. If the file
// system has no extended attributes, the existing file is an error, like any other.

// markName is the extended attribute that contains the mark.
const markName = "user.declprov.create"

// markOf returns the mark of a file in its present state.
func markOf(mark string, info fs.FileInfo) string {
	return fmt.Sprintf("%s %d %d", mark, info.Size(), info.ModTime().UnixNano())
}

// setMark marks the temporary file, which already has its content. It ignores a file system
// that cannot store marks.
func (t *temp) setMark(mark string) error {
	if mark == "" {
		return nil
	}
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	_ = setMark(t.file, markOf(mark, info))
	return nil
}

// hasMark reports whether the file at the spot was made by the create with this mark, and was
// not touched since.
func (s *spot) hasMark(mark string, info fs.FileInfo) bool {
	if mark == "" || !info.Mode().IsRegular() {
		return false
	}
	file, err := s.dir.Open(s.base)
	if err != nil {
		return false
	}
	defer file.Close()
	now, err := file.Stat()
	return err == nil && os.SameFile(now, info) && getMark(file) == markOf(mark, now)
}

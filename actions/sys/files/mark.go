package files

import (
	"fmt"
	"io/fs"
	"os"
)

// A create that is killed after its file took its name, and before anybody could
// record it, would find that file in its own way when it is run again. So a file
// that a create makes carries a mark, in an extended attribute: whose it is, and
// what it was like when it was made. A file with the right mark that nobody has
// touched since is the create's own, and may be written again. Where the file
// system has no such attributes, the file that exists is an error, as any other.

// markName is the attribute that holds the mark.
const markName = "user.declprov.create"

// markOf is the mark of a file as it is now.
func markOf(mark string, info fs.FileInfo) string {
	return fmt.Sprintf("%s %d %d", mark, info.Size(), info.ModTime().UnixNano())
}

// mark marks the temporary file, which has its content already. That it cannot
// be marked is no failure.
func (t *temp) mark(mark string) error {
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

// own reports whether the file at the spot is what a create of this mark made,
// untouched since.
func (s *spot) own(mark string, info fs.FileInfo) bool {
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

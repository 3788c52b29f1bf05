package files

import "os"

// linkNew renames a file by a hard link and a removal. A crash in between leaves both names;
// the next sweep removes the temporary one.
func linkNew(dir *os.Root, from, to string) error {
	if err := dir.Link(from, to); err != nil {
		return err
	}
	if err := dir.Remove(from); err != nil {
		return &ChangedError{err}
	}
	return nil
}

package files

import "os"

// linkNew gives the file its second name and takes the first away. A crash in
// between leaves both; the next sweep takes the temporary one.
func linkNew(dir *os.Root, from, to string) error {
	if err := dir.Link(from, to); err != nil {
		return err
	}
	if err := dir.Remove(from); err != nil {
		return &ChangedError{err}
	}
	return nil
}

//go:build !linux

package files

// renameOver renames a file in the spot's folder to the spot's name, and replaces a file with
// that name.
func renameOver(s *spot, from string) error { return s.dir.Rename(from, s.base) }

// renameNew renames a file in the spot's folder to the spot's name. If that name exists, it
// fails atomically with fs.ErrExist.
func renameNew(s *spot, from string) error { return linkNew(s.dir, from, s.base) }

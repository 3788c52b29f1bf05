//go:build !linux

package files

// renameOver gives a file of the spot's folder the spot's name, whatever file has
// it.
func renameOver(s *spot, from string) error { return s.dir.Rename(from, s.base) }

// renameNew gives a file of the spot's folder the spot's name, and fails with
// fs.ErrExist where that is taken, whoever takes it and when.
func renameNew(s *spot, from string) error { return linkNew(s.dir, from, s.base) }

//go:build !linux

package actions

// renameNew gives a file of the spot's folder the spot's name, and fails with
// fs.ErrExist where that is taken, whoever takes it and when.
func renameNew(s *spot, from string) error { return linkNew(s.dir, from, s.base) }

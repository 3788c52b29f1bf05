package files

import "os"

// MkdirTemp makes a folder among temporary files, which only this user may enter.
func MkdirTemp(pattern string) (string, error) { return os.MkdirTemp("", pattern) }

// CreateTemp makes a file among temporary files, which only this user may read.
func CreateTemp(pattern string) (*os.File, error) { return os.CreateTemp("", pattern) }

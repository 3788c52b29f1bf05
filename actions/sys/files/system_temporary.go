package files

import "os"

// MkdirTemp makes a folder in the directory for temporary files. Only this user may enter it.
func MkdirTemp(pattern string) (string, error) { return os.MkdirTemp("", pattern) }

// CreateTemp makes a file in the directory for temporary files. Only this user may read it.
func CreateTemp(pattern string) (*os.File, error) { return os.CreateTemp("", pattern) }

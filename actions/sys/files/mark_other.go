//go:build !linux && !darwin

package files

import (
	"errors"
	"os"
)

func setMark(*os.File, string) error { return errors.ErrUnsupported }

func getMark(*os.File) string { return "" }

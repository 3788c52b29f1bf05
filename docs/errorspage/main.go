// Errorspage writes docs/errors.md, which lists every code that a diagnostic can
// have. It collects them from the constants that declare them, so that no code is
// undocumented.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ../..

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: errorspage REPOSITORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string) error {
	codes, err := collect(root)
	if err != nil {
		return err
	}
	shown, err := findExamples(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "errors.md"), []byte(renderPage(codes, shown)), 0o644)
}

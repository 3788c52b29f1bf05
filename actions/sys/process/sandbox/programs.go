package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxInterpreters is how many scripts may interpret each other, as for execve(2) on Linux.
const maxInterpreters = 4

// AddPrograms adds programs that may be run, by absolute path, with the interpreters of
// scripts.
func (r *Rules) AddPrograms(programs ...string) {
	for _, path := range programs {
		for range maxInterpreters + 1 {
			if !filepath.IsAbs(path) {
				break
			}
			r.Execute = append(r.Execute, Place{Base: path})
			path = interpreter(path)
		}
	}
}

// interpreter returns the interpreter in the first line of a script, or "".
func interpreter(path string) string {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not wait for the writer of a pipe
	if err != nil {
		return ""
	}
	defer file.Close()
	var head [256]byte
	n, _ := file.Read(head[:]) // the beginning suffices
	line, ok := bytes.CutPrefix(head[:n], []byte("#!"))
	if !ok {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

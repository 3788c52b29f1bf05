package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// deepestScript is how many scripts may interpret each other, as for execve(2)
// on Linux.
const deepestScript = 4

// Run adds programs that may be run, by their absolute paths, with what a script
// names as its interpreter.
func (r *Rules) Run(programs ...string) {
	for _, path := range programs {
		for range deepestScript + 1 {
			if !filepath.IsAbs(path) {
				break
			}
			r.Execute = append(r.Execute, Place{Base: path})
			path = interpreter(path)
		}
	}
}

// interpreter is the program that a script's first line names, or "".
func interpreter(path string) string {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // no wait for who writes to a pipe
	if err != nil {
		return ""
	}
	defer file.Close()
	var head [256]byte
	n, _ := file.Read(head[:]) // less than all will do
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

//go:build unix

package supervisor

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestStartOfABusyProgram starts a program that is open for writing for a moment, as one is that the provider wrote while it
// started another process.
func TestStartOfABusyProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	open, err := os.OpenFile(program, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*killEvery, func() { _ = open.Close() })
	pid, err := start(Request{Path: program, Dir: "/", Args: []string{program}, Grace: time.Second}, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status.ExitStatus() != 7 {
		t.Errorf("it ends with %d, %v", status.ExitStatus(), err)
	}
}

//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const slowSpec = `package slow
name:    "slow"
version: "1.0.0"
permissions: write: ["**"]
resources: Slow: {
	inputs: path: string @replace()
	outputs: {}
	id: "${inputs.path}"
	create: {
		steps: [
			{as: "made", file: write: {path: "${inputs.path}", content: "x"}},
			{as: "ready", file: read: path: "never", until: "${false}", every: "100ms", timeout: "1m"},
		]
	}
	read: file: read: path: "${id}"
	delete: file: delete: path: "${id}"
}
`

// TestTryInterrupted checks that try deletes the resource after an interrupt.
func TestTryInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := layOut(t, map[string]string{"slow.cue": slowSpec, "never": "x"})
			var out strings.Builder
			cmd := command(t, built(t), "try", "slow.cue", "Slow", "path=made.txt")
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			made := filepath.Join(dir, "made.txt")
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(made); err == nil {
					break
				}
				if time.Now().After(deadline) {
					_ = cmd.Process.Kill()
					_ = cmd.Wait()
					t.Fatalf("the file was not created:\n%s", &out)
				}
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the command succeeded")
			}
			if _, err := os.Stat(made); !os.IsNotExist(err) {
				t.Errorf("made.txt was not deleted (%v)", err)
			}
			if !strings.Contains(out.String(), "delete  id \"made.txt\"\n") {
				t.Errorf("the output does not mention the delete:\n%s", &out)
			}
		})
	}
}

// TestTryWithPipes checks that a pipe without a writer is an error, and does not block.
func TestTryWithPipes(t *testing.T) {
	dir := layOut(t, map[string]string{"pets.cue": petSpec})
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, built(t), "try", "pets.cue", "Pet", "path=@pipe")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "path: pipe is a pipe without a writer") {
		t.Errorf("%v\n%s", err, out)
	}
	shell := exec.CommandContext(ctx, "sh", "-c", `printf data/a.txt | "$0" try pets.cue Pet path=@/dev/stdin`, built(t))
	shell.Dir = dir
	if out, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(out), `"data/a.txt"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

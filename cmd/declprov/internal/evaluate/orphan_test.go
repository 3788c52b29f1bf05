package evaluate_test

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// TestOrphansEnd checks that a child ends when the process that waits for its response is gone,
// which closes the child's input: before, within and after the request. The spec takes longer than
// any test.
func TestOrphansEnd(t *testing.T) {
	t.Parallel()
	limits := build.DefaultLimits()
	limits.CPU, limits.Wall = 24*time.Hour, 24*time.Hour
	request, err := json.Marshal(build.Request{
		Spec: specFile(t, hostile()["a product of lists"].spec), Tool: "test", Limits: limits, Linked: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, sent := range map[string]int{"nothing": 0, "half of the request": len(request) / 2, "the request": len(request)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), child, build.ChildCommand)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := stdin.Write(request[:sent]); err != nil {
				t.Error(err)
			}
			if err := stdin.Close(); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err == nil { // a child that stays reaches the time limit of the test
				t.Error("it ended without an error")
			}
		})
	}
}

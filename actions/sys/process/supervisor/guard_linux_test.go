package supervisor

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// guarding makes this test binary a process that guards a process group and then sleeps.
const guarding = "DECLPROV_TEST_GUARDS"

func TestMain(m *testing.M) {
	group, err := strconv.Atoi(os.Getenv(guarding))
	if err != nil {
		os.Exit(m.Run())
	}
	g, err := newGuard()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	g.watch(group)
	fmt.Println("armed")
	if os.Getenv("DISARM") != "" {
		g.watch(0)
		os.Exit(0)
	}
	time.Sleep(time.Minute)
}

// guarded starts a command with a child in a process group, and a process that guards the group.
func guarded(t *testing.T, env ...string) (command, guardian *exec.Cmd) {
	t.Helper()
	command = exec.Command("sh", "-c", "sleep 3 & sleep 3")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	guardian = exec.Command(os.Args[0])
	guardian.Env = append(append(os.Environ(), guarding+"="+strconv.Itoa(command.Process.Pid)), env...)
	stdout, err := guardian.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guardian.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // it may have ended
		_ = command.Wait()
		_ = guardian.Process.Kill()
		_ = guardian.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); strings.TrimSpace(line) != "armed" {
		t.Fatalf("the guardian says %q, %v", line, err)
	}
	return command, guardian
}

// TestGuardOutlivesItsProcess checks that a process group ends when the process that guards it is
// killed.
func TestGuardOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	command, guardian := guarded(t)
	if err := guardian.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the command ended with %v", err)
	}
	for deadline := time.Now().Add(time.Minute); syscall.Kill(-command.Process.Pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a process of the group is left")
		}
	}
}

// TestDisarmedGuard checks that a group may outlive a process that no longer guards it.
func TestDisarmedGuard(t *testing.T) {
	t.Parallel()
	command, guardian := guarded(t, "DISARM=1")
	if err := guardian.Wait(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := syscall.Kill(command.Process.Pid, 0); err != nil {
		t.Errorf("the command has ended: %v", err)
	}
}

// TestEitherOrderOfClosing checks that one pipe of a guard has the higher number at its read end, and
// the other at its write end.
func TestEitherOrderOfClosing(t *testing.T) {
	g, err := newGuard()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range g.pipes {
		defer syscall.Close(p.read)
		defer syscall.Close(p.write)
	}
	if first, second := g.pipes[0], g.pipes[1]; first.read > first.write || second.read < second.write {
		t.Errorf("the pipes are %+v", g.pipes)
	}
}

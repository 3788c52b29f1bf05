package supervisor

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// closeInheritedOnExec prevents commands from inheriting files that this process inherited by
// mistake. It has no effect on kernels before 5.11.
func closeInheritedOnExec() { _ = unix.CloseRange(Socket+1, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) }

// newGroupAttr gives a command its own process group. The command dies with the thread that
// starts it, and so with this process.
func newGroupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// watchExit returns a file that becomes readable when a child has ended; forget closes it. On
// a kernel without such files it returns -1.
func watchExit(pid int) (fd int, forget func()) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, func() {}
	}
	return fd, func() { _ = unix.Close(fd) }
}

// outliveThread lets a command outlive the thread that starts it.
func outliveThread(attr *syscall.SysProcAttr) { attr.Pdeathsig = 0 }

// commandFamily are all descendants of this process.
type commandFamily struct{ leader int }

// allEnded reports whether no process of the family is left. All ended children must have
// been reaped before.
func (r *runningCommand) allEnded() bool { return r.childless }

// signal sends a signal to all processes of the family.
func (r *runningCommand) signal(sig syscall.Signal) {
	members := r.members()
	if !r.exited {
		// Signal the group atomically first, before a process that is signalled later can
		// start another one. The group id cannot be reused as long as the leader is not
		// reaped.
		_ = syscall.Kill(-r.leader, sig)
		members = slices.DeleteFunc(members, func(m member) bool { return m.pid == r.leader })
	}
	for _, m := range members {
		if r.exited || m.group != r.leader {
			_ = syscall.Kill(m.pid, sig)
		}
	}
}

// member is a process of the family.
type member struct {
	pid, parent, group, session int
	// ended says that the process is a zombie.
	ended bool
}

// members returns the processes of the family: the descendants of this process.
func (*runningCommand) members() []member { return descendants() }

// descendants returns the descendants of this process that /proc shows.
func descendants() []member {
	all := listProcesses()
	below := map[int]bool{os.Getpid(): true}
	var out []member
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if below[m.parent] && !below[m.pid] {
				below[m.pid], grown = true, true
				out = append(out, m)
			}
		}
	}
	return out
}

// listProcesses returns all processes, as in proc_pid_stat(5). After the name, which may
// contain any character, follow state, parent, group and session.
func listProcesses() []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // use the names that could be read
	var out []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // the process has ended meanwhile
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 4 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		group, _ := strconv.Atoi(string(fields[2]))
		session, _ := strconv.Atoi(string(fields[3]))
		out = append(out, member{pid: pid, parent: parent, group: group, session: session, ended: fields[0][0] == 'Z'})
	}
	return out
}

// EndSession kills the processes that remain after a reaper was killed. They belong to the
// reaper's session, except processes that made their own session, which can no longer be
// attributed.
func EndSession(reaper, _ int) {
	for end := time.Now().Add(stuckAfter); time.Now().Before(end); time.Sleep(killEvery) {
		found := false
		for _, m := range listProcesses() {
			if m.session == reaper && !m.ended && syscall.Kill(m.pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

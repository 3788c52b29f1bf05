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

// adopt makes this process the parent of what its descendants orphan. Where the
// kernel does not know how, only process groups are ended.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// withhold keeps from commands the files that this process has inherited by
// somebody's oversight; a kernel before 5.11 cannot.
func withhold() { _ = unix.CloseRange(Socket+1, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) }

// ownGroup gives a command a process group, which dies with the thread that
// starts it, and so with this process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// watch is a file that can be read once a child has ended; forget closes it. -1, on
// a kernel without such files, says nothing.
func watch(pid int) (fd int, forget func()) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, func() {}
	}
	return fd, func() { _ = unix.Close(fd) }
}

// outliveThread lets a command outlive the thread that starts it.
func outliveThread(attr *syscall.SysProcAttr) { attr.Pdeathsig = 0 }

// family is all that a command has started: what is below this process.
type family struct{ leader int }

// extinct reports whether nothing is left of it. It is asked once all children
// that ended are reaped.
func (r *running) extinct() bool { return r.childless }

// signal sends all of it a signal.
func (r *running) signal(sig syscall.Signal) {
	members := r.members()
	if !r.exited {
		// At once, before one that is told later can start another. Its number is
		// no other group's as long as its leader is not reaped.
		_ = syscall.Kill(-r.leader, sig)
		members = slices.DeleteFunc(members, func(m member) bool { return m.pid == r.leader })
	}
	for _, m := range members {
		if r.exited || m.group != r.leader {
			_ = syscall.Kill(m.pid, sig)
		}
	}
}

// member is a process of the family's.
type member struct {
	pid, parent, group, session int
	// ended says that it only waits for its parent to take notice.
	ended bool
}

// members are the processes below this one, as far as /proc tells.
func (r *running) members() []member {
	all := processes()
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

// processes are all that there are: by proc_pid_stat(5), the third field is the
// state, the fourth the parent, the fifth the group, and the sixth the session, behind a name that may hold anything.
func processes() []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read will do
	var out []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended meanwhile
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

// EndSession kills what a supervisor has left that was ended itself. Of a supervisor
// and what runs below it all are of one session, but for what has made itself one
// of its own: nothing tells any more who started that.
func EndSession(supervisor, _ int) {
	for end := time.Now().Add(stuckAfter); time.Now().Before(end); time.Sleep(killEvery) {
		found := false
		for _, m := range processes() {
			if m.session == supervisor && !m.ended && syscall.Kill(m.pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

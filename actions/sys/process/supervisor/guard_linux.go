package supervisor

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// guard ends the process group of a command when this process dies, even if it is killed
// together with the provider, so that nobody is left to end the command. The kernel does it:
// when the write end of a pipe is closed, it signals the owner of the read end (F_SETOWN and
// F_SETSIG of fcntl(2)), which is the process group.
//
// A dying process closes its files in an unspecified order, and a read end that was closed
// first signals nobody. So there are two pipes, in opposite orders. Commands do not inherit them.
type guard struct{ pipes [2]pipe }

type pipe struct{ read, write int }

// newGuard returns a guard of a process group. The caller disarms it when the command has ended.
func newGuard(group int) (*guard, error) {
	g := &guard{pipes: [2]pipe{{-1, -1}, {-1, -1}}}
	for i := range g.pipes {
		if err := g.pipes[i].open(i == 1); err != nil {
			g.disarm()
			return nil, err
		}
		if err := g.pipes[i].arm(group); err != nil {
			g.disarm()
			return nil, err
		}
	}
	return g, nil
}

// open opens a pipe. With readLast, the number of its read end is the higher one.
func (p *pipe) open(readLast bool) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return err
	}
	p.read, p.write = ends[0], ends[1]
	if (p.read > p.write) == readLast {
		return nil
	}
	// Duplicate the end that must be higher.
	moved := &p.write
	if readLast {
		moved = &p.read
	}
	higher, err := unix.FcntlInt(uintptr(*moved), unix.F_DUPFD_CLOEXEC, max(p.read, p.write)+1)
	if err != nil {
		return err
	}
	_ = syscall.Close(*moved)
	*moved = higher
	return nil
}

// arm makes the kernel kill a process group when the write end is closed.
func (p *pipe) arm(group int) error {
	_, owner := unix.FcntlInt(uintptr(p.read), unix.F_SETOWN, -group)
	_, signal := unix.FcntlInt(uintptr(p.read), unix.F_SETSIG, int(unix.SIGKILL))
	_, async := unix.FcntlInt(uintptr(p.read), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
	return errors.Join(owner, signal, async)
}

// disarm closes the pipes without a signal.
func (g *guard) disarm() {
	for _, p := range g.pipes {
		if p.read < 0 {
			continue
		}
		_ = syscall.Close(p.read) // first: it then signals nobody
		_ = syscall.Close(p.write)
	}
}

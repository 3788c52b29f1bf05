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

// newGuard returns a guard of no process group.
func newGuard() (*guard, error) {
	g := &guard{}
	for i := range g.pipes {
		if err := g.pipes[i].open(i == 1); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// watch makes the guard end a process group; 0 is none. A nil guard does nothing.
func (g *guard) watch(group int) {
	if g == nil {
		return
	}
	for _, p := range g.pipes {
		// It fails only for a group that does not exist.
		_, _ = unix.FcntlInt(uintptr(p.read), unix.F_SETOWN, -group)
	}
}

// open opens a pipe whose read end causes signals. With readLast, the number of its read end is
// the higher one.
func (p *pipe) open(readLast bool) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return err
	}
	p.read, p.write = ends[0], ends[1]
	if err := p.order(readLast); err != nil {
		return err
	}
	_, signal := unix.FcntlInt(uintptr(p.read), unix.F_SETSIG, int(unix.SIGKILL))
	_, async := unix.FcntlInt(uintptr(p.read), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
	return errors.Join(signal, async)
}

// order gives the end that must be higher a higher number, if it is not.
func (p *pipe) order(readLast bool) error {
	if (p.read > p.write) == readLast {
		return nil
	}
	last := &p.write
	if readLast {
		last = &p.read
	}
	higher, err := unix.FcntlInt(uintptr(*last), unix.F_DUPFD_CLOEXEC, max(p.read, p.write)+1)
	if err != nil {
		return err
	}
	_ = syscall.Close(*last)
	*last = higher
	return nil
}

//go:build unix && !linux

package launch

import "syscall"

// adopt does nothing: only Linux has orphans adopted by other than init.
func adopt() {}

// ownGroup gives a command a process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// family is what a command has started, as far as it has stayed in its group.
type family struct{ leader int }

// extinct reports whether nothing is left in the group.
func (r *running) extinct() bool { return r.exited && syscall.Kill(-r.leader, 0) == syscall.ESRCH }

// signal sends the group a signal.
func (r *running) signal(sig syscall.Signal) { _ = syscall.Kill(-r.leader, sig) }

// members is the group's leader: the others cannot be told.
func (r *running) members() []int { return []int{r.leader} }

// Package supervisor is the process between a provider and the commands that it runs. It is
// this binary, started once more. It outlives the provider, so that no process of a command
// outlives both.
//
// A supervisor serves one command at a time, and any number in sequence. So the processes
// that remain below it when a command ends belong to that command. On Linux it adopts
// orphaned descendants (PR_SET_CHILD_SUBREAPER of prctl(2)), so it finds processes that left
// their group and session. On other systems it ends the process group of the command.
//
// The provider and the supervisor communicate over a socket. When the provider's end is
// closed, for any reason, the command is ended as after a timeout.
//
// On Linux, a supervisor has a parent that does nothing but wait for it: the reaper, which is
// this binary, too. If the supervisor is killed, the kernel gives all its descendants to the
// reaper, which kills them.
package supervisor

import "os"

const (
	// Argument makes a process of this binary a supervisor, and reaperArgument the reaper of
	// one: see FirstArgument.
	Argument       = "__supervise"
	reaperArgument = "__reap"
	// Marker is an environment variable of a supervisor and its reaper. A binary that does not
	// call Main first, such as a test binary, detects by it that it was started as one of them,
	// and must not start another one.
	Marker = "DECLPROV_SUPERVISOR"
	// Socket is the file descriptor of the socket in a supervisor.
	Socket = 3
)

// Environment returns the environment of supervisors and reapers.
func Environment() []string { return []string{Marker + "=1", "GOTRACEBACK=single"} }

// Main must be called first by a binary that runs commands, with os.Args. It reports whether
// this process was a supervisor or a reaper. Then its work is done, and it must exit.
func Main(args []string) (handled bool) {
	if len(args) != 2 || os.Getenv(Marker) == "" {
		return false
	}
	switch args[1] {
	case Argument:
		supervise()
	case reaperArgument:
		reap()
	default:
		return false
	}
	return true
}

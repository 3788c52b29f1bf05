// Package supervisor is the other end of a command: the process between a provider
// and what it runs. It is this binary, started once more, and outlives the
// provider, so that nothing that a command has started does.
//
// A supervisor serves one command at a time, and as many as its provider likes
// one after the other: what is left below it at the end of a command is that
// command's. On Linux it adopts what its commands orphan (PR_SET_CHILD_SUBREAPER
// of prctl(2)), so a process that has left its group and its session is still
// found. Elsewhere it ends the command's process group.
//
// The two talk over a socket. When the provider's end closes, for whatever
// reason, the command is ended as it is after a timeout.
package supervisor

import "os"

const (
	// Argument makes a process of this binary a supervisor.
	Argument = "__supervise"
	// Marker is a variable of a supervisor's environment. A binary that does not
	// call Main first, such as that of a test, knows by it that it was not meant
	// to start another one.
	Marker = "DECLPROV_SUPERVISOR"
	// Socket is the file descriptor that a supervisor gets.
	Socket = 3
)

// Main is the first thing that a binary calls which is to run commands, with its
// os.Args. It reports whether this process was a supervisor: then it has done
// its work, and is to exit.
func Main(args []string) (handled bool) {
	if len(args) != 2 || args[1] != Argument || os.Getenv(Marker) == "" {
		return false
	}
	supervise()
	return true
}

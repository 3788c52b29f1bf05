package sandbox

import "slices"

// escape is something that a command may try beyond its grants. In the script, IN is a folder
// that it may write, RO a folder that it may read, OUT a folder without a grant, PID a
// process of the same user outside, LAUNCHER the process that started the command, SELF the
// program of this test, ADDR a TCP address without a grant, and file 3 a terminal.
//
// Without a sandbox, the scripts of all escapes succeed. In a sandbox they fail, unless the
// other fields say otherwise.
type escape struct {
	// name is a phrase that completes "a command can".
	name, script string
	// root says that it requires root, also without a sandbox.
	root bool
	// ports says that it is also tried with another port granted.
	ports bool
	// ends says that it succeeds if the process PID is ended by SIGIO. The exit status of the
	// script is ignored.
	ends bool
	// optional says which kernels do not support it. There it fails with ENOSYS.
	optional string
	// arch is the only architecture that has it; "" is all.
	arch string
	// open is set for exceptions, which also succeed in a sandbox.
	open *exception
}

// exception says why an escape succeeds.
type exception struct {
	// why says what the sandbox is missing.
	why string
	// ports says that it only succeeds if the spec is granted a port.
	ports bool
	// closed is the first ABI of Landlock that refuses it; 0 is none.
	closed int
}

// escapes returns all known escapes, by topic.
func escapes() []escape {
	return slices.Concat(fileEscapes(), metadataEscapes(), processEscapes(), sharingEscapes(), kernelEscapes(), machineEscapes(),
		networkEscapes(), privilegeEscapes(), foreignEscapes())
}

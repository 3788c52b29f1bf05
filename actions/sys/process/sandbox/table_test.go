package sandbox

import "slices"

// escape is something that a command may try beyond what it is granted. In the
// script IN is a folder that it may write, RO one that it may read, OUT one that it
// may not see, PID a process of the same user outside, LAUNCHER the one that started
// the command, SELF the program of this test, ADDR a TCP address without a grant, and
// file 3 a terminal.
//
// The scripts of all escapes succeed without a sandbox. What is in no other field
// fails in one.
type escape struct {
	// name is a phrase after "a command can".
	name, script string
	// root says that without root's rights it fails outside of a sandbox, too.
	root bool
	// ports says that it is tried beside a granted port, too, which is another's.
	ports bool
	// ends says that it succeeds where it ends the process PID by SIGIO; the script's
	// status tells nothing.
	ends bool
	// optional says which kernels lack it that have a sandbox otherwise. There it is
	// answered by ENOSYS.
	optional string
	// arch is the only architecture of processors that has it; "" is all.
	arch string
	// open is set for the exceptions, which succeed in a sandbox, too.
	open *exception
}

// exception is why an escape succeeds.
type exception struct {
	// why says what would have to refuse it.
	why string
	// ports says that it is open only where the spec is granted a port.
	ports bool
	// closed is the ABI of Landlock from which it is refused; 0 is none.
	closed int
}

// escapes are all that are known, by what they are about.
func escapes() []escape {
	return slices.Concat(fileEscapes(), metadataEscapes(), processEscapes(), sharingEscapes(), kernelEscapes(), machineEscapes(),
		networkEscapes(), privilegeEscapes(), foreignEscapes())
}

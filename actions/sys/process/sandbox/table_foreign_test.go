package sandbox

// foreignEscapes use calls that only one architecture has, or numbers of another ABI.
func foreignEscapes() []escape {
	all := []escape{
		{name: "run a program of 32 bits", script: `$SELF int80 32`},
		{name: "call by a number of 32 bits", script: `$SELF int80 64`},
		{name: "call by a number of the x32 ABI", script: `$SELF x32`, optional: "kernels without x32"},
		{name: "limit a process by a call that its tracer has changed", script: `$SELF rewritten $PID`},
		{name: "change the processor's descriptors", script: `$SELF descriptors`},
		{name: "use the processor's ports", script: `$SELF ports`, root: true, optional: "kernels without ioperm"},
		{name: "use all of the processor's ports", script: `$SELF allports`, root: true, optional: "kernels without ioperm"},
		{name: "leave a set-uid program by the old chmod", script: `$SELF chmod $IN/file`},
		{name: "make a set-uid program by creat", script: `$SELF create $IN/own`},
		{name: "make a set-uid program by the old open", script: `$SELF openold $IN/own`},
		{name: "make a set-uid program by the old mknod", script: `$SELF mknodold $IN/own`},
	}
	for i := range all {
		all[i].arch = "amd64"
	}
	return all
}

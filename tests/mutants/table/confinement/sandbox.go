package confinement

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofSandbox are the mechanisms that keep commands to what their spec is granted.
func ofSandbox() []mutant.Mutant {
	const (
		commands = "A command does nothing that its spec is not granted"
		demand   = "Who runs a provider has the last word about its sandbox"
		filter   = "actions/sys/process/sandbox/seccomp_linux.go"
	)
	return []mutant.Mutant{
		{
			Promise: commands, Mechanism: "system calls that Landlock has no rule for are filtered",
			File:    "actions/sys/process/sandbox/landlock_linux.go",
			Find:    `	return r.installFilter()`,
			Replace: `	return nil`,
			Package: "tests/exec/sandbox", Test: "TestTakenAway", Fails: "prlimit",
		},
		{
			Promise: commands, Mechanism: "system calls of another architecture are refused",
			File:    "actions/sys/process/sandbox/filter_linux.go",
			Find:    `{Code: bpfEqual, K: auditArch, Jt: 1},`,
			Replace: `{Code: bpfEqual, K: auditArch, Jt: 1, Jf: 1},`,
			Package: "actions/sys/process/sandbox", Test: "TestEscapes//call by a number of 32 bits", Fails: "it succeeds: true, want false",
		},
		{
			Promise: commands, Mechanism: "what several refusals say of one call all holds",
			File:    "actions/sys/process/sandbox/filter_linux.go",
			Find:    `decisions[nr] = append(decisions[nr], r.program()...)`,
			Replace: `decisions[nr] = r.program()`,
			Package: "actions/sys/process/sandbox", Test: "TestFilterDecidesAsTheRefusals", Fails: "want 0x",
		},
		{
			Promise: commands, Mechanism: "without a granted port there are no sockets of the network",
			File:    filter,
			Find:    `	if !port {`,
			Replace: `	if false {`,
			Package: "actions/sys/process/sandbox", Test: "TestEscapes//send and receive UDP", Fails: "it succeeds: true, want false",
		},
		{
			Promise: commands, Mechanism: "nothing connects by sending beside another's port",
			File:    filter,
			Find:    `	fast := uint32(unix.MSG_FASTOPEN)`,
			Replace: `	fast := uint32(unix.MSG_OOB)`,
			Package: "actions/sys/process/sandbox", Test: "TestEscapes//connect by sending", Fails: "with a granted port true: it succeeds: true, want false",
		},
		{
			Promise: commands, Mechanism: "no flags are set through a handle for reading",
			File:    filter,
			Find:    `[]condition{equals(1, unix.FS_IOC_SETFLAGS)}`,
			Replace: `[]condition{equals(1, 0)}`,
			Package: "actions/sys/process/sandbox", Test: "TestEscapes//change the flags of a file where it may read", Fails: "it succeeds: true, want false",
		},
		{
			Promise: commands, Mechanism: "no device stays where a file was renamed",
			File:    filter,
			Find:    `[]condition{hasAny(4, unix.RENAME_WHITEOUT)}`,
			Replace: `[]condition{hasAny(4, unix.RENAME_EXCHANGE)}`,
			Package: "actions/sys/process/sandbox", Test: "TestEscapes//leave a device behind by renaming", Fails: "it succeeds: true, want false",
		},
		{
			Promise: commands, Mechanism: "root's commands keep only the capabilities that the spec names",
			File:    "actions/exec/confine.go",
			Find:    `Capabilities: env.Capabilities,`,
			Replace: `Capabilities: nil,`,
			Package: "tests/exec/sandbox", Test: "TestCapabilities", Fails: "want that it succeeds: false",
		},
		{
			Promise: commands, Mechanism: "root's commands keep no capability that su, chown and useradd do not need",
			File:    "actions/sys/process/sandbox/capabilities_linux.go",
			Find:    `		if kept[c] {`,
			Replace: `		if kept[c] || c == unix.CAP_NET_RAW {`,
			Package: "actions/sys/process/sandbox", Test: "TestCapabilities/by default", Fails: "(-want +got)",
		},
		{
			Promise: commands, Mechanism: "root that cannot give capabilities up starts no command with them",
			File:    "actions/sys/process/sandbox/capabilities_linux.go",
			Find:    `errors.Is(err, unix.EPERM) && unix.Geteuid() != 0:`,
			Replace: `errors.Is(err, unix.EPERM):`,
			Package: "actions/sys/process/sandbox", Test: "TestRootThatCannotShed", Fails: "want a refusal that names the capability",
		},
		{
			Promise: demand, Mechanism: "the environment variable beats what the spec says",
			File:    "actions/exec/confine.go",
			Find:    `	mode, err := effectiveMode(c.args.Sandbox)`,
			Replace: `	mode, err := c.args.Sandbox, error(nil)`,
			Package: "tests/exec/sandbox", Test: "TestDemanded", Fails: "want that it starts: false",
		},
	}
}

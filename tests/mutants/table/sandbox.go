package table

// ofSandbox are the mechanisms that keep commands to what their spec is granted.
func ofSandbox() []Mutant {
	const (
		commands = "A command does nothing that its spec is not granted"
		demand   = "Who runs a provider has the last word about its sandbox"
		filter   = "actions/exec/sandbox/seccomp_linux.go"
	)
	return []Mutant{
		{
			Promise: commands, Mechanism: "system calls that Landlock has no rule for are filtered",
			File:    "actions/exec/sandbox/landlock_linux.go",
			Find:    `	return r.filterCalls()`,
			Replace: `	return nil`,
			Package: "tests/exec/sandbox", Test: "TestTakenAway", Fails: "prlimit",
		},
		{
			Promise: commands, Mechanism: "system calls of another architecture are refused",
			File:    filter,
			Find:    `{Code: equal, K: auditArch, Jt: 1},`,
			Replace: `{Code: equal, K: auditArch, Jt: 1, Jf: 1},`,
			Package: "actions/exec/sandbox", Test: "TestForeignCalls", Fails: "the call goes through",
		},
		{
			Promise: commands, Mechanism: "without a granted port there are no sockets of the network",
			File:    filter,
			Find:    `	if !r.AnyPort && len(r.Ports) == 0 {`,
			Replace: `	if r.AnyPort && len(r.Ports) == 0 {`,
			Package: "actions/exec/sandbox", Test: "TestExceptions", Fails: "it can without a port, too",
		},
		{
			Promise: demand, Mechanism: "the environment variable beats what the spec says",
			File:    "actions/exec/confine.go",
			Find:    `	mode, err := demanded(sandboxMode(c.call.Args["sandbox"]))`,
			Replace: `	mode, err := sandboxMode(c.call.Args["sandbox"]), error(nil)`,
			Package: "tests/exec/sandbox", Test: "TestDemanded", Fails: "want that it starts: false",
		},
	}
}

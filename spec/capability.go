package spec

// Capabilities returns the names of the capabilities that root's commands keep in the
// kernel's sandbox, and that permissions may narrow: those of capabilities(7) about
// files and users, which su, chown and useradd need, and of ports, which count where
// commands may listen.
func Capabilities() []string {
	return []string{
		"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_NET_BIND_SERVICE", "CAP_SETGID", "CAP_SETUID",
	}
}

// Package sandbox uses the kernel to confine a command, and everything that it starts, to
// what its spec is granted. It supports Linux, by Landlock (landlock(7)). On other systems it
// reports that it cannot confine.
//
// Two processes are involved. The provider, which is not confined, makes the Rules from the
// spec's permissions. The launcher of the command applies them to the thread that starts it
// (Rules.StartConfined). In between, Rules are plain data.
//
// Landlock refuses access by the place of a file, and for whole trees. Permissions that it
// cannot express are not granted to commands; see AddGrants.
package sandbox

import (
	"path/filepath"

	"github.com/declprov/declprov/spec/lists"
)

// Rules are what a command may access. The zero value grants nothing, so no program starts
// under it: see Rules.WithSystem.
type Rules struct {
	// Read are places whose files may be read and listed. In Write, files may also be
	// changed, made and removed.
	Read  []Place `json:"read,omitempty"`
	Write []Place `json:"write,omitempty"`
	// Execute are programs, or folders of programs, that may be run and read.
	Execute []Place `json:"execute,omitempty"`
	// Devices may be opened for reading and writing, and for nothing else.
	Devices []Place `json:"devices,omitempty"`
	// Ports are the TCP ports that may be connected to. AnyPort disables all rules about TCP;
	// without it, listening is refused.
	Ports   []uint16 `json:"ports,omitempty"`
	AnyPort bool     `json:"anyPort,omitempty"`
	// Capabilities are the capabilities of spec.Capabilities that commands of root keep; nil
	// means all of these.
	Capabilities []string `json:"capabilities,omitzero"`
}

// Place is a file, or a folder with everything below it. If it does not exist, it grants
// nothing.
type Place struct {
	// Base is an absolute path. The operator named it, so symbolic links in it are followed.
	Base string `json:"base"`
	// Below is a path relative to Base, or "". Links in it are not followed, since a spec or
	// a command may have made them.
	Below string `json:"below,omitempty"`
	// Tree says that the place is a folder with everything below it. Without it, a folder at
	// this place grants nothing, since a kernel rule would apply to everything below it.
	Tree bool `json:"tree,omitempty"`
}

// WithSystem returns the rules with what every program requires: the programs, libraries and
// public settings of the system.
//
// A program may run other programs, as a shell does: those of the system, and granted ones.
// The kernel does not start a program that the command itself wrote. An interpreter, such as
// a shell or the dynamic loader, can run it, because it only reads it; it is then confined in
// the same way.
func (r Rules) WithSystem() Rules {
	r.Execute = append(r.Execute, places(true, "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/nix/store", "/gnu/store", "/run/current-system/sw")...)
	// Files to look up names, users, times, certificates and libraries. None is secret: on a
	// usual system, every user can read them.
	r.Read = append(r.Read, places(true, "/etc/ld.so.conf.d", "/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted",
		"/etc/ca-certificates", "/etc/terminfo", "/etc/zoneinfo", "/sys/devices/system/cpu", "/proc/sys")...)
	r.Read = append(r.Read, places(false, "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.preload", "/etc/nsswitch.conf", "/etc/resolv.conf",
		"/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/localtime",
		"/etc/timezone", "/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/ssl/cert.pem", "/etc/gitconfig", "/etc/mime.types",
		"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version")...)
	r.Devices = append(r.Devices, places(false, "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")...)
	return r
}

func places(tree bool, paths ...string) []Place {
	return lists.Map(paths, func(p string) Place { return Place{Base: p, Tree: tree} })
}

// fullPath returns the path of the place, for messages.
func (p Place) fullPath() string { return filepath.Join(p.Base, p.Below) }

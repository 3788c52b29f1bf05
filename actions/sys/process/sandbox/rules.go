// Package sandbox confines a command to what its spec is granted, by the
// kernel, with all that the command starts: on Linux by Landlock
// (landlock(7)), elsewhere not at all, and it says so.
//
// Two processes share the work. The provider, which is not confined, makes the
// Rules from the spec's permissions; the launcher of the command puts them in force
// on the thread that starts it (Rules.Within). In between they are plain
// data.
//
// What Landlock refuses it refuses by where a file lies, and for whole trees.
// What it has no word for is not granted to commands; see Grant.
package sandbox

import "path/filepath"

// Rules are what a command may touch. The zero value is nothing at all, which
// no program starts under: see Rules.System.
type Rules struct {
	// Read are places whose files may be read and listed, Write those where files
	// may be read, changed, made and removed, too.
	Read  []Place `json:"read,omitempty"`
	Write []Place `json:"write,omitempty"`
	// Execute are programs, or folders of them, that may be run and read.
	Execute []Place `json:"execute,omitempty"`
	// Devices are opened for reading and writing, and for nothing else.
	Devices []Place `json:"devices,omitempty"`
	// Ports are those of TCP that may be connected to. Listening is refused
	// unless AnyPort, which lifts every rule about TCP.
	Ports   []uint16 `json:"ports,omitempty"`
	AnyPort bool     `json:"anyPort,omitempty"`
	// Capabilities are those that root's commands keep, of spec.Capabilities; nil is
	// all of these.
	Capabilities []string `json:"capabilities,omitzero"`
}

// Place is a file, or a folder with all below it. One that is not there grants
// nothing: the kernel grants what exists.
type Place struct {
	// Base is an absolute path. It is the operator's to name: symbolic links in
	// it are followed.
	Base string `json:"base"`
	// Below is the way on from Base, or "". A spec or a command may have put a
	// link there, so none is followed.
	Below string `json:"below,omitempty"`
	// Tree says that a folder is meant, with all below it. Else a folder that is
	// found there grants nothing: a rule of the kernel's would be about all below.
	Tree bool `json:"tree,omitempty"`
}

// System are the rules with what programs need to run at all: the system's own
// programs and libraries, and its public settings.
//
// A program that is run may run others, as a shell does; it finds those of the
// system and those that are granted. One that it has written itself the kernel does
// not start; what interprets programs, such as a shell or the dynamic loader, does,
// for it only reads them. It is as confined.
func (r Rules) System() Rules {
	r.Execute = append(r.Execute, places(true, "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/nix/store", "/gnu/store", "/run/current-system/sw")...)
	// How names, users, times, certificates and libraries are found. Nothing in it
	// is secret: each is readable by every user of a usual system.
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
	out := make([]Place, len(paths))
	for i, p := range paths {
		out[i] = Place{Base: p, Tree: tree}
	}
	return out
}

// path is where the place is, for a message.
func (p Place) path() string { return filepath.Join(p.Base, p.Below) }

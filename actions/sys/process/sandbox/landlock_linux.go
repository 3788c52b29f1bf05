package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// StartConfined calls start on a separate thread, which is under the rules, as is everything
// that start starts. The thread then ends. The process itself stays unconfined: it is a
// launcher that can still end the command and clean up. (go-landlock confines all threads of
// a process, so the launcher would have to start one more process for each command.)
//
// start must not set Pdeathsig, which would end the command together with the thread.
func (r Rules) StartConfined(start func() error) error {
	return r.startConfinedBy(CurrentKernel(), start)
}

// startConfinedBy is StartConfined with the parts of the sandbox that the kernel supports.
func (r Rules) startConfinedBy(kernel Kernel, start func() error) error {
	done := make(chan error)
	go r.startOnThread(kernel, start, done)
	return <-done
}

func (r Rules) startOnThread(kernel Kernel, start func() error, done chan<- error) {
	runtime.LockOSThread() // not unlocked, so the thread ends with this goroutine
	if unix.Gettid() == unix.Getpid() {
		// The main thread cannot end, and represents the process for signals. Keep it locked,
		// so that the next goroutine gets another thread.
		defer runtime.UnlockOSThread()
		done <- r.startConfinedBy(kernel, start)
		return
	}
	err := r.confine(kernel)
	if err == nil {
		err = start()
	}
	done <- err
}

// confine puts the calling thread under the rules, with everything that it starts. This
// cannot be undone.
//
// From then on no other process may trace this process or read its memory (PR_SET_DUMPABLE).
// Otherwise a confined command could escape through the launcher while the thread lives.
func (r Rules) confine(kernel Kernel) error {
	if !kernel.Confines() {
		return kernel.Unavailable()
	}
	if err := r.confineTo(kernel); err != nil {
		return fmt.Errorf("the kernel's sandbox: %w", err)
	}
	return nil
}

func (r Rules) confineTo(kernel Kernel) error {
	var set *ruleset
	if kernel.ABI > 0 {
		var err error
		if set, err = newRuleset(kernel.ABI, r); err != nil {
			return err
		}
		defer unix.Close(set.fd)
		if err := set.addRules(r); err != nil {
			return err
		}
	}
	if err := r.dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("protecting the launcher from tracing: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if set != nil {
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set.fd), 0, 0); errno != 0 {
			return fmt.Errorf("landlock_restrict_self: %w", errno)
		}
	}
	if !kernel.Filter {
		return nil
	}
	return r.installFilter()
}

// Rights for the types of places. None includes making devices, which would give access to
// the disk below the file system.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeFile = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	writeTree = writeFile | readTree | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	executeFile = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
	executeTree = readTree | unix.LANDLOCK_ACCESS_FS_EXECUTE
	device      = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
)

// handledRights returns the rights about files that a kernel of this ABI can refuse: see the
// table in landlock(7).
func handledRights(abi int) uint64 {
	const first = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	rights := uint64(first)
	for _, since := range []struct {
		abi   int
		right uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER},
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if abi >= since.abi {
			rights |= since.right
		}
	}
	return rights
}

// ruleset is a ruleset of the kernel.
type ruleset struct {
	fd int
	// files and net are the rights about files and ports that are refused unless a rule
	// grants them.
	files, net uint64
}

func newRuleset(abi int, r Rules) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledRights(abi)}
	// An older kernel accepts a longer struct if the rest is zero.
	if abi >= 4 && !r.AnyPort {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 10 && !r.AnyPort && len(r.Ports) == 0 { // otherwise names could not be resolved
		attr.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	return &ruleset{fd: int(fd), files: attr.Handled_access_fs, net: attr.Handled_access_net}, nil
}

func (s *ruleset) addRules(r Rules) error {
	for _, group := range []struct {
		places     []Place
		file, tree uint64
	}{
		{r.Read, readFile, readTree},
		{r.Write, writeFile, writeTree},
		{r.Execute, executeFile, executeTree},
		{r.Devices, device, 0},
	} {
		for _, p := range group.places {
			if err := s.addPlace(p, group.file, group.tree); err != nil {
				return fmt.Errorf("%s: %w", p.fullPath(), err)
			}
		}
	}
	for _, port := range r.Ports {
		if err := s.addPort(port); err != nil {
			return fmt.Errorf("port %d: %w", port, err)
		}
	}
	return nil
}

// addPlace adds the rule for a place, if it exists and has the expected type.
func (s *ruleset) addPlace(p Place, file, tree uint64) error {
	fd, err := p.open()
	switch {
	case isMissing(err):
		return nil
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	rights := file
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if !p.Tree {
			return nil
		}
		rights = tree
	case unix.S_IFLNK:
		return nil
	}
	return s.add(unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&unix.LandlockPathBeneathAttr{
		Allowed_access: rights & s.files, Parent_fd: int32(fd),
	}))
}

// netPort is struct landlock_net_port_attr of landlock_add_rule(2).
type netPort struct{ access, port uint64 }

const ruleNetPort = 2 // LANDLOCK_RULE_NET_PORT

func (s *ruleset) addPort(port uint16) error {
	if s.net == 0 {
		return nil // the kernel does not support port rules, or none apply
	}
	return s.add(ruleNetPort, unsafe.Pointer(&netPort{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}))
}

func (s *ruleset) add(kind uintptr, attr unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(s.fd), kind, uintptr(attr), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_add_rule: %w", errno)
	}
	return nil
}

// open opens the place with O_PATH.
func (p Place) open() (int, error) {
	base, err := unix.Open(p.Base, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil || p.Below == "" {
		return base, err
	}
	defer unix.Close(base)
	return unix.Openat2(base, p.Below, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
}

// isMissing reports whether the place does not exist, is not accessible for this user, or was
// replaced by a link.
func isMissing(err error) bool {
	for _, is := range []error{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP, unix.EXDEV} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

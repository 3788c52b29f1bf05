package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Process tells a process apart from all others that ever had its number.
type Process struct {
	PID int `json:"pid"`
	// Start is when it began, in ticks since the boot that Boot names.
	Start string `json:"start,omitempty"`
	Boot  string `json:"boot,omitempty"`
}

// self is this process.
var self = sync.OnceValue(func() Process { return processOf(os.Getpid()) })

// processOf is the process that has this number now. One that has ended has no
// start, even where nobody has asked what became of it: in a container without
// an init, whatever outlived its parent stays listed as a zombie for good.
func processOf(pid int) Process {
	p := Process{PID: pid}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	p.Boot = strings.TrimSpace(string(boot))
	stat, _ := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	// Fields follow the name in parentheses, which may hold anything: the
	// state is the first after it, the start the 20th. See proc(5).
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 {
		fields := strings.Fields(string(stat[i+1:]))
		if len(fields) > 19 && !strings.ContainsAny(fields[0], "ZXx") {
			p.Start = fields[19]
		}
	}
	return p
}

// alive reports whether the process still runs.
func (p Process) alive() bool {
	now := processOf(p.PID)
	return now.Start != "" && now == p
}

// lock serialises the processes that begin intents in the folder.
func (j *Journal) lock() (func(), error) {
	f, err := os.OpenFile(filepath.Join(j.dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

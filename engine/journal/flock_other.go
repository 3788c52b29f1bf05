//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package journal

import (
	"errors"
	"os"
)

const (
	exclusive = iota
	shared
)

// tryLock locks nothing: on this system, owners are told apart by their process
// numbers and the time of their heartbeat.
func tryLock(*os.File, int) (held bool, err error) { return false, errors.ErrUnsupported }

// lockFolder locks nothing: two processes that change the intents of the same
// resource at the same moment may both send a request.
func lockFolder(string) (release func(), err error) { return func() {}, nil }

// notSyncable: folders cannot be synced on every such system.
func notSyncable(error) bool { return true }

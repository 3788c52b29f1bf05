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

// tryLock is not supported. On this system, owners are distinguished by their process
// numbers and the time of their heartbeat.
func tryLock(*os.File, int) (held bool, err error) { return false, errors.ErrUnsupported }

// lockFolder does nothing. Two processes that change the intents of the same resource
// at the same moment may both send a request.
func lockFolder(string) (release func(), err error) { return func() {}, nil }

// notSyncable returns true, because some of these systems cannot sync folders.
func notSyncable(error) bool { return true }

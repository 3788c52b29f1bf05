package expr

import "time"

var began = time.Now()

// cpuTime returns the time since the tests began.
func cpuTime() time.Duration { return time.Since(began) }

//go:build !unix

package supervisor

// supervise does nothing: supervisors only exist on Unix.
func supervise() {}

func reap() {}

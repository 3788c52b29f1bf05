//go:build !unix && !windows

package process

import "context"

// Pool cannot run commands on this system.
type Pool struct{}

// Run returns an error.
func (*Pool) Run(context.Context, Command) (Exit, error) {
	return Exit{}, notStarted("commands are not supported on this system")
}

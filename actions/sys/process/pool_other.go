//go:build !unix && !windows

package process

import "context"

// Pool runs nothing here.
type Pool struct{}

// Run refuses.
func (*Pool) Run(context.Context, Command) (Exit, error) {
	return Exit{}, notStarted("this system runs no commands")
}

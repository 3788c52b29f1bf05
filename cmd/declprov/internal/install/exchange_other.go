//go:build !linux

package install

// exchange replaces folder by staged.
func exchange(staged, folder string) error { return exchangeInTwoSteps(staged, folder) }

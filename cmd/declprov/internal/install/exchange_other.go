//go:build !linux

package install

// exchange puts the folder staged where folder is.
func exchange(staged, folder string) error { return inTwoSteps(staged, folder) }

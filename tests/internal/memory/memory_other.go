//go:build !linux

package memory

func usable() string { return "" }

//go:build !linux

package main

import "errors"

func inMemory() (dir string, err error) { return "", errors.New("only Linux has a folder in memory") }

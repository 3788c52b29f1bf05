//go:build race

package evaluate_test

// underRace reports whether this binary has the race detector. It then maps more memory
// than the limits of a child allow.
const underRace = true

//go:build race

package evaluate_test

// underRace says that this binary watches for races: it then maps more memory
// than the limits of a child allow, and cannot be one.
const underRace = true

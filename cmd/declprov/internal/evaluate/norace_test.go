//go:build !race

package evaluate_test

const underRace = false

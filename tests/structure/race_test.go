//go:build race

package structure

// usualEvery is which part of the changes make test tries with the race detector: one in so many.
// A change takes four times as long with it, and what it observes is what all changes share.
const usualEvery = 2400

//go:build !race

package structure

// usualEvery is which part of the changes make test tries: one in so many.
const usualEvery = 600

package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// row is a line of the budget table.
type row struct {
	what   string
	got    float64
	budget float64
	// unit is "x" for a ratio to the provider written by hand, or a unit.
	unit   string
	detail string
}

func (r row) met() bool { return r.got <= r.budget }

func (r row) print(w io.Writer) {
	verdict := "met"
	if !r.met() {
		verdict = "MISSED"
	}
	fmt.Fprintf(w, "%-6s  %-46s %8.2f %-3s budget %6.2f %-3s %s\n", verdict, r.what, r.got, r.unit, r.budget, r.unit, r.detail)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}

// ratios returns the ratios of two series, round by round.
func ratios(own, raw []float64) []float64 {
	out := make([]float64, len(own))
	for i := range own {
		out[i] = own[i] / raw[i]
	}
	return out
}

func ms(seconds float64) string { return fmt.Sprintf("%.1f ms", seconds*1000) }

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

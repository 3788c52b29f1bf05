package model

import (
	"slices"
	"testing"

	"github.com/declprov/declprov/tests/model/specgen"
)

// TestSample checks that the histories of make test combine any three values of the matrix that a
// spec which vet accepts combines.
func TestSample(t *testing.T) {
	cells := specgen.Cells()
	var accepted []specgen.Cell
	for _, n := range specgen.Sample(stride) {
		if len(cells[n].Refusals()) == 0 {
			accepted = append(accepted, cells[n])
		}
	}
	for _, of := range cells {
		if len(of.Refusals()) > 0 {
			continue
		}
		for _, three := range threes(of) {
			if !slices.ContainsFunc(accepted, three) {
				t.Fatalf("the sample has no cell with three values of this one: %s", of)
			}
		}
	}
	if got := len(specgen.Sample(stride)); got != sampled {
		t.Errorf("the sample has %d cells, and make test plays %d histories", got, sampled)
	}
}

// threes returns functions that report whether a cell has three values of this one, for any three
// dimensions.
func threes(of specgen.Cell) []func(specgen.Cell) bool {
	same := []func(c specgen.Cell) bool{
		func(c specgen.Cell) bool { return c.Method == of.Method },
		func(c specgen.Cell) bool { return c.Way == of.Way },
		func(c specgen.Cell) bool { return c.Idempotent == of.Idempotent },
		func(c specgen.Cell) bool { return c.Retry == of.Retry },
		func(c specgen.Cell) bool { return c.Undo == of.Undo },
		func(c specgen.Cell) bool { return c.Steps == of.Steps },
	}
	var all []func(specgen.Cell) bool
	for i := range same {
		for j := range i {
			for k := range j {
				all = append(all, func(c specgen.Cell) bool { return same[i](c) && same[j](c) && same[k](c) })
			}
		}
	}
	return all
}

package engine_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"testing"
	"time"
)

// With the race detector, a test takes three times as long. make test runs all cases of the large products without it,
// and a sample of them with it: each case has an engine of its own, whose goroutines are those of the others.
var (
	every = flag.Int("every", 0, "run one of this many cases of the large products; 0: all, or one of 8 with the race detector; make model runs all with it")
	// The sample is another one in each run.
	sample = flag.Int64("sample", time.Now().UnixNano(), "which of the cases run")
)

// casesPerRun returns how many cases there are for one that runs.
func casesPerRun() int {
	switch {
	case *every > 0:
		return *every
	case raceDetector:
		return 8
	default:
		return 1
	}
}

// takeSample prints what runs the same cases again, and lets tests that generate their cases generate a quarter.
func takeSample() error {
	if casesPerRun() == 1 {
		return nil
	}
	fmt.Printf("one of %d cases of the large products: -every=%[1]d -sample=%d\n", casesPerRun(), *sample)
	const checks = "rapid.checks"
	if f := flag.Lookup(checks); f.Value.String() != f.DefValue {
		return nil // somebody has asked for a number
	}
	return flag.Set(checks, "25")
}

// runCase runs a case of a large product, if the sample has it.
func runCase(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, *sample, t.Name(), "/", name)
	if h.Sum64()%uint64(casesPerRun()) == 0 {
		t.Run(name, run)
	}
}

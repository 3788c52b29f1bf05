package model

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/declprov/declprov/tests/model/specgen"
)

// mechanism is one that keeps promises of certainty and identity. tests/mutants has
// the edits that switch mechanisms off.
type mechanism struct {
	name, promise string
	// about reports whether the mechanism matters to a spec.
	about func(*specgen.Spec) bool
	// happens is what happens to a resource of such a spec: the oracle finds a broken
	// promise in it if the mechanism is off.
	happens func(scene) []Op
	// process says that providers are processes of their own, which can be killed.
	process bool
}

// scene is what the ops of a mechanism are written for: a spec, and the number of the
// history, by which one of several faults is chosen.
type scene struct {
	*specgen.Spec
	number uint64
}

// inputs are those that a program begins with.
func (s scene) inputs() Inputs {
	in := Inputs{Name: names["one"][0], Colour: "red", Size: 1}
	if s.IDs == "content" {
		in.Text = "text of " + in.Name
	}
	return in
}

// up is a command of the user of stack A: the program has one resource.
func (s scene) up(in Inputs, strikes ...Strike) Op {
	return Op{Who: stackA, Do: "up", Program: Program{"one": in}, Strikes: strikes}
}

// taken is a create by another owner, of just what the program wants.
func (s scene) taken() Op { return Op{Who: foreign, Do: twin, Slot: "one", Name: s.inputs().Name} }

// struck is bad luck at the nth request of a step: one of these faults.
func (s scene) struck(step string, nth int, faults ...string) Strike {
	name := faults[s.number%uint64(len(faults))]
	for _, f := range faultsOf(s.Spec) {
		if f.Name == name {
			return Strike{Step: step, Nth: nth, Fault: &f}
		}
	}
	panic("these specs have no fault " + name)
}

// all is bad luck at each request of a step but the first.
func (s scene) all(step string, fault string) []Strike {
	var out []Strike
	for nth := 2; nth <= specgen.Attempts+1; nth++ {
		out = append(out, s.struck(step, nth, fault))
	}
	return out
}

// lostResponses are the faults after which a client cannot know that a request was done, and
// unsent those where it cannot know that it was not.
var (
	lostResponses = []string{"reset after", "closed after", "500 after"}
	lostRequests  = []string{"reset before", "closed before", "500 before"}
)

// mostDrawn is how many specs are looked at until enough of them are about a mechanism.
const mostDrawn = 100_000

// TestMechanism plays some histories that meet each mechanism.
func TestMechanism(t *testing.T) {
	if *history >= 0 || *typed >= 0 {
		t.Skip("one history was asked for")
	}
	b := newBench(t)
	for _, m := range mechanisms {
		t.Run(m.name, func(t *testing.T) {
			within := *b
			within.T, within.report, within.whole = t, newReport(), true
			met := b.meeting(m, usual.mechanism)
			if len(met) < usual.mechanism {
				t.Errorf("of %d specs only %d are about it", mostDrawn, len(met))
			}
			within.side(met)
			within.tell()
		})
	}
}

// meeting draws specs until enough of them are about a mechanism, and gives the
// histories of what happens to them.
func (b *bench) meeting(m mechanism, wanted int) []*History {
	var met []*History
	for n := uint64(0); len(met) < wanted && n < mostDrawn; n++ {
		c := b.cells[n*stride%uint64(len(b.cells))]
		s := specgen.NewSpec(c, rand.New(rand.NewPCG(*seed, n)), b.features)
		if len(s.Missing) > 0 || len(c.Refusals()) > 0 || !m.about(s) {
			continue
		}
		met = append(met, &History{
			Seed: *seed, Number: n, Spec: s, Ops: m.happens(scene{s, uint64(len(met))}), Process: m.process, Test: "TestMechanism/" + m.name,
		})
	}
	return met
}

// side plays histories side by side.
func (b *bench) side(all []*History) {
	var playing sync.WaitGroup
	for _, h := range all {
		playing.Go(func() {
			b.compiled(h)
			b.judge(h)
		})
	}
	playing.Wait()
}

package model

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// mechanism is one that keeps promises of certainty and identity, and which
// histories would notice if it were switched off. tests/mutants has the edits.
type mechanism struct {
	name, promise string
	// notices reports whether a history may meet the mechanism.
	notices func(*History) bool
}

// strikes reports whether a history has bad luck of one of these kinds.
func strikes(h *History, step string, kinds ...string) bool {
	return slices.ContainsFunc(h.Ops, func(op Op) bool {
		return slices.ContainsFunc(op.Strikes, func(s Strike) bool {
			if step != "" && s.Step != step {
				return false
			}
			return slices.ContainsFunc(kinds, func(kind string) bool {
				return s.Fault != nil && strings.HasPrefix(s.Fault.Name, kind) || s.Act != "" && strings.HasPrefix(s.Act, kind)
			})
		})
	})
}

// does reports whether somebody does something in a history.
func does(h *History, who, do string) bool {
	return slices.ContainsFunc(h.Ops, func(op Op) bool { return op.Who == who && op.Do == do })
}

// unanswered are the faults after which a client cannot know.
var unanswered = []string{"reset after", "closed after", "hang after", "500 after", "502 after", "504 after", "exit", "killed after"}

var mechanisms = []mechanism{
	{
		"find is asked before the first send", "nothing foreign is taken",
		func(h *History) bool {
			return h.Spec.Way == Find && does(h, foreign, "create") && h.Spec.Method != Command
		},
	},
	{
		"only what was looked for is adopted", "nothing foreign is taken",
		func(h *History) bool {
			return h.Spec.Way == FindNotFirst && does(h, foreign, "create") && strikes(h, "create", "500 before", "reset before", "hang before", "502 before")
		},
	},
	{
		"an unknown outcome of an uncertain step is not retried", "nothing is made twice",
		func(h *History) bool {
			return h.Spec.Uncertain() && h.Spec.Retry != Group && strikes(h, "create", unanswered...)
		},
	},
	{
		"refused after unknown stays unknown", "nothing is lost",
		func(h *History) bool {
			return h.Spec.Unique && h.Spec.Safe() && h.Spec.Method != PUT && strikes(h, "create", unanswered...)
		},
	},
	{
		"408 and 499 are unknown", "nothing is lost",
		func(h *History) bool { return strikes(h, "create", "408 after", "499 after") },
	},
	{
		"503 with Retry-After is unknown", "nothing is made twice",
		func(h *History) bool { return h.Spec.Uncertain() && strikes(h, "create", "503 with Retry-After after") },
	},
	{
		"401 after a redirect repeats only the hop", "nothing is made twice",
		func(h *History) bool { return h.Spec.Login && strikes(h, "create", "303") },
	},
	{
		"what failed gives no right to adopt", "nothing foreign is taken",
		func(h *History) bool { return h.Spec.InBand == "fail" && h.Spec.Finds() && does(h, foreign, "create") },
	},
	{
		"a keyed retry has the same key", "nothing is made twice",
		func(h *History) bool { return h.Spec.Way == Keyed && strikes(h, "create", unanswered...) },
	},
	{
		"the intent is written before the request is sent", "nothing is lost",
		func(h *History) bool { return h.Process && strikes(h, "create", "kill") },
	},
	{
		"different inputs settle the old intent first", "nothing is made twice",
		func(h *History) bool {
			return (h.Spec.Way == Find || h.Spec.Way == Keyed) && !h.Spec.Unique && len(h.Ops) > 1 && strikes(h, "create", "hang after", "500 after", "crash")
		},
	},
	{
		"an update of unknown outcome is settled by reading", "nothing is stuck",
		func(h *History) bool {
			return (h.Spec.Update == "conditional" || h.Spec.Update == "move") && strikes(h, "update", unanswered...)
		},
	},
	{
		"what was undone is done again", "the world is as wanted",
		func(h *History) bool {
			return h.Spec.Steps == 3 && h.Spec.Undo == Some && strikes(h, "part", "400", "500 before", "409")
		},
	},
	{
		"a state is dropped only if every step was undone", "nothing is lost",
		func(h *History) bool {
			return h.Spec.Steps == 3 && h.Spec.Undo == Some && strikes(h, "part", "400", "500", "409")
		},
	},
	{
		"a token guards what has the id of what is deleted", "nothing is lost",
		func(h *History) bool { return !h.Spec.DeleteFirst && (h.Spec.Again || h.Spec.IDs == "content") },
	},
	{
		"the id is evaluated again after a read", "nothing is lost",
		func(h *History) bool { return h.Spec.Update == "move" || h.Spec.ImportByName },
	},
	{
		"finished elements of a forEach are not sent again", "nothing is made twice",
		func(h *History) bool { return h.Spec.Each && strikes(h, "part", "400", "403", "409") },
	},
	{
		"a group is retried only on what is refused", "nothing is made twice",
		func(h *History) bool { return h.Spec.Retry == Group && strikes(h, "create", unanswered...) },
	},
	{
		"the first cancel lets what was sent be answered", "nothing is made twice",
		func(h *History) bool { return h.Spec.Uncertain() && !h.Spec.Finds() && strikes(h, "create", "cancel") },
	},
	{
		"ifNoneMatch is sent", "nothing foreign is touched",
		func(h *History) bool {
			return h.Spec.Way == Conditional && h.Spec.Method == PUT && does(h, foreign, "create")
		},
	},
	{
		"undo leaves alone what is not known to be one's own", "nothing foreign is touched",
		func(h *History) bool {
			return h.Spec.Undo != None && h.Spec.UndoByName && does(h, foreign, "create") && strikes(h, "create", "500 before", "hang before", "reset before")
		},
	},
}

// TestMechanism plays some histories that meet each mechanism: a few, and many
// where one is switched off.
func TestMechanism(t *testing.T) {
	if !asked(t) {
		return
	}
	if *history >= 0 || *typed >= 0 {
		t.Skip("one history was asked for")
	}
	wanted := 6
	if os.Getenv(provider.BinaryVariable) != "" {
		wanted = 60
	}
	b := newBench(t)
	for _, m := range mechanisms {
		t.Run(m.name, func(t *testing.T) {
			within := *b
			within.T, within.report = t, newReport()
			n, met := uint64(0), 0
			for ; met < wanted && n < 200_000; n++ {
				if h := b.drawing(n); m.notices(h) {
					met++
					within.compiled(h)
					within.judge(h)
				}
			}
			if met < wanted {
				t.Errorf("only %d histories of %d meet it", met, n)
			}
			within.tell()
		})
	}
}

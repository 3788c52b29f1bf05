package model

import (
	"slices"

	"github.com/declprov/declprov/tests/model/specgen"
)

// simple reports whether nothing about a spec stands in the way of a mechanism: it has
// one step, which is not undone, and no API that lags or forgets.
func simple(s *specgen.Spec) bool {
	return s.Steps == 1 && s.Undo == specgen.None && !s.Lags && !s.Forgotten && s.Method != specgen.Command && s.InBand == "" && !s.Moves() && !s.ImportByName
}

// repeats reports whether another request of an owner makes another object.
func repeats(s *specgen.Spec) bool { return s.IDs == "server" && !s.Unique && !s.Again }

var mechanisms = []mechanism{
	{
		name: "find is asked before the first send", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool { return simple(s) && s.Way == specgen.Find },
		happens: func(s scene) []Op {
			return []Op{s.taken(), s.up(s.inputs(), s.struck("create", 1, lostRequests...))}
		},
	},
	{
		name: "only what was looked for is adopted", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool { return simple(s) && s.Way == specgen.FindNotFirst && !s.Safe() },
		happens: func(s scene) []Op {
			return []Op{s.taken(), s.up(s.inputs(), s.struck("create", 1, lostRequests...)), s.up(s.inputs())}
		},
	},
	{
		name: "only what holds what was sent is adopted", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool {
			return simple(s) && s.Way == specgen.Find && s.Retry == specgen.None && !s.Safe()
		},
		happens: func(s scene) []Op {
			other := Op{Who: foreign, Do: "create", Name: s.inputs().Name}
			return []Op{s.up(s.inputs(), s.struck("create", 1, lostRequests...)), other, s.up(s.inputs())}
		},
	},
	{
		name: "what failed gives no right to adopt", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool {
			return s.Way == specgen.Find && s.InBand == "fail" && s.Steps == 1 && s.Undo == specgen.None && !s.Lags
		},
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), s.struck("create", 1, "error inside 200 before")), s.taken(), s.up(s.inputs())}
		},
	},
	{
		name: "what is refused inside a 200 is refused", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool {
			return s.Way == specgen.Find && s.InBand == "refused" && s.Unique && s.Method != specgen.PUT && s.Steps == 1 && !s.Lags
		},
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), Strike{Step: "create", Nth: 1, Act: "foreign " + twin, Before: true}), s.up(s.inputs())}
		},
	},
	{
		name: "an unknown outcome of an uncertain step is not retried", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return simple(s) && repeats(s) && s.Uncertain() && s.Way == specgen.FindNotFirst && s.Retry == specgen.ByStatus
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "500 after"))} },
	},
	{
		name: "refused after unknown stays unknown", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool { return simple(s) && s.Safe() && s.Method != specgen.PUT },
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), s.struck("create", 1, "502 after", "504 after"), s.struck("create", 2, "403 before", "400 before"))}
		},
	},
	{
		name: "408 and 499 are unknown", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool {
			return simple(s) && s.Retry == specgen.None && !s.Safe() && s.Way != specgen.Keyed
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "499 after", "408 after"))} },
	},
	{
		name: "503 with Retry-After is unknown", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool { return simple(s) && repeats(s) && s.Uncertain() },
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), s.struck("create", 1, "503 with Retry-After after"))}
		},
	},
	{
		name: "401 after a redirect repeats only the hop", promise: "nothing is made twice",
		about:   func(s *specgen.Spec) bool { return simple(s) && repeats(s) && s.Login && s.Uncertain() },
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "303 and 401"))} },
	},
	{
		name: "a keyed retry has the same key", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return simple(s) && repeats(s) && s.Way == specgen.Keyed && s.Method != specgen.PUT
		},
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), append(s.all("create", "403 before"), s.struck("create", 1, lostResponses...))...), s.up(s.inputs())}
		},
	},
	{
		name: "the intent is written before the request is sent", promise: "nothing is lost", process: true,
		about: func(s *specgen.Spec) bool { return simple(s) && s.Finds() && s.Way == specgen.Find && !s.Safe() },
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), Strike{Step: "create", Nth: 1, Act: "kill"}), s.up(s.inputs())}
		},
	},
	{
		name: "the journal forgets only what is recorded", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool {
			return simple(s) && repeats(s) && !s.DeleteFirst && s.Way == specgen.Keyed && s.Retry == specgen.None
		},
		happens: func(s scene) []Op {
			in := s.inputs()
			in.Colour = "blue"
			return []Op{s.up(s.inputs()), s.up(in, append(s.all("create", "403 before"), s.struck("create", 1, lostResponses...))...), {Who: stackA, Do: "refresh"}}
		},
	},
	{
		name: "different inputs settle the old intent first", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return simple(s) && repeats(s) && s.Way == specgen.Keyed && s.Method != specgen.PUT && s.Retry == specgen.None
		},
		happens: func(s scene) []Op {
			in := s.inputs()
			in.Size++
			return []Op{s.up(s.inputs(), append(s.all("create", "403 before"), s.struck("create", 1, lostResponses...))...), s.up(in)}
		},
	},
	{
		name: "find is asked for as long as what was made may stay unseen", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return s.Lags && s.Finds() && repeats(s) && !s.Safe() && s.Retry == specgen.ByStatus && s.Way == specgen.Find && s.Steps == 1 && s.Undo == specgen.None && s.Method != specgen.Command
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "500 after"))} },
	},
	{
		name: "a lost update takes over only what was not there before", promise: "nothing foreign is taken",
		about: func(s *specgen.Spec) bool { return s.Moves() && !s.Unique && !s.Lags && s.Method != specgen.Command },
		happens: func(s scene) []Op {
			in := s.inputs()
			in.Name = names["one"][1]
			// What had the old id goes, so that only the look before tells.
			return []Op{
				s.up(s.inputs()),
				{Who: foreign, Do: twin, Slot: "one", Name: in.Name},
				s.up(in, s.struck("update", 1, lostRequests...)),
				{Who: foreign, Do: "delete", Slot: "one", Name: s.inputs().Name},
				s.up(in),
			}
		},
	},
	{
		name: "what was undone is done again", promise: "the world is as wanted",
		about: func(s *specgen.Spec) bool {
			return s.Steps == 3 && s.Undo == specgen.Some && slices.Equal(s.UndoAt, []int{1}) && !s.Each && s.Method != specgen.Command && s.InBand == ""
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("part", 2, "400 before", "403 before"))} },
	},
	{
		name: "a state is dropped only if every step was undone", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool {
			return s.Steps == 3 && s.Undo == specgen.Some && slices.Equal(s.UndoAt, []int{1}) && s.Uncertain() && !s.Finds() && s.Method != specgen.Command && s.InBand == ""
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("part", 2, "400 before", "403 before"))} },
	},
	{
		name: "finished steps are not sent again", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool {
			return s.Steps == 3 && s.Undo == specgen.None && repeats(s) && s.Uncertain() && !s.Finds() && s.Method != specgen.Command && s.InBand == ""
		},
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), s.struck("part", 1, "400 before", "403 before")), s.up(s.inputs())}
		},
	},
	{
		name: "finished elements of a forEach are not sent again", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return s.Each && s.Undo == specgen.None && s.Method != specgen.Command && s.InBand == ""
		},
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), s.struck("part", 3, "400 before", "403 before")), s.up(s.inputs())}
		},
	},
	{
		name: "a group is retried only on what is refused", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool {
			return simple(s) && repeats(s) && s.Retry == specgen.Group && s.Uncertain() && !s.Finds()
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "500 after"))} },
	},
	{
		name: "the first cancel lets what was sent be answered", promise: "nothing is made twice",
		about: func(s *specgen.Spec) bool { return simple(s) && repeats(s) && s.Uncertain() && !s.Finds() },
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), Strike{Step: "create", Nth: 1, Act: "cancel"}), s.up(s.inputs())}
		},
	},
	{
		name: "a cancel starts nothing new", promise: "nothing new is sent",
		about: func(s *specgen.Spec) bool { return s.Steps == 3 && s.Method != specgen.Command && s.InBand == "" },
		happens: func(s scene) []Op {
			return []Op{s.up(s.inputs(), Strike{Step: "create", Nth: 1, Act: "cancel"}), s.up(s.inputs())}
		},
	},
	{
		name: "ifNoneMatch is sent", promise: "nothing foreign is touched",
		about: func(s *specgen.Spec) bool {
			return simple(s) && s.Way == specgen.Conditional && s.Method == specgen.PUT
		},
		happens: func(s scene) []Op { return []Op{s.taken(), s.up(s.inputs())} },
	},
	{
		name: "undo leaves alone what is not known to be one's own", promise: "nothing foreign is touched",
		about: func(s *specgen.Spec) bool {
			return s.Steps == 1 && s.Undo != specgen.None && s.UndoByName && !s.Safe() && s.Way == specgen.NoWay && s.Method != specgen.Command
		},
		happens: func(s scene) []Op { return []Op{s.taken(), s.up(s.inputs(), s.struck("create", 1, lostRequests...))} },
	},
	{
		name: "what a failed step may have left is listed", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool {
			return s.InBand == "fail" && s.Way == specgen.Keyed && s.IDs == "server" && s.Steps == 1 && s.Undo == specgen.None && s.Method != specgen.PUT
		},
		happens: func(s scene) []Op { return []Op{s.up(s.inputs(), s.struck("create", 1, "error inside 200 after"))} },
	},
	{
		name: "a token guards what has the id of what is deleted", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool { return simple(s) && !s.DeleteFirst && s.IDs == "content" },
		happens: func(s scene) []Op {
			in := s.inputs()
			in.Colour = "blue"
			return []Op{s.up(s.inputs()), s.up(in)}
		},
	},
	{
		name: "the id is evaluated again after a read", promise: "nothing is lost",
		about: func(s *specgen.Spec) bool { return s.Moves() && s.Method != specgen.Command },
		happens: func(s scene) []Op {
			in := s.inputs()
			in.Name = names["one"][1]
			refresh := Op{Who: stackA, Do: "refresh"}
			return []Op{s.up(s.inputs()), s.up(in), refresh, refresh}
		},
	},
}

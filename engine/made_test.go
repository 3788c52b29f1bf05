package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// three is a resource whose create makes three things, and whose delete removes those that
// were made.
func three(step func(i int) string) string {
	var steps, removes []string
	for i := range 3 {
		steps = append(steps, "{"+step(i)+"}")
		removes = append(removes, fmt.Sprintf(`{if: "${made.m%d}", world: do: {what: "remove%d"}}`, i, i))
	}
	slices.Reverse(removes)
	return `inputs: {name: string @replace(), on: *true | bool, size: *1 | int}
	id: "${inputs.name}"
	create: steps: [` + strings.Join(steps, ", ") + `]
	delete: steps: [` + strings.Join(removes, ", ") + `]`
}

// TestMade: creates of three steps that end in every way at every step, with undo on any of
// them: `made` tells their delete what is there of them, and of nothing that may be
// somebody else's.
func TestMade(t *testing.T) {
	ends := map[string]actions.Outcome{
		"refused": refused("it is there"),
		"failed":  failed("half of it"),
		"unknown": {Status: actions.Unknown, Err: errLost},
	}
	for end, outcome := range ends {
		for at := range 3 {
			for undo := range 8 { // a bit for each step
				for also, certainty := range map[string]string{"": "once: true", "again": "once: true", "safe": "safe: true", "safe, again": "safe: true"} {
					runCase(t, fmt.Sprintf("%s at %d, undo %03b %s", end, at, undo, also), func(t *testing.T) {
						t.Parallel()
						w := newWorld().on(fmt.Sprintf("make%d", at), outcome)
						s := newScene(t, w, three(func(i int) string {
							step := fmt.Sprintf(`as: "m%d", world: post: {what: "make%d", %s}`, i, i, certainty)
							if undo&(1<<i) != 0 {
								step += fmt.Sprintf(`, onFailure: [{world: do: {what: "undo%d"}}]`, i)
							}
							return step
						}))
						out := s.create("name", "a")
						if out.Err == nil {
							t.Fatalf("%+v", out)
						}
						if out.State == nil {
							return // then nothing is deleted
						}
						there := map[int]bool{}
						follow := func() {
							for _, call := range s.w.log() {
								var i int
								if n, _ := fmt.Sscanf(call, "undo%d", &i); n == 1 {
									there[i] = false
								} else if n, _ := fmt.Sscanf(call, "make%d", &i); n == 1 && (i != at || certainty == "safe: true" && end != "refused") {
									there[i] = true
								}
							}
						}
						follow()
						if strings.HasSuffix(also, "again") { // the same once more, by the next run
							if out = s.update(out.State, "name", "a"); out.Err == nil {
								t.Fatalf("%+v", out)
							}
							follow()
						}
						s.removes(out.State, there)
					})
				}
			}
		}
	}
}

// removes deletes, and wants that to remove what is there.
func (s *scene) removes(state *engine.State, there map[int]bool) {
	s.Helper()
	s.w.log()
	if err := s.e.Delete(s.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state}); err != nil {
		s.Fatal(err)
	}
	var want []string
	for i := 2; i >= 0; i-- {
		if there[i] {
			want = append(want, fmt.Sprintf("remove%d", i))
		}
	}
	if diff := gocmp.Diff(want, s.w.log()); diff != "" {
		s.Errorf("the delete (-want +got):\n%s", diff)
	}
}

// TestMadeOverALife: what was made is told over the runs that follow: a step that is left
// out, an update that makes it, an import, an update that does not.
func TestMadeOverALife(t *testing.T) {
	t.Parallel()
	plain := func(i int) string { return fmt.Sprintf(`as: "m%d", world: post: {what: "make%d", once: true}`, i, i) }
	second := func(i int) string {
		if i == 1 {
			return `as: "m1", if: "${inputs.on}", world: post: {what: "make1", once: true}`
		}
		return plain(i)
	}
	const updates = `
	update: steps: [{as: "m1", if: "${inputs.on && !made.m1}", world: post: {what: "make1", once: true}}, {world: do: what: "change"}]`
	t.Run("whole", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, newWorld(), three(plain))
		s.removes(s.create("name", "a").State, map[int]bool{0: true, 1: true, 2: true})
	})
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, newWorld(), three(second)+updates)
		out := s.create("name", "a", "on", false)
		s.removes(out.State, map[int]bool{0: true, 2: true})
		out = s.update(out.State, "name", "a", "on", false, "size", 2)
		s.removes(out.State, map[int]bool{0: true, 2: true})
		out = s.update(out.State, "name", "a", "on", true, "size", 2)
		s.removes(out.State, map[int]bool{0: true, 1: true, 2: true})
		s.update(out.State, "name", "a", "on", true, "size", 3)
		s.calls("change") // it is made already
	})
	t.Run("refused, then changed", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, newWorld().on("make1", refused("it is there")), three(plain)+`
	update: world: do: what: "change"`)
		out := s.create("name", "a")
		out = s.update(out.State, "name", "a", "size", 2)
		if out.Err == nil {
			t.Error("what was never made is taken for made")
		}
		s.removes(out.State, map[int]bool{0: true})
		s.w.on("make1", yields())
		out = s.update(out.State, "name", "a", "size", 2)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		s.removes(out.State, map[int]bool{0: true, 1: true, 2: true})
	})
	t.Run("refused, then done", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, newWorld().on("make1", refused("it is there"), yields()), three(plain))
		out := s.create("name", "a")
		out = s.update(out.State, "name", "a")
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		s.removes(out.State, map[int]bool{0: true, 1: true, 2: true})
	})
	t.Run("a state without it", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, newWorld().on("make1", refused("it is there")), three(plain))
		out := s.create("name", "a")
		out.State.Private.Unmade = "" // an older version wrote it
		s.removes(out.State, map[int]bool{0: true, 1: true, 2: true})
	})
}

// TestMadeByARunThatDied: what a run made that was killed, so that no state says it, is
// deleted with the rest, or stays in the journal where nobody knows whose it is.
func TestMadeByARunThatDied(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"post: {safe: true, ", "post: {once: true, ", "post: {key: true, ", "post: {", "do: {"} {
		for _, dies := range []string{"make1", "make2"} {
			for _, by := range []string{"create", "a later update"} {
				t.Run(kind+dies+" "+by, func(t *testing.T) {
					t.Parallel()
					w, condition := newWorld().on("make1", refused("no")), ""
					if by == "a later update" {
						condition = `, if: "${inputs.on}"`
					}
					s := newScene(t, w, three(func(i int) string {
						if i == 0 {
							return fmt.Sprintf(`as: "m0", world: %swhat: "make0"}`, kind)
						}
						return fmt.Sprintf(`as: "m%d", world: %swhat: "make%d"}%s`, i, kind, i, condition)
					})+`
	update: steps: [{as: "m1", if: "${inputs.on}", world: `+kind+`what: "make1"}}, {as: "m2", if: "${inputs.on}", world: `+kind+`what: "make2"}}, {world: do: what: "change"}]`)
					state := s.create("name", "a", "on", false).State
					if state == nil {
						t.Fatal("nothing was kept")
					}
					w.on("make1", yields())
					w.hooks[dies] = func(context.Context, *actions.Call) actions.Outcome { panic("it dies") }
					func() {
						defer func() { _ = recover() }()
						s.update(state, "name", "a", "on", by != "create")
					}()
					// What may be somebody else's is left, and stays in the journal.
					own := kind != "post: {once: true, " && kind != "post: {"
					s.removes(state, map[int]bool{0: true, 1: dies == "make2" || own, 2: dies == "make2" && own})
					if left := len(s.statuses()) > 0; left == own {
						t.Errorf("the journal has %v", s.statuses())
					}
				})
			}
		}
	}
}

// TestARefreshKeepsWhatWasBegun: what a create has made before it stopped is not forgotten
// because the object itself is not there yet.
func TestARefreshKeepsWhatWasBegun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id    string
		makes []actions.Outcome // of the second step
		gone  bool
	}{
		"not made yet":        {"${inputs.name}", []actions.Outcome{refused("later"), yields()}, false},
		"made, with its name": {"${steps.first.number}", []actions.Outcome{refused("later"), yields()}, true},
		"whole":               {"${inputs.name}", nil, true},
		"a part not made yet": {"${steps.first.number}, of two", []actions.Outcome{refused("later"), yields()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("first", yields("number", "7")).on("thing", tc.makes...)
			w.on("read", actions.Outcome{Status: actions.Gone, Err: errLost})
			id, before := tc.id, ""
			if part, ok := strings.CutSuffix(id, ", of two"); ok {
				id, before = part, `{world: look: what: "object"}, `
			}
			s := newScene(t, w, fmt.Sprintf(`inputs: name: string @replace()
	id: %q
	create: steps: [{as: "first", world: post: {what: "first", once: true}}, {world: post: {what: "thing", once: true}}]
	read: steps: [%s{world: look: what: "read"}]
	delete: world: do: what: "remove"`, id, before))
			out := s.create("name", "a")
			if out.State == nil {
				t.Fatalf("%+v", out)
			}
			read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
			if read.Err != nil || read.Gone != tc.gone {
				t.Fatalf("the refresh: %+v, want gone: %v", read, tc.gone)
			}
			if tc.gone {
				return
			}
			s.w.log()
			if out := s.update(read.State, "name", "a"); out.Err != nil {
				t.Errorf("the next run: %v", out.Err)
			}
			s.calls("thing")
		})
	}
}

// TestMadeByARunThatNobodyHeardOf deletes with the state of the run before the last: the
// host was given another one, and died before it recorded that.
func TestMadeByARunThatNobodyHeardOf(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"post: {safe: true, ", "post: {once: true, ", "post: {key: true, ", "post: {", "do: {"} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, whole), func(t *testing.T) {
				t.Parallel()
				w := newWorld().on("make1", refused("no"))
				s := newScene(t, w, three(func(i int) string {
					return fmt.Sprintf(`as: "m%d", world: %swhat: "make%d"}`, i, kind, i)
				}))
				state := s.create("name", "a").State
				if state == nil {
					t.Fatal("nothing was kept")
				}
				w.on("make1", yields())
				if !whole {
					w.on("make2", refused("no"))
				}
				if out := s.update(state, "name", "a"); out.State == nil || (out.Err == nil) != whole {
					t.Fatalf("%+v", out)
				}
				s.removes(state, map[int]bool{0: true, 1: true, 2: whole})
			})
		}
	}
}

// TestBegunByARunThatNobodyHeardOf makes a resource whose earlier create the host was told
// of and never recorded, with the inputs of then and with others: that what a step makes
// exists already may be the work of that one, and is never taken for somebody else's.
func TestBegunByARunThatNobodyHeardOf(t *testing.T) {
	t.Parallel()
	for _, inputs := range [][]any{{"name", "a"}, {"name", "a", "size", 2}} {
		t.Run(fmt.Sprint(inputs...), func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			s := newScene(t, w, three(func(i int) string {
				certainty := "safe: true"
				if i == 1 {
					certainty = "once: true"
				}
				return fmt.Sprintf(`as: "m%d", world: post: {what: "make%d", %s}`, i, i, certainty)
			}))
			if out := s.create("name", "a"); out.Err != nil {
				t.Fatal(out.Err)
			}
			w.on("make1", refused("it is there"))
			open := func() int {
				n := 0
				for _, i := range intents(t, w.journal) {
					if i.Open() && i.Step == 1 {
						n++
					}
				}
				return n
			}
			if out := s.create(inputs...); out.State == nil || open() != 1 {
				t.Fatalf("%d entries of the step are open after another create: %v", open(), out.Err)
			}
			// The host, killed once more, asks for a third, of other inputs again.
			if out := s.create("name", "a", "size", 3); out.State == nil || open() != 2 {
				t.Fatalf("%d entries of the step are open after a third create: %v", open(), out.Err)
			}
		})
	}
}

// What another step of the same create has done says nothing of this one.
func TestBegunElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld().on("make1", refused("it is there"))
	s := newScene(t, w, three(func(i int) string { return fmt.Sprintf(`as: "m%d", world: post: {what: "make%d", once: true}`, i, i) }))
	if out := s.create("name", "a"); out.Err == nil {
		t.Fatal("it was made")
	}
	for _, i := range intents(t, w.journal) {
		if i.Step == 1 {
			t.Errorf("what was refused is listed as %s", i.Status)
		}
	}
}

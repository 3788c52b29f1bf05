package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// aboutIn is a resource of two parts, which read asks for in two steps, in that order. Its
// inputs beside the name are of a type, of which read returns what the text says.
func aboutIn(inputs, first, second, returned string) string {
	return `inputs: {name: string @noRead(), ` + inputs + `}
	id: "${result.id}"
	consistency: "0s"
	find: world: look: {what: "find", with: "${inputs.name}"}
	delete: world: do: {what: "remove", with: "${id}"}
	read: {steps: [` + first + `, ` + second + `], return: ` + returned + `}
	`
}

const (
	askBucket = `{as: "b", world: look: {what: "bucket", with: "${id}"}, gone: "${result.gone ?? false}"}`
	askGroup  = `{as: "g", world: look: {what: "group", with: "${id}"}, gone: "${result.gone ?? false}"}`
	askMore   = `{as: "h", world: look: {what: "more", with: "${steps.g.ref}"}}`

	apart    = `title: string, members: [...string]`
	both     = `{title: "${steps.b.title}", members: "${steps.g.members}"}`
	together = `{title: string, members: [...string]}`

	makes     = `create: world: post: {what: "make", with: "${inputs}"}`
	makesUndo = `create: {world: post: {what: "make", with: "${inputs}"}, onFailure: [{world: do: {what: "undo", with: "${inputs.name}"}}]}`
	retries   = `create: {world: post: {what: "make", with: "${inputs}"}, retry: {attempts: 2, backoff: "1ms"}}`
	renames   = `update: steps: [{world: post: {what: "change", with: "${inputs}"}}, {world: look: {what: "reload", with: "${id}"}}]`
)

var partLast = aboutIn(apart, askBucket, askGroup, both)

// A way is one by which what find finds after a lost response becomes the resource's, or is
// undone or deleted for it. take reports whether it did.
type way struct {
	operations string
	take       func(s *scene, with func(name string) []any) bool
}

var adopting = way{makes, func(s *scene, with func(string) []any) bool {
	s.w.on("find", gone("it"), yields("id", "7"))
	return s.create(with("a")...).State != nil
}}

var ways = map[string]way{
	"adopt in the same run": adopting,
	"adopt in the next run": {makes, func(s *scene, with func(string) []any) bool {
		s.open(with)
		return s.create(with("a")...).State != nil
	}},
	"retry": {retries, func(s *scene, with func(string) []any) bool {
		s.w.on("find", gone("it"), yields("id", "7"))
		return s.create(with("a")...).State != nil
	}},
	"settle": {makes, func(s *scene, with func(string) []any) bool {
		s.open(with)
		out, err := s.e.Settle(s.Context(), engine.SettleRequest{Intent: intents(s.T, s.w.journal)[0]})
		return err == nil && out.Found && out.Doubt == ""
	}},
	"settle --delete": {makes, func(s *scene, with func(string) []any) bool {
		s.open(with)
		out, err := s.e.Settle(s.Context(), engine.SettleRequest{Intent: intents(s.T, s.w.journal)[0], Delete: true})
		deleted := slices.Contains(s.w.log(), "remove 7")
		if deleted != out.Deleted || deleted && err != nil || err == nil && !out.Found {
			s.Errorf("deleted: %v, and settle says %+v, %v", deleted, out, err)
		}
		return deleted
	}},
	"settle of other inputs": {makes, func(s *scene, with func(string) []any) bool {
		s.open(with)
		return s.create(with("c")...).State != nil
	}},
	"undo": {makesUndo, func(s *scene, with func(string) []any) bool {
		s.w.on("make", failed("half of it")).on("find", gone("it"), yields("id", "7"))
		s.create(with("a")...)
		return slices.Contains(s.w.log(), "undo a")
	}},
	"rename": {makes + "\n" + renames, func(s *scene, with func(string) []any) bool {
		s.w.on("make", yields("id", "old")).on("change", lost()).on("find", gone("it"), gone("it"), yields("id", "7"))
		bucket := s.w.hooks["bucket"]
		s.w.hooks["bucket"] = func(ctx context.Context, call *actions.Call) actions.Outcome {
			if call.Args["with"] == "old" {
				return gone("the old one")
			}
			return bucket(ctx, call)
		}
		made := s.create(with("a")...)
		if made.State == nil {
			s.Fatalf("%+v", made)
		}
		out := s.update(made.State, with("b")...)
		return out.State != nil && out.State.Private.ID == "7"
	}},
}

// open leaves a create open, of which find finds something from now on.
func (s *scene) open(with func(name string) []any) {
	s.Helper()
	s.w.on("find", gone("it"), gone("it"), yields("id", "7"))
	if out := s.create(with("a")...); out.Err == nil || out.State != nil || len(s.statuses()) != 1 {
		s.Fatalf("nothing was found of it, and there is %+v", out)
	}
	s.w.log()
}

// takes reports whether a way takes a resource, of which the world shows that title and what
// group says, and whose inputs are these.
func (does way) takes(t *testing.T, resource, title string, group actions.Outcome, inputs ...any) bool {
	t.Helper()
	w := newWorld().on("make", lost()).on("group", group)
	w.hooks["bucket"] = func(context.Context, *actions.Call) actions.Outcome { return yields("title", title) }
	s := newScene(t, w, resource+"\n"+does.operations)
	taken := does.take(s, func(name string) []any { return append(slices.Clone(inputs), "name", name) })
	if !taken && len(s.statuses()) == 0 {
		t.Error("nothing was taken, and nothing is open")
	}
	return taken
}

// TestWhatAPartOfAReadShows: where some steps of a read find nothing, what the others show
// is held against what was sent all the same, by each way.
func TestWhatAPartOfAReadShows(t *testing.T) {
	about := property.New(object("title", "mine", "members", []any{"x"}))
	type reading struct {
		spec   string
		inputs []any
	}
	flat := []any{"title", "mine", "members", []any{"x"}}
	reads := map[string]reading{
		"the part last":         {partLast, flat},
		"the part first":        {aboutIn(apart, askGroup, askBucket, both), flat},
		"one that relies on it": {aboutIn(apart, askBucket, askGroup+", "+askMore, both), flat},
		"both in one":           {aboutIn("about: "+together, askBucket, askGroup, "about: "+both), []any{"about", about}},
		"both in a list":        {aboutIn("about: [..."+together+"]", askBucket, askGroup, "about: ["+both+"]"), []any{"about", []any{about}}},
	}
	parts := map[string]struct {
		answer actions.Outcome
		own    bool
	}{
		"not found":       {gone("the group"), true},
		"gone":            {yields("gone", true), true},
		"not to be read":  {refused("not now"), false},
		"the same":        {yields("ref", "g", "members", []any{"x"}), true},
		"another's value": {yields("ref", "g", "members", []any{"y"}), false},
	}
	try := func(name string, does way, read reading) {
		for title, own := range map[string]bool{"mine": true, "somebody else's": false} {
			for part, is := range parts {
				runCase(t, strings.Join([]string{name, "title " + title, "part " + part}, "/"), func(t *testing.T) {
					t.Parallel()
					if taken := does.takes(t, read.spec, title, is.answer, read.inputs...); taken != (own && is.own) {
						t.Errorf("taken: %v", taken)
					}
				})
			}
		}
	}
	for name, does := range ways {
		try(name, does, reads["the part last"])
	}
	for name, read := range reads {
		try("read/"+name, adopting, read)
	}
}

// TestPartsComparedAsAWhole: what compares only as a whole says nothing while a part of it
// is unknown.
func TestPartsComparedAsAWhole(t *testing.T) {
	about := object("title", "mine", "members", []any{"x"})
	for name, tc := range map[string]struct {
		inputs, returned, title string
		about                   any
	}{
		"a set":       {"about: [..." + together + "] @set()", "about: [" + both + "]", "mine", []any{property.New(about)}},
		"by a key":    {"about: [..." + together + "] @key(title)", "about: [" + both + "]", "mine", []any{property.New(about)}},
		"by a rule":   {"about: " + together + ` @equal("${lower(old.title) == lower(new.title)}")`, "about: " + both, "Mine", property.New(about)},
		"as one text": {"about: string", `about: "${steps.b.title} ${steps.g.members[0]}"`, "mine", "mine x"},
	} {
		t.Run(name, func(t *testing.T) {
			if !adopting.takes(t, aboutIn(tc.inputs, askBucket, askGroup, tc.returned), tc.title, gone("the group"), "about", tc.about) {
				t.Error("it is its own, and is not taken")
			}
		})
	}
}

// TestTakenOverIsSaidOnceItIs: a create of two steps, of which the first was lost. The second
// brings what the second of read asks for, and a run says that it takes something over only
// if it does.
func TestTakenOverIsSaidOnceItIs(t *testing.T) {
	for name, tc := range map[string]struct {
		title   string
		group   actions.Outcome
		adopted bool
	}{
		"half made":                     {"mine", gone("the group"), true},
		"with a group of another":       {"mine", yields("members", []any{"y"}), true}, // the second step makes it its own
		"another's, half made":          {"somebody else's", gone("the group"), false},
		"another's":                     {"somebody else's", yields("members", []any{"x"}), false},
		"half made, and not to be read": {"mine", refused("not now"), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", lost()).on("bucket", yields("title", tc.title)).on("group", tc.group)
			s := newScene(t, w, strings.Replace(partLast, "result.id", "steps.b.id", 1)+`create: steps: [
				{as: "b", world: post: {what: "make", with: "${inputs.name} ${inputs.title}"}},
				{as: "g", world: post: {what: "group up", with: "${inputs.members}", safe: true}},
			]`)
			with := func(name string) []any { return []any{"name", name, "title", "mine", "members", []any{"x"}} }
			s.open(with)
			log := &recorder{}
			out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object(with("a")...), Log: log})
			said := slices.ContainsFunc(log.messages, func(m string) bool { return strings.Contains(m, "is taken over") })
			if adopted := out.State != nil; adopted != tc.adopted || said != tc.adopted {
				t.Errorf("adopted: %v, said: %v (%v)", adopted, said, out.Err)
			}
			if changed := slices.Contains(w.log(), "group up [x]"); changed != tc.adopted {
				t.Errorf("changed: %v", changed)
			}
		})
	}
}

// TestHalfOfItStands: what read finds in part is there, so that settle finds what an earlier
// create was told to have made, and that create is not forgotten.
func TestHalfOfItStands(t *testing.T) {
	for name, tc := range map[string]struct {
		bucket, group actions.Outcome
		stands        bool
	}{
		"a part":  {yields("title", "mine"), gone("the group"), true},
		"nothing": {gone("the bucket"), gone("the group"), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "17")).on("find", gone("it"), yields("id", "18"))
			w.on("bucket", tc.bucket).on("group", tc.group)
			s := newScene(t, w, partLast+makes)
			inputs := []any{"name", "a", "title", "mine", "members", []any{"x"}}
			if out := s.create(inputs...); out.Err != nil {
				t.Fatal(out.Err)
			}
			s.diesBeforeHanding()
			out, err := s.e.Settle(t.Context(), engine.SettleRequest{Intent: intents(t, w.journal)[0]})
			if err != nil || out.Found != tc.stands {
				t.Errorf("settle: %+v, %v", out, err)
			}
			if out := s.create(inputs...); out.Err == nil || out.State != nil {
				t.Fatalf("%+v", out)
			}
			if listed := len(s.statuses()) > 0; listed != tc.stands {
				t.Errorf("it is listed: %v", listed)
			}
		})
	}
}

package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestLostUpdatesOfUnreadInputs loses the responses to an update that changes an input which read does not
// show, before or after its effect, or refuses its second write, and runs another program, after a refresh
// or without. What read shows proves nothing of such an input: in the end the object has what the program
// says.
func TestLostUpdatesOfUnreadInputs(t *testing.T) {
	t.Parallel()
	made := object("size", 1, "key", "a")
	changes := map[string]property.Map{
		"the unread":       object("size", 1, "key", "b"),
		"both":             object("size", 2, "key", "b"),
		"the other":        object("size", 2, "key", "a"),
		"unread and unset": object("size", 1),
	}
	for name, first := range changes {
		for _, fault := range []string{"lost before", "lost after", "refused"} {
			for _, writes := range []int{1, 2} {
				for shows, key := range map[string]string{"nothing": "key?: string @noRead()", "a mask": "key?: string", "no required one": "key: string", "another form": "key?: string @normalised()", "a mask, rewritten": "key?: string @normalised()", "a mask of a secret": "key?: string @secret()"} {
					for then, second := range map[string]property.Map{"again": first, "reverted": made, "a third": object("size", 1, "key", "c"), "reverted, with another size": made.Set("size", property.New(3.0))} {
						for _, refreshes := range []bool{false, true} {
							if !first.Get("key").IsString() && shows != "nothing" {
								continue
							}
							runCase(t, fmt.Sprintf("%s, %s, %d writes, read shows %s, then %s, refresh %v", name, fault, writes, shows, then, refreshes), func(t *testing.T) {
								t.Parallel()
								losesUnread(t, unreadCase{fault, writes, shows, key, refreshes}, made, first, second)
							})
						}
					}
				}
			}
		}
	}
}

// unreadCase is what happens in an update of an input that read does not show.
type unreadCase struct {
	fault      string
	writes     int
	shows, key string
	refreshes  bool
}

func losesUnread(t *testing.T, of unreadCase, made, first, second property.Map) {
	t.Helper()
	w := newWorld()
	held, fails, sent := map[string]any{}, false, 0
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with, _ := call.Args["with"].(map[string]any)
		maps.Copy(held, with)
		return yields("id", "7")
	}
	w.hooks["patch"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if sent++; fails && of.fault == "refused" && sent == of.writes {
			return actions.Refuse(errLost)
		}
		if with, _ := call.Args["with"].(map[string]any); !fails || of.fault != "lost before" {
			maps.Copy(held, with)
		}
		if fails && of.fault != "refused" {
			return lost()
		}
		return yields()
	}
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		shown := map[string]any{"id": "7", "size": held["size"]}
		switch key, given := held["key"].(string); {
		case of.shows == "a mask", of.shows == "a mask, rewritten", of.shows == "a mask of a secret":
			shown["key"] = "***"
		case given && of.shows == "another form":
			shown["key"] = strings.ToUpper(key)
		}
		return actions.Succeed(shown)
	}
	update := `[{world: post: {safe: true, what: "patch", with: "${changes}"}, retry: attempts: 1}]`
	if of.writes == 2 {
		update = `[{world: post: {safe: true, what: "patch", with: "${pick(changes, 'key')}"}, retry: attempts: 1}, {world: post: {safe: true, what: "patch", with: "${pick(changes, 'size')}"}, retry: attempts: 1}]`
	}
	s := newScene(t, w, `inputs: {size: int, `+of.key+`}
	id: "${result.id}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: steps: `+update+`
	delete: world: do: what: "remove"`)
	out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: made})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	state := *out.State
	fails = true
	out = s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: first})
	if out.State != nil {
		state = *out.State
	}
	fails = false
	done := of.writes == 1 && of.fault == "lost after" && of.shows == "another form" && first.Get("size").AsNumber() == 2
	if done && (out.Err != nil || sent > of.writes) {
		t.Errorf("what was done is not recognised, or sent %d times: %+v", sent, out)
	}
	if of.refreshes {
		out = s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if out.Err != nil || out.State == nil {
			t.Fatal(out)
		}
		state = *out.State
	}
	diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: second})
	if err != nil {
		t.Fatal(err)
	}
	if len(diff.Changes) > 0 || diff.Force {
		if out = s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: second}); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	want := map[string]any{"size": int64(second.Get("size").AsNumber()), "key": nil}
	if key, given := second.GetOk("key"); given {
		want["key"] = key.AsString()
	}
	if diff := cmp.Diff(want, held); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
}

// TestLostUpdatesIgnoreChanges loses an update whose program ignores an input, which somebody else has changed
// since: the next update does not set it.
func TestLostUpdatesIgnoreChanges(t *testing.T) {
	t.Parallel()
	for _, refreshes := range []bool{false, true} {
		for _, ignore := range [][]string{{"kind"}, {"*"}} {
			t.Run(fmt.Sprintf("refresh %v, ignore %v", refreshes, ignore), func(t *testing.T) {
				t.Parallel()
				loses := false
				w := newWorld()
				w.hooks["change"] = func(context.Context, *actions.Call) actions.Outcome {
					if loses {
						return lost()
					}
					return yields()
				}
				w.on("get", yields("size", 1, "kind", "dog"))
				s := newScene(t, w, `inputs: {size: int, kind?: string}
	id: "7"
	create: world: do: what: "make"
	read: world: look: what: "get"
	update: {world: post: {safe: true, what: "change", with: "${changes}"}, retry: attempts: 1}
	delete: world: do: what: "remove"`)
				made := s.create("size", 1, "kind", "dog")
				w.on("get", yields("size", 1, "kind", "cat"))
				update := func(state engine.State, size int) engine.Result {
					return s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("size", size, "kind", "dog"), Ignore: ignore})
				}
				loses = true
				out := update(*made.State, 2)
				if loses = false; out.State == nil {
					t.Fatalf("%+v", out)
				}
				if refreshes {
					out = s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
				}
				w.log()
				if out := update(*out.State, 3); out.Err != nil {
					t.Fatal(out.Err)
				}
				for _, call := range w.log() {
					if strings.HasPrefix(call, "change") && strings.Contains(call, "kind") {
						t.Errorf("an ignored input was sent: %s", call)
					}
				}
			})
		}
	}
}

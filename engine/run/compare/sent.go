package compare

import (
	"context"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// Shown is what a read shows of an object after an update.
type Shown uint8

const (
	// Unclear means that read does not tell whether the update was done.
	Unclear Shown = iota
	// Wanted means that the object has the values that were sent.
	Wanted
	// Former means that it has those that were recorded before, and Other that it has others.
	Former
	Other
	// Absent means that read does not find the object.
	Absent
)

// Sent is an update that was sent.
type Sent struct {
	Rules
	// Before is the state before it, and Given are the inputs that it was to give the object. Ignore are the paths
	// whose changes the program ignores.
	Before recorded.State
	Given  property.Map
	Ignore []string
	// Part is true if it may be that not all of its steps were done.
	Part bool
	// Writes is how many steps with an effect the update has.
	Writes int
}

// ShownBy returns what the inputs show that a read has returned. unread are the inputs that it did not return.
// A server that still works on a lost request shows what was there before, and so does one that will never do it.
func (s Sent) ShownBy(ctx context.Context, seen property.Map, unread []string) Shown {
	rewritten := s.rewritten()
	switch canTell := s.canTell(slices.Concat(unread, rewritten)); {
	case !s.readReturnsInputs():
		return Unclear
	case s.same(ctx, s.Given, seen, rewritten):
		if canTell {
			return Wanted
		}
		return Unclear
	case canTell && s.same(ctx, s.Before.Inputs, seen, nil):
		return Former
	default:
		return Other
	}
}

// OfStep returns what the inputs that a read has returned show of a step of the update: that the object has what the step
// was to give it, or what it had before. What an earlier step sends, too, shows nothing of this one.
func (s Sent) OfStep(ctx context.Context, op *plan.Operation, step *plan.Step, seen property.Map, unread []string) Shown {
	unread = slices.Concat(unread, s.rewritten())
	sends, wanted, former, hidden := step.Changes(s.Resource), false, false, false
	for _, m := range s.Resource.Inputs.Fields {
		was, now, shown := s.Before.Inputs.Get(m.Name), s.Given.Get(m.Name), seen.Get(m.Name)
		of := s.Resource.Identity
		switch {
		case m.Ephemeral || !sends[m.Name] || value.PlainEqual(was, now):
		case of.Determines(m.Name) || slices.Contains(of.OfInputs, m.Name):
			return Unclear // a copy may be there under the other id
		case slices.ContainsFunc(op.Steps[:step.Index], func(e *plan.Step) bool { return e.Effect == actions.Write && e.Changes(s.Resource)[m.Name] }):
		case m.NoRead || slices.Contains(unread, m.Name):
			hidden = true
		case s.Read().IsSame(ctx, m, shown, now):
			wanted = true
		case s.Read().IsSame(ctx, m, shown, was):
			former = true
		default:
			return Other
		}
	}
	switch {
	case wanted && !former && !hidden:
		return Wanted
	case former && !wanted:
		return Former
	default:
		return Unclear
	}
}

// Confirms reports whether the inputs that a read has returned show that an object is the one to which the update was sent,
// although it has another id now: what was sent, in at least one input that the id does not say. known is true if
// something else shows it.
func (s Sent) Confirms(ctx context.Context, seen property.Map, unread []string, known bool) bool {
	rewritten := s.rewritten()
	return s.holds(ctx, seen, rewritten) && (known || slices.ContainsFunc(s.Resource.Inputs.Fields, func(m *value.Member) bool {
		hidden := m.NoRead || m.Ephemeral || slices.Contains(unread, m.Name) || slices.Contains(rewritten, m.Name)
		return !hidden && !s.Given.Get(m.Name).IsNull() && !s.Resource.Identity.Determines(m.Name)
	}))
}

// holds reports whether the inputs that a read has returned are those that were sent, but for those to ignore. Of an update
// that may be done in part, each may be the one of before.
func (s Sent) holds(ctx context.Context, seen property.Map, ignore []string) bool {
	ignore = slices.Concat(s.Ignore, ignore)
	changes := s.Read().Changes(ctx, seen, s.Given, ignore)
	if !s.Part {
		return len(changes) == 0
	}
	former := s.Read().Changes(ctx, seen, s.Before.Inputs, ignore)
	return !slices.ContainsFunc(changes, func(c value.Change) bool {
		return slices.ContainsFunc(former, func(f value.Change) bool { return value.TopLevel(f.Path) == value.TopLevel(c.Path) })
	})
}

// canTell reports whether read can tell that an update was done. It can if the update changes an input
// that read shows. An input that read does not show (unread) must be sent with it, in one request; after
// an earlier update with an unknown outcome, such an input may have any value.
func (s Sent) canTell(unread []string) bool {
	hidden, shown := false, false
	for _, m := range s.Resource.Inputs.Fields {
		was, now := s.Before.Inputs.Get(m.Name), s.Given.Get(m.Name)
		differs, failed := !value.PlainEqual(was, now), s.Before.Private.Failed
		switch {
		case m.Ephemeral:
		case !slices.Contains(unread, m.Name):
			shown = shown || differs
		case failed != nil:
			hidden = hidden || !was.IsNull() || !now.IsNull() || slices.Contains(failed.Given, m.Name)
		default:
			hidden = hidden || differs
		}
	}
	return shown && !(hidden && (s.Before.Private.Failed != nil || s.Writes > 1))
}

// rewritten returns the inputs with @normalised() that the update changes: read shows what the server has
// made of them, from which nothing follows.
func (s Sent) rewritten() (names []string) {
	for _, m := range s.Resource.Inputs.Fields {
		if m.Normalised && !value.PlainEqual(s.Before.Inputs.Get(m.Name), s.Given.Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	return names
}

// same reports whether the inputs that a read has returned are the wanted ones, but for those to ignore.
func (s Sent) same(ctx context.Context, want, seen property.Map, ignore []string) bool {
	return len(s.Read().Changes(ctx, seen, want, slices.Concat(s.Ignore, ignore))) == 0
}

// readReturnsInputs reports whether read returns any inputs at all.
func (s Sent) readReturnsInputs() bool {
	return slices.ContainsFunc(s.Resource.Inputs.Fields, func(m *value.Member) bool { return !m.NoRead && !m.Ephemeral })
}

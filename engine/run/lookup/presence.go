package lookup

import (
	"context"
	"errors"

	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Presence is what is in the place of the object of a recorded state.
type Presence uint8

const (
	// Untold means that the spec has nothing that tells.
	Untold Presence = iota
	// Absent means that nothing is there.
	Absent
	// Own means that an object is there, and that nothing speaks against its being the resource's own.
	Own
	// Foreign means that another object is there, so that the own one is gone.
	Foreign
	// Doubtful means that an object is there that may be another one.
	Doubtful
)

// Presence tells what is in the place of the object of a state, by read, or else by find. whole is true if all that the program has set
// must be as it was recorded, and not only what never changes. why says what differs.
func (res Instance) Presence(ctx context.Context, s recorded.State, whole bool) (is Presence, why string, err error) {
	switch {
	case res.Read != nil:
		return res.presenceByRead(ctx, s, whole)
	case res.Find != nil:
		return res.presenceByFind(ctx, s)
	default:
		return Untold, "", nil
	}
}

func (res Instance) presenceByRead(ctx context.Context, s recorded.State, whole bool) (Presence, string, error) {
	r, yield, err := res.ReadUntilSeen(ctx, s)
	switch {
	case errors.Is(err, verdict.ErrDenied):
		return Untold, "", r.Mask().Error(err)
	case errors.Is(err, verdict.ErrGone):
		return Absent, "", nil
	case errors.Is(err, verdict.ErrNotFound):
		return Own, "", nil // a later step of read found nothing: the object is incomplete, but there
	case err != nil:
		return Untold, "", r.Mask().Error(err)
	}
	seen, err := r.State(s, yield, false)
	if seen == nil {
		return Doubtful, r.Mask().Error(err).Error(), nil
	}
	if name, _ := r.CompareStable(s, *seen); name != "" {
		return Foreign, "its " + name + " is another one", nil
	}
	if name := res.differs(ctx, r, s, *seen, whole && s.Private.Failed == nil); name != "" {
		return Doubtful, "its inputs." + name + " is another one than was recorded", nil
	}
	return Own, "", nil
}

// differs returns the first input of an object that has another value than was recorded, "" if none has: of those that never change,
// or of all.
func (res Instance) differs(ctx context.Context, r reading.Reading, was, is recorded.State, all bool) string {
	for _, m := range res.Inputs.Fields {
		before, given := was.Inputs.GetOk(m.Name)
		if given && !before.IsNull() && (all || m.Replace) && !m.NoRead && !m.Ephemeral && !r.Rules.Read().IsSame(ctx, m, before, is.Inputs.Get(m.Name)) {
			return m.Name
		}
	}
	return ""
}

func (res Instance) presenceByFind(ctx context.Context, s recorded.State) (Presence, string, error) {
	id, _, found, err := res.FindID(ctx, s.Inputs)
	switch {
	case err != nil:
		return Untold, "", err
	case found == nil:
		return Absent, "", nil
	case id != "" && id != recorded.CurrentID(s):
		return Foreign, "its id is another one", nil
	default:
		return Own, "", nil
	}
}

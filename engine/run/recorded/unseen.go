package recorded

import (
	"fmt"
	"time"

	"github.com/declprov/declprov/engine/plan"
)

// An object may have another id than the one that the program chose: a service that is sent a POST may number
// what it makes. Every later read and delete would then miss it, and the next create make another one.

// UnseenError returns the error of a create after which read does not find the object by the id that the program
// chose. missed is that of the read, consistency how long it was repeated.
func UnseenError(id string, consistency time.Duration, missed error) error {
	again := ""
	if consistency > 0 {
		again = fmt.Sprintf(", %s later", consistency)
	}
	return fmt.Errorf("it was made, but read does not find it by the id %q, which the program chose%s: %w; if the service gives it an id of its own, remove the object by hand, "+
		"and let the spec take the id from the response (`id: \"${body.id}\"`); if the service shows it later, say within what time (`consistency`): `pulumi up` looks again", id, again, missed)
}

// NeverSeen returns a warning about the object of a state that is found neither now, by its delete or a refresh,
// nor after its create. It is nil if the object was seen.
func NeverSeen(res *plan.Resource, s State) error {
	f := s.Private.Failed
	if f == nil || !res.Unproven || f.Op != string(plan.Create) || f.Step < len(res.Create.Steps) {
		return nil
	}
	return fmt.Errorf("its create succeeded, but nothing was ever found by the id %q: if the service gave the object an id of its own, it still exists, and has to be removed by hand", CurrentID(s))
}

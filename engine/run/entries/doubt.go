package entries

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
)

// Doubt is a step with an unknown outcome, whose entry stays open.
type Doubt struct {
	Resource *plan.Resource
	Verb     plan.Verb
	Step     *plan.Step
	// Key is that of its entry.
	Key string
	// Refused is true if the last attempt was refused, Resent if find found nothing before that, and Renames if the
	// operation changes an input that is part of the id, or that find looks by.
	Refused, Resent, Renames bool
}

// Remedy returns what settles the entry.
func (d Doubt) Remedy() string {
	s, made := d.Step, d.Resource.Maker
	again := d.Resource.Finds(s) || s.Certainty.Repeatable() || d.Verb == plan.Update
	forget := fmt.Sprintf("`declprov journal forget %s`", d.Key)
	const unknown = "it is not known whether the step had an effect: "
	switch {
	case d.Refused && d.Verb == plan.Create && made != nil && s.Index > made.Index:
		return "an earlier attempt may have had an effect, and this one was refused: look in the service for what it makes, and remove it if it is left of that; then " + forget + ", and `pulumi up`"
	case d.Refused && (d.Resent || !d.Resource.Finds(s) && d.Verb == plan.Create):
		return "an earlier attempt may have had an effect" + map[bool]string{true: " that find does not find"}[d.Resent] + ", and this one was refused: look for it in the service, and import it if it is there; then " + forget + " removes it from the journal"
	case d.Verb == plan.Update && d.Resource.Find == nil && s.Certainty != actions.Keyed && d.Renames:
		return "it is not known whether it has its new name: look for it in the service. If it has, run `pulumi state delete` and `pulumi import`, else `pulumi up`; `declprov journal` lists it until " + forget
	case again:
		return unknown + "run `pulumi up`, which finds out or repeats it; `declprov journal` lists it until then"
	case s.Certainty == actions.Conditional:
		return unknown + "check the service before you run `pulumi up` again, which is refused if it had; `declprov journal` lists it until " + forget
	}
	return unknown + "check the service before you run `pulumi up` again, which repeats the step; `declprov journal` lists it until " + forget
}

// UnseenError returns the error of a create whose object exists, according to its entry, while find finds nothing.
func UnseenError(i journal.Intent) error {
	return fmt.Errorf("an earlier create made the object %q, which still exists, but find does not find it: import it if it is yours", i.ID)
}

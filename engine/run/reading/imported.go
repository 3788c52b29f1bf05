package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// The text of an import may name an object in another way than its id does: an API may take a name for a number. But a
// read that asks for a part of the text only returns whatever has that part, which may be somebody else's.

// Imported is the question whether an import has found what its text asks for.
type Imported struct {
	Reading
	// Text is the state that the text gives, Found the one that was read by it, and Yield the value of that read.
	Text, Found recorded.State
	Yield       any
	// Again reads the object of another state.
	Again func(recorded.State) (Reading, any, error)
}

// Confirm returns an error unless what was found is what the text asks for. It warns if the text names it in another way than the id, or
// if nothing shows whether a part of the text is right.
func (n Imported) Confirm(ctx context.Context) error {
	was, now := recorded.CurrentID(n.Text), n.Found.ID
	names, ignored := n.renamed(ctx)
	renamed := was != "" && was != now
	if renamed && (n.Resource.Identity.Answered || names == nil) && !n.Operation.AsksFor("id") {
		ignored = append(ignored, "id")
	}
	if ignored != nil {
		return fmt.Errorf("it returned the object %q, which has another %s than the import says, and does not ask for that: nothing is recorded, because it may be somebody else's. "+
			"If you mean it, import it as %q; else let read ask for ${%s}", now, diag.And(ignored), n.importText(n.Found), ignored[0])
	}
	if names != nil || renamed {
		if err := n.confirmAlias(names); err != nil {
			return fmt.Errorf("it was asked for %s and returned the object %q, %w: nothing is recorded, because it may be somebody else's. If you mean it, import it as %q",
				asked(names, was, now), now, err, n.importText(n.Found))
		}
		n.warnOfAlias(names, was, now)
	}
	if shown, err := value.ProjectRead(n.Resource.Inputs, n.Yield, n.Mask()); err == nil {
		n.warnOfUnverified(shown)
		n.warnOfSlashes(shown)
	}
	return nil
}

// renamed returns the inputs that the text of an import gives, and of which read shows other values. Ignored are those
// that read does not ask for.
func (n Imported) renamed(ctx context.Context) (names, ignored []string) {
	for _, m := range n.Resource.Inputs.Fields {
		was, given := n.Text.Inputs.GetOk(m.Name)
		if !given || m.Normalised || n.Rules.Read().IsSame(ctx, m, was, n.Found.Inputs.Get(m.Name)) {
			continue
		}
		if name := "inputs." + m.Name; n.asksFor(m.Name) {
			names = append(names, name)
		} else {
			ignored = append(ignored, name)
		}
	}
	return names, ignored
}

// asksFor reports whether read asks for an input, by itself or as a part of the id.
func (n Imported) asksFor(input string) bool {
	return n.Operation.AsksFor("inputs."+input) || slices.Contains(n.Resource.Identity.OfInputs, input) && n.Operation.AsksFor("id")
}

// warnOfUnverified warns of inputs that the text of an import gives, and that read neither asks for nor shows.
func (n Imported) warnOfUnverified(shown value.Projection) {
	var names []string
	for _, m := range n.Resource.Inputs.Fields {
		_, given := n.Text.Inputs.GetOk(m.Name)
		if _, there := shown.Values[m.Name]; given && !there && !n.asksFor(m.Name) {
			names = append(names, "inputs."+m.Name)
		}
	}
	if names != nil {
		n.Log.Message(operation.Warning, fmt.Sprintf("read neither asks for %s nor returns it: it is recorded as the import says, and nothing shows whether that is right", diag.And(names)))
	}
}

// warnOfSlashes warns of a slash at an end of a text that read asks for and does not return: a lenient server ignores it.
func (n Imported) warnOfSlashes(shown value.Projection) {
	for _, m := range n.Resource.Inputs.Fields {
		v, given := n.Text.Inputs.GetOk(m.Name)
		if _, there := shown.Values[m.Name]; !given || there || !v.IsString() || strings.Trim(v.AsString(), "/") == v.AsString() {
			continue
		}
		other := n.Found
		other.Inputs = other.Inputs.Set(m.Name, property.New(strings.Trim(v.AsString(), "/")))
		n.Log.Message(operation.Warning, fmt.Sprintf("the import says that inputs.%s is %q, and read does not show whether the slash belongs to it. If not, import it as %q", m.Name, v.AsString(), n.importText(other)))
	}
}

// confirmAlias returns why what was found may not be what the text asks for: it does not show what it was asked for, or its id
// does not lead to the same object.
func (n Imported) confirmAlias(names []string) error {
	for _, name := range names {
		m := n.Resource.Inputs.ByName[strings.TrimPrefix(name, "inputs.")]
		if text := m.Check.Plain(n.Text.Inputs.Get(m.Name), nil, &value.Secrets{}); !shows(n.Yield, text) {
			return fmt.Errorf("which does not show the %s that the import says", name)
		}
	}
	if was := recorded.CurrentID(n.Text); was != n.Found.ID && was != "" && (names == nil || n.Resource.Identity.Answered) && !shows(n.Yield, was) {
		return errors.New("which does not show that")
	}
	as := recorded.State{ID: n.Found.ID, Private: n.Text.Private}
	as.Private.Lookup = true // another id is no error here
	for name := range n.Text.Inputs.AllStable {
		as.Inputs = as.Inputs.Set(name, n.Found.Inputs.Get(name))
	}
	again, yield, err := n.Again(as)
	if errors.Is(err, verdict.ErrGone) {
		return errors.New("and reading that finds nothing")
	}
	var seen *recorded.State
	if err == nil {
		seen, err = again.State(as, yield, true)
	}
	switch {
	case err != nil:
		return fmt.Errorf("and reading that fails: %w", err)
	case seen.ID != n.Found.ID:
		return fmt.Errorf("and reading that returns %q", seen.ID)
	}
	if differs, _ := again.CompareRest(n.Found, *seen); differs != "" {
		return fmt.Errorf("and reading that shows another %s", differs)
	}
	return nil
}

// warnOfAlias warns of an import by a text that names the object in another way than its id does.
func (n Imported) warnOfAlias(names []string, was, now string) {
	n.Log.Message(operation.Warning, fmt.Sprintf("it was asked for %s, and returned the object %q, which is recorded: check that you mean this one", asked(names, was, now), now))
}

// asked describes what the text of an import names in another way than the id.
func asked(names []string, was, now string) string {
	if was == "" || was == now {
		return diag.And(names)
	}
	return fmt.Sprintf("the id %q", was)
}

// shows reports whether a value is a text, or contains it, in whatever case.
func shows(v, text any) bool {
	switch v := expr.Reveal(v, nil).(type) {
	case map[string]any:
		for _, item := range v {
			if shows(item, text) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return shows(item, text) })
	default:
		return v != nil && strings.EqualFold(fmt.Sprint(v), fmt.Sprint(text))
	}
}

package recorded

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// RemedyFor says what to do about an object in the place of the one that a create of the resource is to make. gone says that
// read does not find the object that find has found.
func (t *Tokens) RemedyFor(o Object, ref Ref, token string, gone bool) string {
	by, known := t.Superseded(o, token) // this create may have claimed the name already
	switch {
	case known && by.Resource != OwnerName(ref):
		return fmt.Sprintf("it belongs to %s, and two resources cannot share an object: choose another name, or remove one of them", by.Resource)
	case gone:
		return "read says that it is gone, and find finds it. If its deletion goes on, run `pulumi up` again later; a step with `until` in the delete of the spec waits for its end. " +
			"If the API keeps what is deleted, find in the spec must leave it out, by the condition in the `gone` of read; if the name stays taken, choose another one, or restore the object"
	case known:
		return "it is the object that this resource replaces: set `deleteBeforeReplace: true` in the program's options, or `diff: deleteBeforeReplace: true` in the spec. " +
			"If it has the option `retainOnDelete`, Pulumi does not delete it: choose another name, or run `pulumi up` without this option first, and then make the change"
	case t.Deleted(o):
		return "it was deleted a moment ago, and the deletion goes on: run `pulumi up` again later; a step with `until` in the delete of the spec waits for its end"
	}
	return "import it if it is yours, else choose another name. If this resource had it before, and its deletion failed, run `pulumi up` with the program of then, which deletes it; " +
		"if `--replace` or `pulumi state taint` is to replace it, set `deleteBeforeReplace: true` in the program's options, without `retainOnDelete`; " +
		"if it had another name in the program, add `aliases` with that name to its options"
}

// NewNameRemedy returns what to do about a resource that may exist under another id than that.
func NewNameRemedy(id string) string {
	return fmt.Sprintf("look for it in the service. If it is there under its new name, "+
		"run `pulumi state delete` and `pulumi import`; if %q was deleted, `pulumi refresh`", id)
}

// UnaskedRemedy returns what to do about an object of which nothing tells whether it is ready. key is the URN of the resource.
func UnaskedRemedy(key string) string {
	return fmt.Sprintf("look for it in the service: once it is ready, run `pulumi state delete '%s'` and import it; else `pulumi up --replace '%s'` makes it anew", key, key)
}

// TakenError reports that an object belongs to another resource.
type TakenError struct{ ID, Owner, Remedy string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%q belongs to %s, and two resources cannot share an object: %s", e.ID, e.Owner, e.Remedy)
}

// ResponseRemedy says what to do about a response that names the object of another resource.
const ResponseRemedy = "the response to the create names it, so nothing is recorded of this create. If the program means one object, remove one of the two; " +
	"else run `pulumi refresh`, which shows whether the object of the other one has changed, and look in the service for what this create has made"

// spokenNull matches a word for null in the message of a server.
var spokenNull = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(null|nil|none|nonetype)\b`) })

// ExplainNull adds to the error of an update that speaks of null how the author of the spec avoids it, if the program has removed an
// input: an update sends null for that, and many APIs only take an empty text or list.
func ExplainNull(of *plan.Resource, before, given property.Map, failure error) error {
	empty := map[spec.Kind]string{spec.String: "*\"\" | string", spec.List: "*[] | [...string]", spec.Map: "*{} | {[string]: string}"}
	for _, m := range of.Inputs.Fields {
		was, now := before.Get(m.Name), given.Get(m.Name)
		if written := empty[m.Check.Spec.Kind]; !was.IsNull() && now.IsNull() && written != "" && !m.NoRead && spokenNull().MatchString(failure.Error()) {
			return fmt.Errorf("%w; the program has removed %s, for which an update sends null. If the API does not take that, give the input a default in the spec, such as `%s: %s`", failure, m.Name, m.Name, written)
		}
	}
	return failure
}

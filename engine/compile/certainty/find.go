package certainty

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// checkFindType reports a `find` whose result is of another type than the response of the create
// that it replaces: the run continues with that result.
func (c *checker) checkFindType() {
	r := c.r
	if r.Find == nil || r.Find.Stepless() || c.findFailed() || r.Maker == nil || !r.Maker.Returns || r.Maker.ForEach != nil {
		return
	}
	at, from := plan.Last(r.Find.Steps).At, plan.Last(r.Find.Steps).Yields()
	if r.Find.Return != nil {
		at, from = r.Spec.Find.Return.Range, r.Find.Return.Type()
	}
	found := *r.Types.Resolve(from)
	found.Nullable = false // null means that nothing was found
	response := r.Maker.Yields()
	if err := types.Projectable(&found, response, r.Types); err != nil {
		c.Fail(finding.CodeTypeMismatch, at, "find", fmt.Sprintf("find yields a value that is not %s, which the create returns: %s", value.Describe(response), err),
			"The result of find replaces a lost response of the create, so it must have its type. Convert it with `return`, or make members optional that it lacks.")
		return
	}
	if path, untyped := c.untypedMember(&found, response, "", 0); untyped {
		what := "the result of find"
		if path != "" {
			what = fmt.Sprintf("member %q of the result of find", path)
		}
		c.Warn(finding.CodeFindUntyped, at, "find", fmt.Sprintf("%s has no type, and replaces %s, which the create returns", what, value.Describe(response)),
			"Whether it fits shows only after a response was lost, and then members may have other names and lack defaults. Add `returns` to the step of find.")
	}
}

// findFailed reports whether find has a mistake, also one that the loader has reported: what find
// yields, and what it depends on, is not known then.
func (c *checker) findFailed() bool {
	m := c.r.Spec.Find
	return c.HasFailed("find") || m.Return != nil && finding.IsReported(m.Return)
}

// maxDepth is the depth to which types are compared that may contain themselves.
const maxDepth = 8

// untypedMember returns the path of the first member of find's result that is untyped where the
// response contains a struct: its names on the wire are not converted. The result as a whole is
// compared with any typed response.
func (c *checker) untypedMember(found, response *spec.Type, path string, depth int) (at string, untyped bool) {
	found, response = c.r.Types.Resolve(found), c.r.Types.Resolve(response)
	switch {
	case depth > maxDepth || response.Kind == spec.Any:
		return "", false
	case found.Kind == spec.Any:
		return path, path == "" || c.hasStruct(response, 0)
	case found.Kind == spec.Object && response.Kind == spec.Object:
		for _, p := range response.Fields {
			if f := found.Field(p.Name); f != nil {
				if at, untyped = c.untypedMember(f.Type, p.Type, value.Join(path, p.Name), depth+1); untyped {
					return at, true
				}
			}
		}
	case found.Elem != nil && response.Elem != nil:
		return c.untypedMember(found.Elem, response.Elem, path+"[]", depth+1)
	}
	return "", false
}

// hasStruct reports whether a value of the type may contain a struct.
func (c *checker) hasStruct(t *spec.Type, depth int) bool {
	t = c.r.Types.Resolve(t)
	switch {
	case t.Kind == spec.Object:
		return true
	case depth > maxDepth:
		return false
	case t.Kind == spec.Union:
		return slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return c.hasStruct(v, depth+1) })
	default:
		return t.Elem != nil && c.hasStruct(t.Elem, depth+1)
	}
}

// checkFindInputs warns about a `find` that does not depend on the inputs: its result may be any
// other object, and is taken for the created one. If the id does not depend on the inputs either,
// there is only one object.
func (c *checker) checkFindInputs() {
	r := c.r
	if r.Find == nil || r.Find.Stepless() || r.Find.Broken || c.findFailed() || r.ID == nil || !r.ID.RefersTo(slices.Concat([]string{"inputs", "resource", "steps"}, plan.AnswerNames)...) {
		return
	}
	if slices.ContainsFunc(r.Find.Steps, func(s *plan.Step) bool { return s.Effect == actions.Write }) {
		return // which was reported
	}
	if expr.Mention(r.Find.Refs(), "inputs", "resource") {
		return
	}
	at := plan.Last(r.Find.Steps).At
	if r.Find.Return != nil {
		at = r.Spec.Find.Return.Range
	}
	c.Warn(finding.CodeFindAny, at, "find", fmt.Sprintf("find of %s does not depend on the inputs", r.Spec.Name),
		"Its result is taken for the created object, but may belong to somebody else. Look for what tells this object from others, as in `\"${find(body, #.name == inputs.name)}\"` or `path: \"/things/${inputs.name}\"`.")
}

// checkFindGone warns about a find that sends the request of read, but lacks the condition by which read finds that the object is
// gone: it would find what does not exist, and no object could be created.
func (c *checker) checkFindGone() {
	find, read := c.r.Find, c.r.Read
	if find == nil || read == nil || find.Broken || read.Broken || len(find.Steps) == 0 || len(read.Steps) == 0 || c.HasFailed("find") || c.HasFailed("read") {
		return
	}
	f, r := find.Steps[0], read.Steps[0]
	gone := r.Model.Gone
	switch {
	case gone == nil || gone.Kind != spec.StringNode, f.Model.Gone != nil, f.Kind != r.Kind, len(find.Steps) > 1:
		return
	case find.Return != nil && (types.IsAny(find.Return.Type()) || types.MayBeNull(find.Return.Type(), c.r.Types)):
		return // null says so, too
	case c.requestOf(f) == "" || c.requestOf(f) != c.requestOf(r):
		return
	}
	c.Warn(finding.CodeFindNotGone, f.At, "find", fmt.Sprintf("find finds an object of %s that read says is gone", c.r.Spec.Name),
		fmt.Sprintf("It sends the same request, and a create is refused if it finds something. Add the condition of read: `gone: %q`.", gone.Text))
}

// searched matches a member of what a search has found, or null: find(body, .name == inputs.name)?.id.
var searched = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(find|first|last)\(.*\)\?\.`) })

// checkFindAlways warns about a find whose `return` is a struct with members of what a search finds: it is something, and no null,
// also if the search finds nothing, so every create would be refused.
func (c *checker) checkFindAlways() {
	find := c.r.Find
	if find == nil || find.Return == nil || find.Broken || c.r.Spec.Find.Return.Kind != spec.MapNode || slices.ContainsFunc(find.Steps, func(s *plan.Step) bool { return s.Gone != nil }) {
		return
	}
	for _, f := range c.r.Spec.Find.Return.Fields {
		if searched().MatchString(f.Value.Text) {
			c.Warn(finding.CodeFindAlways, f.Value.Range, "find", fmt.Sprintf("find of %s finds something whatever the response is", c.r.Spec.Name),
				"Its `return` is a struct also if the search finds nothing, and a create is refused if find finds something. Return null then: `return: \"${let found = find(…); found == null ? null : {id: found.id}}\"`.")
			return
		}
	}
}

// requestOf returns the address and the query of a request, as written, with the id as inputs; "" if they are not in one place.
func (c *checker) requestOf(s *plan.Step) string {
	if s.Place == "" || s.Args["query"].Node != nil {
		return ""
	}
	for _, name := range []string{"path", "url"} {
		if n := s.Args[name].Node; n != nil {
			_, query, _ := strings.Cut(n.Text, "?")
			return c.placeOf(s) + "?" + query
		}
	}
	return ""
}

package check

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/types"
)

// Resources are the resources of the spec, to which expressions cannot refer.
type Resources struct {
	// Own is the resource of the expression, or "".
	Own string
	// Named returns the resource that a name stands for, which may be in another style, or "".
	Named func(name string) string
}

// membersAfter matches the members and indices that follow a name.
var membersAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\??\.[A-Za-z_]\w*|\[[^\]]*\])*`) })

// otherResource is a reference to a resource in an expression.
type otherResource struct {
	translator
	foreign.Reference
	// written is the whole reference, and whole is where it is.
	written string
	whole   parse.Extent
}

// referenceAt reads a reference to a resource that begins with a name.
func referenceAt(c translator, name string, at parse.Extent) (otherResource, bool) {
	if c.scope.Resources == nil {
		return otherResource{}, false
	}
	after := membersAfter().FindString(c.Text(parse.Extent{From: at.To, To: len(c.extents.Source)}))
	path := []string{name}
	for _, m := range strings.FieldsFunc(after, func(r rune) bool { return strings.ContainsRune(".?[]", r) }) {
		if isPath().MatchString(m) {
			path = append(path, m)
		}
	}
	ref, ok := foreign.ParseReference(path, c.scope.Resources.Named)
	return otherResource{c, ref, name + after, parse.Extent{From: at.From, To: at.To + len([]rune(after))}}, ok
}

// isMeant reports whether an unknown name stands for the resource, and for nothing that is available.
func (o otherResource) isMeant(name string, available []string) bool {
	member := o.memberAfter(parse.Extent{From: o.whole.From, To: o.whole.From + len([]rune(name))})
	switch holder := o.holder(name); {
	case o.Resource == "":
		return o.lacksRoot(name, member, available)
	case holder != "":
		return member != "" && o.isScalar(holder, name)
	case o.At == 0 && name != o.Resource: // an item, as of a loop, may be called as its type
		return o.lacksRoot(name, member, available)
	default:
		return true
	}
}

// lacksRoot reports whether no name that is available stands for another one with a member.
func (o otherResource) lacksRoot(name, member string, available []string) bool {
	root := o.rootOf(name, member, available)
	return root == "" || o.lacks(root, member)
}

// isScalar reports whether a member of a name of the scope has no members.
func (o otherResource) isScalar(name, member string) bool {
	t := types.Resolve(o.scope.Available(name).Type, o.Types)
	p := t.Field(member)
	if p == nil {
		return false
	}
	switch types.Present(types.Resolve(p.Type, o.Types), o.Types).Kind {
	case spec.String, spec.Int, spec.Number, spec.Bool:
		return true
	default:
		return false
	}
}

// failReference reports the reference, with the input or the value of this resource that is meant.
func (o otherResource) failReference(code string, at parse.Extent, format string, args ...any) TypedPart {
	own, remedy := o.meant()
	out := o.Fail(code, at, remedy, format, args...)
	if own != "" {
		o.last().Suggest(diag.Edit{At: o.place.At(o.whole), Old: o.written, Text: own})
	}
	return out
}

// meant returns what to write, "" if that must be declared first, and the remedy.
func (o otherResource) meant() (own, remedy string) {
	if o.Resource != "" && o.Resource == o.scope.Resources.Own {
		own = o.ofOwn()
		if own == "" {
			return "", fmt.Sprintf("%s is this resource: its values are inputs, state and id.", o.Resource)
		}
		return own, fmt.Sprintf("%s is this resource. Write %s.", o.Resource, own)
	}
	if o.Resource == "" {
		return "", "A spec sees no other resources. Declare an input, which the program sets."
	}
	small := strings.ToLower(o.Resource[:1]) + o.Resource[1:]
	input := small + strings.ToUpper(o.Member[:1]) + o.Member[1:]
	candidates := []string{input, small + "_" + o.Member}
	if o.Member == "id" || o.Member == "name" || o.Member == "key" {
		candidates = append(candidates, small)
	}
	for _, name := range candidates {
		if o.has("inputs", name) {
			own = "inputs." + name
			return own, fmt.Sprintf("An expression sees its own resource only. The program passes the value of another one: write %s.", own)
		}
	}
	if o.scope.Available("inputs") == nil {
		return "", "An expression sees its own resource only, and here not even that."
	}
	return "", fmt.Sprintf("An expression sees its own resource only. Declare an input, such as `%s: string`, and write inputs.%[1]s. The program passes the value: `%[1]s: ${NAME.%s}` in YAML, where NAME is its %s.",
		input, o.Member, o.Resource)
}

// ofOwn returns what a reference to this resource means, or "".
func (o otherResource) ofOwn() string {
	if o.Member == "id" && o.scope.Available("id") != nil {
		return "id"
	}
	for _, name := range []string{"inputs", "state"} {
		if o.has(name, o.Member) {
			return name + "." + o.Member
		}
	}
	return ""
}

// meansResource reports resource.User.id, which is about another resource elsewhere.
func (m *memberCheck) meansResource(at parse.Extent) bool {
	base := m.base.At
	if m.Text(base) != "resource" {
		return false
	}
	o, ok := referenceAt(translator{m.checker}, "resource", base)
	if !ok {
		return false
	}
	o.failReference(types.CodeUnknownMember, at, "resource has no member %q", m.Text(at))
	return true
}

package engine

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// step is a compiled step.
type step struct {
	index  int
	model  *spec.Step
	name   string // for people: `step 2 ("wait")`
	family *actions.Family
	kind   *actions.Kind
	action string // "file.write"
	args   map[string]argument
	// defaults are those of the family's block, recalled those of them in whose place the
	// step gives its own, and that the action wants all the same.
	defaults, recalled map[string]argument
	effect             actions.Effect
	// arrives names what of a response is typed; returns says that the step declares
	// it, so that a response is held against it.
	arrives value.Naming
	returns bool
	// secretNames are the names on the wire of what in a response is declared secret.
	secretNames []string
	// certainty, ambiguous and overwrites are what the kind says of the call: see
	// actions.Kind. Of a broken call they say nothing.
	certainty  actions.Certainty
	ambiguous  func(class string) bool
	overwrites bool
	// place and makes are what the kind says of where the call goes: see actions.Kind.
	place  string
	makes  bool
	result *spec.Type
	// telling is the type of the result where an argument is secret; nil where that
	// changes nothing. hides says that the result has secret members either way.
	telling *spec.Type
	hides   bool
	// yield is the member of the result that the step yields, "" the whole: see
	// actions.Kind.
	yield string
	// named are the programs that it runs because it names them itself, in a spec
	// without a permissions block.
	named []permission
	// asks are what it asks the permissions for.
	asks []request

	when, forEach, until, refused, fail, progress, gone, lock *expr.Value
	// over is what is known of what forEach goes over: a list, a map, or spec.Any.
	over           spec.Kind
	every, timeout *expr.Value
	retry          *retry
	undo           []*step
	// restart is the index of the step from which a run goes on that stopped at
	// this one: its own, unless the spec says otherwise.
	restart int
	// at is where its action's name stands.
	at diag.Range
	// known says that the action compiled far enough for effect and result to be
	// its own; else they err on the side of caution.
	known bool
	// wants are the members of the result that the spec refers to, see want;
	// wantsAll says that it is used whole.
	wants    map[string]bool
	wantsAll bool
}

// yields is the type of what an operation yields that ends with the step, and
// says nothing else: of an answer, its body.
func (s *step) yields() *spec.Type {
	if s.yield == "" || s.forEach != nil {
		return s.result
	}
	if p := s.result.Field(s.yield); p != nil {
		return p.Type
	}
	return &spec.Type{}
}

// overridden keeps what of the family's defaults the step gives its own for.
func (s *step) overridden(defaults map[string]argument) {
	s.defaults = defaults
	for name, d := range defaults {
		if own := s.args[name]; own.node != nil && own.decl.Recalled && !own.inherited {
			if s.recalled == nil {
				s.recalled = map[string]argument{}
			}
			s.recalled[name] = d
		}
	}
}

// static is what is known of the step's call before it runs.
func (s *step) static() actions.Static {
	st := actions.Static{
		Nodes: map[string]*spec.Node{}, Literals: map[string]any{}, Types: map[string]*spec.Type{}, Secret: map[string]bool{},
		Sources: map[string]actions.Source{}, Requests: map[string]*spec.Node{}, Defaults: map[string]*spec.Node{},
	}
	for name, a := range s.defaults {
		st.Defaults[name] = a.node
	}
	for name, a := range s.args {
		st.Nodes[name] = a.whole()
		if st.Sources[name] = a.source(""); a.request != nil {
			st.Requests[name] = a.request
		}
		if a.typ != nil {
			st.Types[name] = a.typ
		}
		if late := a.parts.late(name); late != nil {
			st.Types[name] = late.Type()
		}
		if a.value != nil {
			st.Secret[name] = a.value.Secret()
			if v, ok := a.value.Const(); ok {
				st.Literals[name] = v
			}
		}
	}
	return st
}

// typed reports whether an argument says of which type the response is.
func (s *step) typed() bool {
	for _, a := range s.args {
		if a.typ != nil && a.decl.Mode == actions.Typed {
			return true
		}
	}
	return false
}

// retry is a compiled `retry` block.
type retry struct {
	on                          []string
	when                        *expr.Value
	attempts                    *expr.Value
	backoff, maxBackoff, jitter *expr.Value
}

// coversDoubt reports whether the policy is also about failures after which
// nobody knows what was done.
func (p *retry) coversDoubt(s *step) bool {
	return len(p.on) == 0 || s.ambiguous != nil && slices.ContainsFunc(p.on, s.ambiguous)
}

// certain notes where a call goes, and what is known of one that was not answered.
func (s *step) certain(facts actions.Facts) {
	s.place, s.makes = facts.Place, facts.Makes
	if s.effect != actions.Write {
		return
	}
	s.certainty, s.overwrites, s.ambiguous = facts.Certainty, facts.Overwrites, s.kind.Ambiguous
}

// usesResults reports whether the step is made of the results of earlier ones: a
// name that the server has just given is nobody else's.
func (s *step) usesResults() bool {
	for _, v := range s.templates() {
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			if ref.Path[0] == "steps" || slices.Contains(answerNames, ref.Path[0]) {
				return true
			}
		}
	}
	return false
}

// refs are what a step's templates refer to before it runs.
func (s *step) refs() []expr.Ref {
	var refs []expr.Ref
	for _, v := range s.templates() {
		if v != nil {
			refs = append(refs, v.Refs()...)
		}
	}
	if s.forEach != nil {
		refs = append(refs, s.forEach.Refs()...)
	}
	for _, a := range s.args {
		for _, part := range a.parts.all() {
			refs = append(refs, part.refs()...)
		}
	}
	return refs
}

// needs reports whether a member of the result is referred to.
func (s *step) needs(member string) bool {
	of, _, dotted := strings.Cut(member, ".")
	return s.wantsAll || s.wants[member] || dotted && s.wants[of+".*"]
}

// want notes that a member of the result is referred to: whole, or, with a
// dotted name, a member of it or of its elements.
func (s *step) want(path []string) {
	if len(path) == 0 {
		s.wantsAll = true
		return
	}
	s.wants[path[0]] = true
	inner := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "*" })
	if len(inner) > 1 {
		s.wants[inner[0]+"."+inner[1]] = true
	} else {
		s.wants[path[0]+".*"] = true // whatever it has
	}
}

// ownTemplates are those evaluated with the step's own result.
func (s *step) ownTemplates() []*expr.Value {
	out := []*expr.Value{s.until, s.refused, s.fail, s.progress, s.gone}
	if s.retry != nil {
		out = append(out, s.retry.when)
	}
	return out
}

// templates are those evaluated before the step runs.
func (s *step) templates() []*expr.Value {
	out := []*expr.Value{s.when, s.lock, s.every, s.timeout}
	for _, a := range s.args {
		out = append(out, a.value)
	}
	return out
}

func (s *step) hasVerdicts() bool {
	return s.refused != nil || s.fail != nil || s.gone != nil || s.progress != nil || s.until != nil
}

// ownsWhatItSends reports whether what is there after the step was sent is the resource's
// own, whatever was answered. Of other steps that is only known once they were answered as
// done: somebody else may have been there before. The journal lists those.
func (s *step) ownsWhatItSends() bool {
	return s.certainty == actions.Safe || s.certainty == actions.Keyed || s.certainty == actions.Settled
}

// tells reports whether `made` has a member for the step.
func (s *step) tells() bool { return s.model.As != "" && s.effect == actions.Write }

// sends are the inputs that a step's templates refer to; whole says that one refers
// to all of them.
func (s *step) sends(res *resource) (names map[string]bool, whole bool) {
	names = map[string]bool{}
	for _, ref := range s.refs() {
		switch {
		case ref.Path[0] != "inputs":
		case len(ref.Path) < 2:
			whole = true
		case res.inputs.ByName[ref.Path[1]] != nil:
			names[ref.Path[1]] = true
		}
	}
	return names, whole
}

// aliased adds to the paths of the step's response those by its other names:
// body id is also result body id, and steps NAME body id.
func (s *step) aliased(paths [][]string) [][]string {
	out := slices.Clone(paths)
	for _, path := range paths {
		whole := path
		switch {
		case path[0] == "result":
			if len(path) > 1 && s.hasShorthands() && slices.Contains(shorthandNames, path[1]) {
				out = append(out, path[1:])
			}
		case slices.Contains(shorthandNames, path[0]) && s.hasShorthands():
			whole = append([]string{"result"}, path...)
			out = append(out, whole)
		default:
			continue
		}
		if s.model.As != "" {
			out = append(out, append([]string{"steps", s.model.As}, whole[1:]...))
		}
	}
	return out
}

// established are the paths that are known not to be null once the step is done:
// what its `until` says, and what its refused, fail and gone would have found.
func (s *step) established() [][]string {
	if s.model.If != nil || s.forEach != nil {
		return nil // it may not have run, or yields a list
	}
	var paths [][]string
	if s.until != nil {
		paths = append(paths, s.until.Present()...)
	}
	for _, v := range []*expr.Value{s.refused, s.fail, s.gone} {
		if v != nil {
			paths = append(paths, v.Passed()...)
		}
	}
	return s.aliased(paths)
}

func (s *step) hasShorthands() bool {
	return s.family != nil && s.family.Name == "http" && s.forEach == nil
}

// dependsOnInputs reports whether an input has a say in what the step needs.
func (s *step) dependsOnInputs(n request) bool {
	each := s.forEach != nil && slices.ContainsFunc(s.forEach.Refs(), isInputRef)
	return slices.ContainsFunc(n.refs(), func(ref expr.Ref) bool { return isInputRef(ref) || each && ref.Path[0] == "each" })
}

// valueOf returns the compiled form of a part of the step's arguments: the argument's
// own where it is a whole one.
func (s *step) valueOf(n *spec.Node, scope *expr.Scope) *expr.Value {
	if n == nil {
		return nil
	}
	for _, a := range s.args {
		switch {
		case a.node == n && a.rest == n && a.value != nil:
			return a.value
		case a.node != nil && len(a.node.Items) > 0 && a.node.Items[0] == n && len(a.words) == len(a.node.Items):
			return a.words[0].value
		}
	}
	v, diags := expr.Compile(n, scope, nil)
	if diags.HasErrors() {
		return nil
	}
	return v
}

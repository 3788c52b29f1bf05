package plan

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Step is a compiled step.
type Step struct {
	Index  int
	Model  *spec.Step
	Name   string // for people: `step 2 ("wait")`
	Family *actions.Family
	Kind   *actions.Kind
	Action string // "file.write"
	Args   map[string]Argument
	// defaults are those of the family's block, Recalled those of them in whose place the
	// step gives its own, and that the action wants all the same.
	defaults, Recalled map[string]Argument
	Effect             actions.Effect
	// Arrives names what of a response is typed; Returns says that the step declares
	// it, so that a response is held against it.
	Arrives value.Naming
	Returns bool
	// SecretNames are the names on the wire of what in a response is declared secret.
	SecretNames []string
	// Certainty, ambiguous and Overwrites are what the kind says of the call: see
	// actions.Kind. Of a broken call they say nothing.
	Certainty  actions.Certainty
	ambiguous  func(class string) bool
	Overwrites bool
	// Place and Makes are what the kind says of where the call goes: see actions.Kind.
	Place  string
	Makes  bool
	Result *spec.Type
	// Telling is the type of the result where an argument is secret; nil where that
	// changes nothing. Hides says that the result has secret members either way.
	Telling *spec.Type
	Hides   bool
	// Yield is the member of the result that the step yields, "" the whole: see
	// actions.Kind.
	Yield string
	// Named are the programs that it runs because it names them itself, in a spec
	// without a permissions block.
	Named []Permission
	// Asks are what it asks the permissions for.
	Asks []Request

	When, ForEach, Until, Refused, Fail, Progress, Gone, Lock *expr.Value
	// Over is what is known of what ForEach goes over: a list, a map, or spec.Any.
	Over           spec.Kind
	Every, Timeout *expr.Value
	Retry          *Retry
	Undo           []*Step
	// Restart is the index of the step from which a run goes on that stopped at
	// this one: its own, unless the spec says otherwise.
	Restart int
	// At is where its action's name stands.
	At diag.Range
	// Known says that the action compiled far enough for effect and result to be
	// its own; else they err on the side of caution.
	Known bool
	// Wants are the members of the result that the spec refers to, see Want;
	// WantsAll says that it is used whole.
	Wants    map[string]bool
	WantsAll bool
}

// Yields is the type of what an operation yields that ends with the step, and
// says nothing else: of an answer, its body.
func (s *Step) Yields() *spec.Type {
	if s.Yield == "" || s.ForEach != nil {
		return s.Result
	}
	if p := s.Result.Field(s.Yield); p != nil {
		return p.Type
	}
	return &spec.Type{}
}

// Overridden keeps what of the family's defaults the step gives its own for.
func (s *Step) Overridden(defaults map[string]Argument) {
	s.defaults = defaults
	for name, d := range defaults {
		if own := s.Args[name]; own.Node != nil && own.Decl.Recalled && !own.Inherited {
			if s.Recalled == nil {
				s.Recalled = map[string]Argument{}
			}
			s.Recalled[name] = d
		}
	}
}

// Static is what is known of the step's call before it runs.
func (s *Step) Static() actions.Static {
	st := actions.Static{
		Nodes: map[string]*spec.Node{}, Literals: map[string]any{}, Types: map[string]*spec.Type{}, Secret: map[string]bool{},
		Sources: map[string]actions.Source{}, Requests: map[string]*spec.Node{}, Defaults: map[string]*spec.Node{},
	}
	for name, a := range s.defaults {
		st.Defaults[name] = a.Node
	}
	for name, a := range s.Args {
		st.Nodes[name] = a.whole()
		if st.Sources[name] = a.Source(""); a.Request != nil {
			st.Requests[name] = a.Request
		}
		if a.Type != nil {
			st.Types[name] = a.Type
		}
		if late := a.Parts.late(name); late != nil {
			st.Types[name] = late.Type()
		}
		if a.Value != nil {
			st.Secret[name] = a.Value.Secret()
			if v, ok := a.Value.Const(); ok {
				st.Literals[name] = v
			}
		}
	}
	return st
}

// Typed reports whether an argument says of which type the response is.
func (s *Step) Typed() bool {
	for _, a := range s.Args {
		if a.Type != nil && a.Decl.Mode == actions.Typed {
			return true
		}
	}
	return false
}

// Retry is a compiled `retry` block.
type Retry struct {
	On                          []string
	When                        *expr.Value
	Attempts                    *expr.Value
	Backoff, MaxBackoff, Jitter *expr.Value
}

// CoversDoubt reports whether the policy is also about failures after which
// nobody knows what was done.
func (p *Retry) CoversDoubt(s *Step) bool {
	return len(p.On) == 0 || s.ambiguous != nil && slices.ContainsFunc(p.On, s.ambiguous)
}

// Certain notes where a call goes, and what is known of one that was not answered.
func (s *Step) Certain(facts actions.Facts) {
	s.Place, s.Makes = facts.Place, facts.Makes
	if s.Effect != actions.Write {
		return
	}
	s.Certainty, s.Overwrites, s.ambiguous = facts.Certainty, facts.Overwrites, s.Kind.Ambiguous
}

// UsesResults reports whether the step is made of the results of earlier ones: a
// name that the server has just given is nobody else's.
func (s *Step) UsesResults() bool {
	for _, v := range s.Templates() {
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			if ref.Path[0] == "steps" || slices.Contains(AnswerNames, ref.Path[0]) {
				return true
			}
		}
	}
	return false
}

// Refs are what a step's templates refer to before it runs.
func (s *Step) Refs() []expr.Ref {
	var refs []expr.Ref
	for _, v := range s.Templates() {
		if v != nil {
			refs = append(refs, v.Refs()...)
		}
	}
	if s.ForEach != nil {
		refs = append(refs, s.ForEach.Refs()...)
	}
	for _, a := range s.Args {
		for _, part := range a.Parts.All() {
			refs = append(refs, part.Refs()...)
		}
	}
	return refs
}

// Needs reports whether a member of the result is referred to.
func (s *Step) Needs(member string) bool {
	of, _, dotted := strings.Cut(member, ".")
	return s.WantsAll || s.Wants[member] || dotted && s.Wants[of+".*"]
}

// Want notes that a member of the result is referred to: whole, or, with a
// dotted name, a member of it or of its elements.
func (s *Step) Want(path []string) {
	if len(path) == 0 {
		s.WantsAll = true
		return
	}
	s.Wants[path[0]] = true
	inner := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "*" })
	if len(inner) > 1 {
		s.Wants[inner[0]+"."+inner[1]] = true
	} else {
		s.Wants[path[0]+".*"] = true // whatever it has
	}
}

// OwnTemplates are those evaluated with the step's own result.
func (s *Step) OwnTemplates() []*expr.Value {
	out := []*expr.Value{s.Until, s.Refused, s.Fail, s.Progress, s.Gone}
	if s.Retry != nil {
		out = append(out, s.Retry.When)
	}
	return out
}

// Templates are those evaluated before the step runs.
func (s *Step) Templates() []*expr.Value {
	out := []*expr.Value{s.When, s.Lock, s.Every, s.Timeout}
	for _, a := range s.Args {
		out = append(out, a.Value)
	}
	return out
}

func (s *Step) HasVerdicts() bool {
	return s.Refused != nil || s.Fail != nil || s.Gone != nil || s.Progress != nil || s.Until != nil
}

// OwnsWhatItSends reports whether what is there after the step was sent is the resource's
// own, whatever was answered. Of other steps that is only known once they were answered as
// done: somebody else may have been there before. The journal lists those.
func (s *Step) OwnsWhatItSends() bool {
	return s.Certainty == actions.Safe || s.Certainty == actions.Keyed || s.Certainty == actions.Settled
}

// Tells reports whether `made` has a member for the step.
func (s *Step) Tells() bool { return s.Model.As != "" && s.Effect == actions.Write }

// Sends are the inputs that a step's templates refer to; whole says that one refers
// to all of them.
func (s *Step) Sends(res *Resource) (names map[string]bool, whole bool) {
	names = map[string]bool{}
	for _, ref := range s.Refs() {
		switch {
		case ref.Path[0] != "inputs":
		case len(ref.Path) < 2:
			whole = true
		case res.Inputs.ByName[ref.Path[1]] != nil:
			names[ref.Path[1]] = true
		}
	}
	return names, whole
}

// aliased adds to the paths of the step's response those by its other names:
// body id is also result body id, and steps NAME body id.
func (s *Step) aliased(paths [][]string) [][]string {
	out := slices.Clone(paths)
	for _, path := range paths {
		whole := path
		switch {
		case path[0] == "result":
			if len(path) > 1 && s.HasShorthands() && slices.Contains(ShorthandNames, path[1]) {
				out = append(out, path[1:])
			}
		case slices.Contains(ShorthandNames, path[0]) && s.HasShorthands():
			whole = append([]string{"result"}, path...)
			out = append(out, whole)
		default:
			continue
		}
		if s.Model.As != "" {
			out = append(out, append([]string{"steps", s.Model.As}, whole[1:]...))
		}
	}
	return out
}

// Established are the paths that are known not to be null once the step is done:
// what its `until` says, and what its refused, fail and gone would have found.
func (s *Step) Established() [][]string {
	if s.Model.If != nil || s.ForEach != nil {
		return nil // it may not have run, or yields a list
	}
	var paths [][]string
	if s.Until != nil {
		paths = append(paths, s.Until.Present()...)
	}
	for _, v := range []*expr.Value{s.Refused, s.Fail, s.Gone} {
		if v != nil {
			paths = append(paths, v.Passed()...)
		}
	}
	return s.aliased(paths)
}

// HasShorthands reports whether members of the result are names of their own after the
// step.
func (s *Step) HasShorthands() bool {
	return s.Family != nil && s.Family.Shorthands && s.ForEach == nil
}

// DependsOnInputs reports whether an input has a say in what the step needs.
func (s *Step) DependsOnInputs(n Request) bool {
	each := s.ForEach != nil && slices.ContainsFunc(s.ForEach.Refs(), IsInputRef)
	return slices.ContainsFunc(n.Refs(), func(ref expr.Ref) bool { return IsInputRef(ref) || each && ref.Path[0] == "each" })
}

// ValueOf returns the compiled form of a part of the step's arguments: the argument's
// own where it is a whole one.
func (s *Step) ValueOf(n *spec.Node, scope *expr.Scope) *expr.Value {
	if n == nil {
		return nil
	}
	for _, a := range s.Args {
		switch {
		case a.Node == n && a.Rest == n && a.Value != nil:
			return a.Value
		case a.Node != nil && len(a.Node.Items) > 0 && a.Node.Items[0] == n && len(a.Words) == len(a.Node.Items):
			return a.Words[0].Value
		}
	}
	v, diags := expr.Compile(n, scope, nil)
	if diags.HasErrors() {
		return nil
	}
	return v
}

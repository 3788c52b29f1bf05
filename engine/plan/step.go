package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Step is a compiled step: one call of an action.
type Step struct {
	Index int
	Model *spec.Step
	Name  string // for messages: `step 2 ("wait")`
	// At is the position of the action's name.
	At diag.Range
	// Known is true if the action compiled well enough for Effect and Result to be
	// right. Otherwise they are conservative.
	Known bool
	Call
	Effect actions.Effect
	// Target and Loss are not set if the call has mistakes; Loss is only set if it has an effect.
	actions.Target
	actions.Loss
	Response
	Verdicts
	Flow
}

// Call is what a step calls.
type Call struct {
	Family *actions.Family
	Kind   *actions.Kind
	Action string // "file.write"
	Args   map[string]Argument
	// defaults are the arguments of the family's block. Recalled are those of them that
	// the step overrides and the action still requires.
	defaults, Recalled map[string]Argument
	// Named are the programs that the step names and may therefore run, in a spec
	// without a permissions block.
	Named []Permission
	// Requests are the permissions that the step needs.
	Requests []Request
}

// Verdicts are the templates that judge a response.
type Verdicts struct {
	Refused, Fail, Gone *expr.Value
	// GoneFirst is true if `gone` is evaluated before `refused` and `fail`: if the step has no effect,
	// or removes something, so that nothing is left to do.
	GoneFirst bool
	// Inherits says which verdicts are defaults of the family. They see the response as it was
	// received: see Received.
	Inherits struct{ Refused, Fail bool }
}

// Flow says whether, how often and how long a step runs, and what follows if it fails.
type Flow struct {
	When, ForEach *expr.Value
	// ForEachKind is the kind of ForEach's value: a list, a map, or spec.Any if it is
	// not known.
	ForEachKind                           spec.Kind
	Until, Progress, Every, Timeout, Lock *expr.Value
	Retry                                 *Retry
	Undo                                  []*Step
	// Restart is the index of the step with which the operation resumes if it stopped at
	// this step. It is the step itself by default.
	Restart int
}

// Yields returns the type of the result of an operation that ends with the step and
// has no `return`. For a response it is the type of the body.
func (s *Step) Yields() *spec.Type {
	if s.Yield == "" || s.ForEach != nil {
		return s.Result
	}
	if p := s.Result.Field(s.Yield); p != nil {
		return p.Type
	}
	return &spec.Type{}
}

// OnlyChanges reports whether a step sets members of the object that its path names, as PATCH does:
// such a request is taken for one that may be repeated.
func (s *Step) OnlyChanges() bool { return s.Place != "" && !s.Makes }

// SetDefaults sets the family's defaults, and keeps those in Recalled that the step
// overrides.
func (c *Call) SetDefaults(defaults map[string]Argument) {
	c.defaults = defaults
	for name, d := range defaults {
		if own := c.Args[name]; own.Node != nil && own.Decl.Recalled && !own.Inherited {
			if c.Recalled == nil {
				c.Recalled = map[string]Argument{}
			}
			c.Recalled[name] = d
		}
	}
}

// Static returns what is known about the call before it runs.
func (c *Call) Static() actions.Static {
	st := actions.Static{
		Nodes: map[string]*spec.Node{}, Literals: map[string]any{}, Types: map[string]*spec.Type{}, Secret: map[string]bool{}, Free: map[string][]string{},
		Sources: map[string]actions.Source{}, Requests: map[string]*spec.Node{}, Defaults: map[string]*spec.Node{},
	}
	for name, a := range c.defaults {
		st.Defaults[name] = a.Node
	}
	for name, a := range c.Args {
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
			st.Secret[name], st.Types[name], st.Free[name] = a.Value.Secret(), a.Value.Type(), a.Value.Free()
			if v, ok := a.Value.Const(); ok {
				st.Literals[name] = v
			}
		}
	}
	return st
}

// Typed reports whether an argument declares the type of the response.
func (c *Call) Typed() bool {
	for _, a := range c.Args {
		if a.Type != nil && a.Decl.Mode == actions.Typed {
			return true
		}
	}
	return false
}

// MustNotBeRepeated reports whether a step has an effect that a `retry` of all steps must not repeat.
func MustNotBeRepeated(s *Step) bool {
	return s.Effect == actions.Write && s.Known && !s.Certainty.Repeatable()
}

// Retry is a compiled `retry` block.
type Retry struct {
	On                          []string
	When                        *expr.Value
	Attempts                    *expr.Value
	Backoff, MaxBackoff, Jitter *expr.Value
	// OnlyRefused is true if the policy only covers attempts that certainly had no effect.
	OnlyRefused bool
}

// CoversDoubt reports whether the policy includes failures after which the effect of
// the step is unknown.
func (p *Retry) CoversDoubt(s *Step) bool {
	return len(p.On) == 0 || s.Kind.Ambiguous != nil && slices.ContainsFunc(p.On, s.Kind.Ambiguous)
}

// SetCertainty sets the facts about the target of the call and about lost responses.
func (s *Step) SetCertainty(facts actions.Facts) {
	s.Target = facts.Target
	if s.Effect == actions.Write {
		s.Loss = facts.Loss
	}
}

// TakesNewReads reports whether the step, once sent with an unknown outcome, may be sent with what its reads
// return now: it goes to the same address, where the server has one object, and replaces that.
func (s *Step) TakesNewReads() bool {
	return s.Address != nil && (s.Certainty == actions.Safe || s.SendsETag) && !slices.ContainsFunc(s.Address, func(name string) bool {
		return s.Args[name].Value.RefersTo(append([]string{"steps", "each"}, AnswerNames...)...)
	})
}

// IsAtCollection reports whether the call does not say which object it replaces: in its address, there
// are only the configuration, the session, and the given inputs, which say where objects are. If the
// server chooses their ids, each run creates another one.
func (s *Step) IsAtCollection(parents []string) bool {
	return s.Address != nil && !slices.ContainsFunc(s.Address, func(name string) bool {
		v := s.Args[name].Value
		return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool {
			isParent := ref.Path[0] == "inputs" && len(ref.Path) > 1 && slices.Contains(parents, ref.Path[1])
			return ref.Path[0] != "config" && ref.Path[0] != "session" && !isParent
		})
	})
}

// Doubt notes that each run creates another object.
func (s *Step) Doubt() {
	s.OverwriteRemedy = ""
	if s.Certainty != actions.Safe {
		return
	}
	s.Certainty = actions.Uncertain
	if s.Retry != nil && s.Model.Retry == nil {
		s.Retry.OnlyRefused = true
	}
}

// UsesResults reports whether the step uses results of earlier steps. A name that the
// server has just assigned cannot belong to anybody else.
func (s *Step) UsesResults() bool {
	return expr.Mention(s.refsOfElement(), append([]string{"steps"}, AnswerNames...)...)
}

// Refs returns the references that are evaluated before the step runs.
func (s *Step) Refs() []expr.Ref { return slices.Concat(s.ForEach.Refs(), s.refsOfElement()) }

// refsOfElement is Refs without those of forEach. It includes the late parts of arguments, but not the
// names that these have of their own.
func (s *Step) refsOfElement() []expr.Ref {
	return slices.Concat(s.When.Refs(), s.Lock.Refs(), s.Every.Refs(), s.Timeout.Refs(), s.argumentRefs())
}

// argumentRefs returns the references of the arguments.
func (s *Step) argumentRefs() (refs []expr.Ref) {
	for _, a := range s.Args {
		refs = append(refs, a.Value.Refs()...)
		for _, part := range a.Parts.All() {
			refs = append(refs, part.Refs()...)
		}
	}
	return refs
}

// ExposedRefs returns the references of the arguments that others can read, such as paths and command lines.
func ExposedRefs(s *Step) (refs []expr.Ref) {
	for _, a := range s.Args {
		for _, v := range a.Exposes {
			refs = append(refs, v.Refs()...)
		}
	}
	return refs
}

// LocatingRefs returns the references of an argument that says which object a call is about, or where that is. The program of a
// command says neither.
func LocatingRefs(a Argument) (refs []expr.Ref) {
	for i, w := range a.Words {
		if i > 0 {
			refs = append(refs, w.Value.Refs()...)
		}
	}
	for _, v := range a.Exposes {
		if a.Decl.Mode != actions.Words {
			refs = append(refs, v.Refs()...)
		}
	}
	for of := &a; of != nil && of.Decl.Locates; of = of.Under {
		refs = append(refs, of.Value.Refs()...)
	}
	return refs
}

// ownRefs returns the references that are evaluated with the step's own result.
func (s *Step) ownRefs() []expr.Ref {
	refs := slices.Concat(s.Until.Refs(), s.Refused.Refs(), s.Fail.Refs(), s.Progress.Refs(), s.Gone.Refs())
	if s.Retry != nil {
		refs = append(refs, s.Retry.When.Refs()...)
	}
	return refs
}

// undoRefs returns the references of the undo steps of the step, without those to results of undo steps.
func undoRefs(s *Step) []expr.Ref {
	var out []expr.Ref
	for n, u := range s.Undo {
		for _, ref := range u.Refs() {
			if of, _ := ResultOf(s.Undo[:n], nil, ref.Path); of == nil {
				out = append(out, ref)
			}
		}
		for _, ref := range u.ownRefs() {
			if of, _ := ResultOf(s.Undo[:n], u, ref.Path); of == nil {
				out = append(out, ref)
			}
		}
	}
	return out
}

// LoopInput returns the name of the input whose elements the step goes through, "" if its forEach is
// another expression.
func (s *Step) LoopInput() string {
	if s.ForEach == nil {
		return ""
	}
	if pieces := s.ForEach.Segments(); len(pieces) == 1 && IsInput(pieces[0]) {
		return pieces[0].Ref[1]
	}
	return ""
}

// HasVerdicts reports whether the step has templates that judge its result.
func (s *Step) HasVerdicts() bool {
	return s.Refused != nil || s.Fail != nil || s.Gone != nil || s.Progress != nil || s.Until != nil
}

// OwnsWhatItSends reports whether the object belongs to the resource once the step
// was sent, whatever the response. Other steps must have been answered as done,
// because the object may have existed before. The journal lists the intents of those.
func (s *Step) OwnsWhatItSends() bool {
	return s.Certainty == actions.Safe || s.Certainty == actions.Keyed || s.Certainty == actions.Settled
}

// IsInMade reports whether `made` has a member for the step.
func (s *Step) IsInMade() bool { return s.Model.As != "" && s.Effect == actions.Write }

// Sends returns the inputs to which the step's templates refer. whole is true if a
// template refers to all inputs.
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

// Changes returns the inputs whose values, or changes, the arguments of a step of an update refer to.
func (s *Step) Changes(res *Resource) map[string]bool {
	names := map[string]bool{}
	for _, ref := range s.argumentRefs() {
		if ref.Path[0] != "inputs" && ref.Path[0] != "changes" {
			continue
		}
		for _, m := range res.Inputs.Fields {
			if len(ref.Path) < 2 || ref.Path[1] == m.Name {
				names[m.Name] = true
			}
		}
	}
	return names
}

// aliased adds the synonyms of paths in the step's response: body.id is also
// result.body.id and steps.NAME.body.id.
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

// Established returns the paths that cannot be null once the step is done, because of
// its `until`, `refused`, `fail` and `gone`.
func (s *Step) Established() [][]string {
	if s.Model.If != nil || s.ForEach != nil {
		return nil // it may not run, or its result is a list
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

// Once returns the step as it is while it runs for one element of its forEach: without it. What
// the step says of its response is about that of one element.
func (s *Step) Once() *Step {
	if s.ForEach == nil {
		return s
	}
	once := *s
	once.ForEach = nil
	return &once
}

// hasShorthand reports whether a member of the result is also a top-level name after the step.
func (s *Step) hasShorthand(name string) bool {
	return slices.ContainsFunc(Shorthands(s), func(n expr.Name) bool { return n.Name == name })
}

// HasShorthands reports whether members of the result are also top-level names after
// the step.
func (s *Step) HasShorthands() bool {
	return s.Family != nil && s.Family.Shorthands && s.ForEach == nil
}

// DependsOnInputs reports whether a request of the step depends on an input.
func (s *Step) DependsOnInputs(n Request) bool {
	each := s.ForEach != nil && slices.ContainsFunc(s.ForEach.Refs(), IsInputRef)
	return slices.ContainsFunc(n.Refs(), func(ref expr.Ref) bool { return IsInputRef(ref) || each && ref.Path[0] == "each" })
}

// ValueOf returns the compiled form of a part of the step's arguments. If the part is
// a whole argument, that is the argument's own value.
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

package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// granted tells one request of a program from others.
type granted struct {
	access grant.Access
	name   *expr.Value
}

// ungranted is what a step would be refused.
type ungranted struct {
	// property is the path of the input that decides it, or "".
	property, reason string
}

func (u *ungranted) Error() string {
	if u.property == "" {
		return u.reason
	}
	return u.property + ": " + u.reason
}

// Is makes the error one of fs.ErrPermission's kind, as those of the actions are.
func (u *ungranted) Is(target error) bool { return target == fs.ErrPermission }

// refuseUngranted reports the inputs that make create ask for what is not granted.
// What depends on the answers of its steps waits for the preview.
func (e *Engine) refuseUngranted(res *plan.Resource, ref Ref, inputs property.Map, f *value.Findings) {
	if !slices.ContainsFunc(res.Asking, func(s *plan.Step) bool { return !e.grantedAsTheyAre(s, inputs) }) {
		return
	}
	r := e.newRun(f.Context, res, res.Create, plan.Create, ref, nil)
	r.inputs(inputs)
	for _, name := range plan.NamesOfAnswers {
		r.vars.Values[name] = expr.Unknown{}
	}
	if r.open() != nil {
		return // it depends on the grants, and the operation reports it
	}
	for _, s := range res.Asking {
		for _, u := range r.ungranted(s) {
			told := slices.ContainsFunc(f.List, func(other Failure) bool { return other.Path == u.property })
			if u.property != "" && !told {
				f.Add(u.property, "%s", u.reason)
			}
		}
	}
}

// grantedAsTheyAre reports whether all that the step asks for are inputs as they are, and
// granted: most are, and to know it takes no run.
func (e *Engine) grantedAsTheyAre(s *plan.Step, inputs property.Map) bool {
	if e.perInput || len(s.Named) > 0 {
		return false
	}
	vars := expr.Vars{Values: map[string]any{"config": e.plainConfig}}
	for _, n := range s.Asks {
		v := inputs.Get(n.Input)
		if n.Input == "" || !v.IsString() {
			return false
		}
		name := v.AsString()
		if n.Root != nil && name != "" && !filepath.IsAbs(name) {
			below, err := n.Root.Eval(&vars)
			root, isText := below.(string)
			if err != nil || !isText {
				return false
			}
			name = filepath.Join(root, name)
		}
		if refusedBy(e.env, n.Access, name) != nil {
			return false
		}
	}
	return true
}

// refuseStep is the error of a step of a preview that would be refused what it needs.
func (r *run) refuseStep(ctx context.Context, s *plan.Step) error {
	if len(s.Asks) == 0 {
		return nil
	}
	defer r.evaluateIn(r.evaluateIn(unsent{ctx}))
	if found := r.ungranted(s); len(found) > 0 {
		return r.stop(s, 1, actions.Refused, found[0])
	}
	return nil
}

// ungranted returns what the step, or a turn of it, needs and is not granted, as far as
// that is known. What cannot be evaluated is left to the step itself.
func (r *run) ungranted(s *plan.Step) []*ungranted {
	if len(s.Asks) == 0 {
		return nil
	}
	if s.ForEach == nil {
		return r.ungrantedOnce(s, nil)
	}
	over, err := r.evaluate(s.ForEach)
	if err != nil || over.plain == nil {
		return nil
	}
	elements, _, err := loopElements(over.marked)
	if err != nil {
		return nil
	}
	defer r.secrets.Forget("each")
	defer delete(r.vars.Values, "each")
	var out []*ungranted
	for _, el := range elements {
		r.put("each", map[string]any{"key": el.key, "value": el.value})
		out = append(out, r.ungrantedOnce(s, &el)...)
	}
	return out
}

// ungrantedOnce is ungranted for one turn of a forEach, or without one.
func (r *run) ungrantedOnce(s *plan.Step, el *loopElement) (out []*ungranted) {
	if wanted, err := r.truth(s.When, true); err != nil || !wanted {
		return nil
	}
	env, err := r.envOf(s)
	if err != nil {
		return nil
	}
	for _, n := range s.Asks {
		if r.grantedBefore(s, n) {
			continue
		}
		asked := r.asked(n)
		if !asked.known {
			continue
		}
		reason := r.refusal(env, n.Access, asked)
		switch {
		case reason == "":
			r.rememberGranted(s, n)
		case !r.undecided(s, n.Access):
			out = append(out, &ungranted{property: r.blamed(s, n, el), reason: r.mask().Text(reason)})
		}
	}
	return out
}

// grantedBefore reports whether the request was found granted, for all who make it. Every
// preview of a resource would ask the same: most requests of an API go to one host.
func (r *run) grantedBefore(s *plan.Step, n plan.Request) bool {
	if !r.grantsForAll(s, n) {
		return false
	}
	_, found := r.engine.granted.Load(granted{n.Access, n.Name})
	return found
}

func (r *run) rememberGranted(s *plan.Step, n plan.Request) {
	if r.grantsForAll(s, n) {
		r.engine.granted.Store(granted{n.Access, n.Name}, nil)
	}
}

// grantsForAll reports whether all resources that make the request get the same answer.
func (r *run) grantsForAll(s *plan.Step, n plan.Request) bool {
	return n.Fixed && !r.engine.perInput && len(s.Named) == 0
}

// asked is an evaluated request.
type asked struct {
	text          string
	known, secret bool
}

// asked evaluates a request, as its action would.
func (r *run) asked(n plan.Request) asked {
	switch n.Access {
	case grant.Connect:
		return r.askedOrigin(n.Name)
	case grant.Run:
		out, err := r.evaluate(n.Name)
		if items, isList := out.plain.([]any); isList && len(items) > 0 {
			out.plain = items[0]
		}
		text, isText := out.plain.(string)
		return asked{text, err == nil && isText, out.secret}
	default:
		return r.askedPath(n)
	}
}

// askedPath is the path of a request, from its root on.
func (r *run) askedPath(n plan.Request) asked {
	at, err := r.evaluate(n.Name)
	name, isText := at.plain.(string)
	if err != nil || !isText || n.Root == nil || filepath.IsAbs(name) || name == "" {
		return asked{name, err == nil && isText, at.secret}
	}
	below, err := r.evaluate(n.Root)
	root, isText := below.plain.(string)
	return asked{filepath.Join(root, name), err == nil && isText, at.secret || below.secret}
}

// askedOrigin is the beginning of a URL that is known, and is so only where the whole
// origin is in it.
func (r *run) askedOrigin(v *expr.Value) (out asked) {
	r.vars.Secrets = r.secrets.Paths
	parts, err := v.Parts(r.vars)
	if err != nil {
		return asked{}
	}
	for _, p := range parts {
		if p.Unknown {
			_, rest, whole := strings.Cut(out.text, "://")
			out.known = whole && strings.ContainsAny(rest, "/?#")
			return out
		}
		if strings.HasPrefix(out.text, "ssh://") && strings.Contains(p.Text, ":") && !p.Literal {
			return asked{} // an address without its brackets
		}
		out.text += p.Text
		out.secret = out.secret || p.Secret
	}
	out.known = strings.Contains(out.text, "://")
	return out
}

// refusal says why the access is not granted, and what the user can do; "" where it is,
// or where something else is wrong with what is asked for.
func (r *run) refusal(env *actions.Env, access grant.Access, a asked) string {
	err := refusedBy(env, access, a.text)
	if err == nil {
		return ""
	}
	what, why, verb, granted := strconv.Quote(a.text), "", plan.AccessName(access)+" it", []string(nil)
	var file *files.PermissionError
	var host *network.HostError
	var program *process.ProgramError
	switch {
	case errors.As(err, &host):
		what, verb, granted = host.Origin, "connect to it", host.Granted
		if host.Why != "" {
			why = " (it is " + host.Why + ")"
		}
	case errors.As(err, &program):
		granted = program.Granted
	case errors.As(err, &file):
		granted = file.Granted
	default:
		return ""
	}
	if a.secret {
		what = "what this secret value names"
	}
	only := "grants nothing"
	if len(granted) > 0 {
		only = "grants only " + quotedAnd(granted)
	}
	name, list := r.engine.program.Provider.Name, "permissions: "+plan.AccessName(access)
	return fmt.Sprintf("%s%s: the provider %s is not permitted to %s; its `%s` %s. Choose another value, or ask the author of %s to add it there "+
		"(`declprov permissions` prints all that a provider is granted)", what, why, name, verb, list, only, name)
}

// refusedBy asks the permissions.
func refusedBy(env *actions.Env, access grant.Access, name string) error {
	switch access {
	case grant.Connect:
		origin, err := grant.ParseOrigin(name)
		if err != nil {
			return nil // its step says so
		}
		return env.Network.Check(origin)
	case grant.Run:
		return env.Processes.Check(name)
	default:
		return env.Files.Check(access, name)
	}
}

// quotedAnd lists patterns for a sentence.
func quotedAnd(patterns []string) string {
	quoted := make([]string, len(patterns))
	for i, p := range patterns {
		quoted[i] = strconv.Quote(p)
	}
	return diag.And(quoted)
}

// undecided reports whether some grant of the access depends on what is not known yet:
// it may cover anything.
func (r *run) undecided(s *plan.Step, access grant.Access) bool {
	return slices.ContainsFunc(slices.Concat(r.engine.program.Permissions, s.Named), func(g plan.Permission) bool {
		if !plan.Allows(g.Access, access) {
			return false
		}
		v, err := g.Value.Eval(r.vars)
		return err == nil && expr.HasUnknown(v)
	})
}

// blamed returns the path of the first input that decides a request, "" where
// none does. In a forEach over an input, it is that of the element.
func (r *run) blamed(s *plan.Step, n plan.Request, el *loopElement) string {
	for _, ref := range n.Refs() {
		if plan.IsInputRef(ref) {
			return r.inputPath(ref.Path)
		}
		if ref.Path[0] == "each" && el != nil {
			if at := r.blamedElement(s, ref.Path, el); at != "" {
				return at
			}
		}
	}
	return ""
}

// blamedElement returns the path within the inputs of what `each` stands for, or of what
// the elements were made of.
func (r *run) blamedElement(s *plan.Step, each []string, el *loopElement) string {
	i := slices.IndexFunc(s.ForEach.Refs(), plan.IsInputRef)
	if i < 0 {
		return ""
	}
	over := s.ForEach.Refs()[i].Path
	pieces := s.ForEach.Segments()
	if len(pieces) != 1 || !slices.Equal(pieces[0].Ref, over) || el.secretKey {
		return r.inputPath(over)
	}
	path := append(slices.Clone(over), el.text)
	if len(each) > 2 && each[1] == "value" {
		path = append(path, each[2:]...)
	}
	return r.inputPath(path)
}

// inputPath writes a reference to an input as a property path, as far as it leads to
// one value.
func (r *run) inputPath(ref []string) (at string) {
	var v any = r.vars.Values["inputs"]
	for _, name := range ref[1:] {
		switch base := v.(type) {
		case map[string]any:
			if name == "*" {
				return at
			}
			at, v = value.Join(at, name), base[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(base) {
				return at
			}
			at, v = fmt.Sprintf("%s[%d]", at, i), base[i]
		default:
			return at
		}
	}
	return at
}

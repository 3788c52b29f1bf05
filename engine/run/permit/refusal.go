package permit

import (
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
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// granted is the key of a request of a program.
type granted struct {
	access grant.Access
	name   *expr.Value
}

// Refusal is the error of a step that requires a missing permission.
type Refusal struct {
	// Property is the path of the input that determines the request, or "". Reason says
	// what is not permitted, and the remedy.
	Property, Reason string
}

func (u *Refusal) Error() string {
	if u.Property == "" {
		return u.Reason
	}
	return u.Property + ": " + u.Reason
}

// Is makes the error match fs.ErrPermission, like those of actions.
func (u *Refusal) Is(target error) bool { return target == fs.ErrPermission }

// GrantedAsTheyAre reports whether all requests of the step are unchanged inputs, and
// are granted. This is the usual case, and does not require a scope.
func (e *Permits) GrantedAsTheyAre(s *plan.Step, inputs property.Map) bool {
	if e.perInput || len(s.Named) > 0 {
		return false
	}
	vars := expr.Vars{Values: map[string]any{"config": e.config}}
	for _, n := range s.Requests {
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

// Refusals returns the requests of the step, or of its elements, that are not
// granted, as far as they are known. The step itself reports what cannot be
// evaluated. operation is what its operation may use.
func (e *Permits) Refusals(sc *scope.Scope, operation *actions.Env, s *plan.Step) []*Refusal {
	if len(s.Requests) == 0 {
		return nil
	}
	r := &asker{Scope: sc, permits: e, operation: operation}
	if s.ForEach == nil {
		return r.once(s, nil)
	}
	over, err := r.Evaluate(s.ForEach)
	if err != nil || over.Plain == nil {
		return nil
	}
	elements, _, err := scope.Elements(over.Marked)
	if err != nil {
		return nil
	}
	defer r.Secrets.Forget("each")
	defer delete(r.Vars.Values, "each")
	var out []*Refusal
	for _, el := range elements {
		r.Set("each", map[string]any{"key": el.Key, "value": el.Value})
		out = append(out, r.once(s, &el)...)
	}
	return out
}

// asker evaluates the requests of a step.
type asker struct {
	*scope.Scope
	permits   *Permits
	operation *actions.Env
}

// once returns the refusals of one element of a forEach, or of a step without one.
func (r *asker) once(s *plan.Step, el *scope.Element) (out []*Refusal) {
	if wanted, err := r.Bool(s.When, true); err != nil || !wanted {
		return nil
	}
	env, err := WithNamed(s, r.operation, r.Vars)
	if err != nil {
		return nil
	}
	for _, n := range s.Requests {
		if r.grantedBefore(s, n) {
			continue
		}
		asked := r.evaluate(n)
		if !asked.known {
			continue
		}
		reason := r.refusal(env, n.Access, asked)
		switch {
		case reason == "":
			r.rememberGranted(s, n)
		case !r.undecided(s, n.Access):
			out = append(out, &Refusal{Property: r.blamed(s, n, el), Reason: r.Mask().Text(reason)})
		}
	}
	return out
}

// grantedBefore reports whether the request was granted to every resource before.
// Otherwise every preview of a resource would check it again, although most requests
// of an API go to one host.
func (r *asker) grantedBefore(s *plan.Step, n plan.Request) bool {
	if !r.grantsForAll(s, n) {
		return false
	}
	_, found := r.permits.granted.Load(granted{n.Access, n.Name})
	return found
}

func (r *asker) rememberGranted(s *plan.Step, n plan.Request) {
	if r.grantsForAll(s, n) {
		r.permits.granted.Store(granted{n.Access, n.Name}, nil)
	}
}

// grantsForAll reports whether the result of the request is the same for all
// resources.
func (r *asker) grantsForAll(s *plan.Step, n plan.Request) bool {
	return n.Fixed && !r.permits.perInput && len(s.Named) == 0
}

// asked is an evaluated request.
type asked struct {
	text          string
	known, secret bool
}

// evaluate evaluates a request in the same way as the action.
func (r *asker) evaluate(n plan.Request) asked {
	switch n.Access {
	case grant.Connect:
		return r.evaluateOrigin(n.Name)
	case grant.Run:
		out, err := r.Evaluate(n.Name)
		if items, isList := out.Plain.([]any); isList && len(items) > 0 {
			out.Plain = items[0]
		}
		text, isText := out.Plain.(string)
		return asked{text, err == nil && isText, out.Secret}
	default:
		return r.evaluatePath(n)
	}
}

// evaluatePath evaluates the path of a request, including its root.
func (r *asker) evaluatePath(n plan.Request) asked {
	at, err := r.Evaluate(n.Name)
	name, isText := at.Plain.(string)
	if err != nil || !isText || n.Root == nil || filepath.IsAbs(name) || name == "" {
		return asked{name, err == nil && isText, at.Secret}
	}
	below, err := r.Evaluate(n.Root)
	root, isText := below.Plain.(string)
	return asked{filepath.Join(root, name), err == nil && isText, at.Secret || below.Secret}
}

// evaluateOrigin evaluates the known beginning of a URL. The result is known if it
// contains the whole origin.
func (r *asker) evaluateOrigin(v *expr.Value) (out asked) {
	r.Vars.Secrets = r.Secrets.Paths
	parts, err := v.Parts(r.Vars)
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
			return asked{} // an IPv6 address without brackets
		}
		out.text += p.Text
		out.secret = out.secret || p.Secret
	}
	out.known = strings.Contains(out.text, "://")
	return out
}

// refusal returns why the access is not granted, and the remedy. It returns "" if it
// is granted, or if the request has another mistake.
func (r *asker) refusal(env *actions.Env, access grant.Access, a asked) string {
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
		what = "the target of this secret value"
	}
	only := "grants nothing"
	if len(granted) > 0 {
		only = "grants only " + quotedAnd(granted)
	}
	name, list := r.permits.program.Provider.Name, "permissions: "+plan.AccessName(access)
	return fmt.Sprintf("%s%s: the provider %s is not permitted to %s; its `%s` %s. Choose another value, or ask the author of %s to add it there "+
		"(`declprov permissions` prints all that a provider is granted)", what, why, name, verb, list, only, name)
}

// refusedBy returns the error of the permissions.
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
	quoted := lists.Map(patterns, strconv.Quote)
	return diag.And(quoted)
}

// undecided reports whether some grant of the access depends on what is not known yet:
// it may cover anything.
func (r *asker) undecided(s *plan.Step, access grant.Access) bool {
	return slices.ContainsFunc(slices.Concat(r.permits.program.Permissions, s.Named), func(g plan.Permission) bool {
		if !plan.Allows(g.Access, access) {
			return false
		}
		v, err := g.Value.Eval(r.Vars)
		return err == nil && expr.HasUnknown(v)
	})
}

// blamed returns the path of the first input that decides a request, "" where
// none does. In a forEach over an input, it is that of the element.
func (r *asker) blamed(s *plan.Step, n plan.Request, el *scope.Element) string {
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

// blamedElement returns the path within the inputs of the value of `each`, or of the
// value over which forEach iterates.
func (r *asker) blamedElement(s *plan.Step, each []string, el *scope.Element) string {
	over := lists.Find(s.ForEach.Refs(), plan.IsInputRef).Path
	if over == nil {
		return ""
	}
	pieces := s.ForEach.Segments()
	if len(pieces) != 1 || !slices.Equal(pieces[0].Ref, over) || el.SecretKey {
		return r.inputPath(over)
	}
	path := append(slices.Clone(over), el.Text)
	if len(each) > 2 && each[1] == "value" {
		path = append(path, each[2:]...)
	}
	return r.inputPath(path)
}

// inputPath returns a reference to an input as a property path, up to the first part
// that is not a single value.
func (r *asker) inputPath(ref []string) (at string) {
	var v any = r.Vars.Values["inputs"]
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

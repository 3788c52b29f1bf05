package specgen

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// The times of all specs. They are short, so that nobody waits; the timeout is one
// that no machine is too slow for, whatever else it does.
const (
	Timeout     = "3s"
	Consistency = "40ms"
	backoff     = "1ms"
	Attempts    = 3
)

// Spec is a generated spec, and what is known of it.
type Spec struct {
	Cell
	Flavour
	Text string
	// Program is what vet let pass; nil where it refused.
	Program *engine.Program
	// Errors and Labels are what vet said.
	Errors diag.List
	Labels map[string]bool
	// Missing are the language keys that the spec needs and this version does not
	// serve yet.
	Missing []string

	features Features
}

// The labels that vet gives: codes of its diagnostics.
const (
	AtLeastOnce  = "at-least-once"
	MayOverwrite = "may-overwrite"
	NoDelete     = "no-delete"
	MayBeForeign = "may-be-foreign"
)

type Object = map[string]any

// NewSpec makes the spec of a cell.
func NewSpec(c Cell, r *rand.Rand, f Features) *Spec {
	s := &Spec{Cell: c, Flavour: c.flavour(r, f), Labels: map[string]bool{}}
	s.Missing = s.missing(f)
	s.features = f
	return s
}

// Compile writes the spec and asks vet.
func (s *Spec) Compile(families []*actions.Family) {
	s.Text = marshal(s.document())
	if len(s.Missing) > 0 {
		return
	}
	program, found := compile(s.Text, families)
	for _, d := range found {
		switch {
		case d.Severity == diag.Error:
			s.Errors = append(s.Errors, d)
		default:
			s.Labels[d.Code] = true
		}
	}
	if len(s.Errors) == 0 {
		s.Program = program
	}
}

// compile does what vet does.
func compile(text string, families []*actions.Family) (*engine.Program, diag.List) {
	doc, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(text), Format: "json"})
	if diags.HasErrors() {
		return nil, diags
	}
	program, more := engine.Compile(doc.Provider, families)
	return program, append(diags, more...)
}

// missing are the keys that the spec needs and this version does not have.
func (s *Spec) missing(f Features) []string {
	var out []string
	need := func(has, wanted bool, name string) {
		if wanted && !has {
			out = append(out, name)
		}
	}
	need(f.FindFirst, s.Way == FindNotFirst, "find.first")
	need(f.IfNoneMatch, s.Way == Conditional, "ifNoneMatch")
	need(f.GroupRetry, s.Retry == Group, "retry beside steps")
	return out
}

// document is the spec as a tree.
func (s *Spec) document() Object {
	doc := Object{
		"name": "model", "version": "0.1.0",
		"config":    Object{"endpoint": "string"},
		"resources": Object{"Thing": s.resource()},
	}
	if s.Method == Command {
		doc["config"] = Object{"endpoint": "string", "tool": "string"}
		doc["exec"] = Object{"timeout": Timeout, "grace": "50ms", "error": "${stdout.error}"}
		return doc
	}
	http := Object{"baseURL": "${config.endpoint}", "timeout": Timeout, "error": "${body.error}"}
	if s.Login {
		http["redirects"] = "same-origin"
		http["auth"] = Object{"login": Object{
			"http": Object{"method": "POST", "path": "/login", "json": Object{}}, "token": "${body.token}", "expires": "${body.expires}",
		}}
	}
	doc["http"] = http
	return doc
}

func (s *Spec) resource() Object {
	name, text := "string @replace()", "*\"\" | string @replace()"
	if s.Renames {
		name = "string"
	}
	res := Object{
		"inputs":      Object{"name": name, "size": "*1 | int", "colour": "*\"red\" | string @replace()", "text": text},
		"outputs":     Object{"serial": "string"},
		"id":          s.id(),
		"consistency": Consistency,
		"create":      s.create(),
		"read":        s.read(),
		"update":      s.update(),
	}
	if s.DeleteFirst {
		res["diff"] = Object{"deleteBeforeReplace": true}
	}
	if s.ImportByName {
		res["import"] = "${inputs.name}"
	}
	if !s.Forgotten {
		res["delete"] = s.delete()
	}
	if s.Finds() {
		find := s.step(request{step: "find", method: "GET", path: s.findPath()})
		if s.Marks == "flag" {
			find["gone"] = "${result." + s.answer() + ".deleted ?? false}"
		}
		if s.Way == FindNotFirst {
			find["first"] = false
		}
		res["find"] = find
	}
	return res
}

// answer is the member of a result that holds what the API said: of a request its
// body, of a command its output.
func (s *Spec) answer() string {
	if s.Method == Command {
		return "stdout"
	}
	return "body"
}

func (s *Spec) id() string {
	switch {
	case s.IDFromInputs:
		return "${inputs.name}"
	case s.Steps == 3:
		return "${steps.main." + s.answer() + ".id}"
	default:
		return "${result." + s.answer() + ".id}"
	}
}

// contentID is the id that an API by content gives.
const contentID = "${sha256(inputs.text)}"

func (s *Spec) findPath() string {
	switch {
	case s.IDs == "client":
		return "/things/${inputs.name}"
	case s.IDs == "content":
		return "/things/" + contentID
	case s.DeleteFirst:
		return "/things/named/${inputs.name}"
	default:
		return "/things/named/${inputs.name}/${inputs.colour}"
	}
}

// request is one of the API, whoever carries it: an http action or a command.
type request struct {
	// step says to the API which part of the spec it is from.
	step, method, path string
	body               any
	// more are further arguments of the action; those of http alone are left out
	// of commands.
	more Object
}

// step writes a request as the action of a step.
func (s *Spec) step(r request) Object {
	if s.Method == Command {
		args := Object{
			"command": []any{"${config.tool}", r.method, r.path},
			"env":     Object{"ENDPOINT": "${config.endpoint}", "SLOT": "${resource.name}", "STEP": r.step},
			"stdout":  "json",
		}
		codes := Object{"gone": []any{44}}
		if s.features.RefusedCodes {
			codes["refused"] = []any{9}
		}
		args["exitCodes"] = codes
		if r.body != nil {
			args["stdin"] = jsonTemplate(r.body)
		}
		if r.method == "GET" {
			args["effect"] = "none"
		}
		if r.method == "PUT" || r.method == "DELETE" {
			args["idempotent"] = true // a command has no method that would say so
		}
		if v, ok := r.more["idempotent"]; ok {
			args["idempotent"] = v
		}
		return Object{"exec": args}
	}
	args := Object{
		"method": r.method, "path": r.path,
		"headers": Object{"X-Slot": "${resource.name}", "X-Step": r.step},
	}
	if r.body != nil {
		args["json"] = r.body
	}
	for name, v := range r.more {
		args[name] = v
	}
	return Object{"http": args}
}

// jsonTemplate is a body as the text that a command reads.
func jsonTemplate(body any) string {
	if text, ok := body.(string); ok {
		return "${jsonencode(" + strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}") + ")}"
	}
	return marshal(body.(Object))
}

// create is the operation of the cell: the step that makes the object, and with
// three steps two that make parts of it.
func (s *Spec) create() Object {
	more := Object{}
	switch s.Idempotent {
	case Yes:
		more["idempotent"] = true
	case No:
		more["idempotent"] = false
	}
	switch s.Way {
	case Keyed:
		more["idempotencyKey"] = true
	case Conditional:
		more["ifNoneMatch"] = true
	}
	r := request{step: "create", body: "${inputs}", more: more}
	r.method, r.path = s.makes()
	main := s.step(r)
	main["as"] = "main"
	if s.InBand != "" {
		main[s.InBand] = "${body.error}"
	}
	switch s.Retry {
	case ByStatus:
		main["retry"] = Object{"on": s.retryOn(), "attempts": Attempts, "backoff": backoff}
	case Bare:
		main["retry"] = Object{"attempts": Attempts, "backoff": backoff}
	}
	steps := []Object{main}
	if s.Steps == 3 {
		steps = append(steps, s.parts()...)
	}
	for i, undo := range s.undoes()[:len(steps)] {
		if s.Undo == All || s.Undo == Some && slices.Contains(s.UndoAt, i) {
			steps[i]["onFailure"] = []any{undo}
		}
	}
	op := Object{"steps": steps}
	if s.Steps == 3 {
		op["return"] = "${steps.main." + s.answer() + "}"
	}
	if s.Retry == Group {
		op["retry"] = Object{"on": s.groupOn(), "attempts": Attempts, "backoff": backoff}
	}
	return op
}

// makes is the request that makes the object.
func (s *Spec) makes() (method, path string) {
	switch {
	case s.Method == PUT && s.IDs == "content":
		return "PUT", "/things/" + contentID
	case s.Method == PUT:
		return "PUT", "/things/${inputs.name}"
	case s.Method == PATCH:
		return "PATCH", "/things"
	case s.Method == Other && s.IDs == "client":
		return "MKCOL", "/things/${inputs.name}"
	case s.Method == Other:
		return "COPY", "/templates/plain"
	default:
		return "POST", "/things"
	}
}

// retryOn are the failures that `retry` by status is about: they may come after
// the effect.
func (s *Spec) retryOn() []any {
	if s.Method == Command {
		return []any{75}
	}
	return []any{500, 503}
}

// groupOn are the failures that the `retry` of a group is about: a 500 may come after
// the effect, and is not retried for all that.
func (s *Spec) groupOn() []any {
	if s.Method == Command {
		return []any{9}
	}
	return []any{409, 423, 500}
}

// parts are the second and the third step.
func (s *Spec) parts() []Object {
	id := "${" + "steps.main." + s.answer() + ".id}"
	first := s.step(request{step: "part", method: "PUT", path: "/parts/" + id + "-one", body: Object{}})
	second := s.step(request{step: "part", method: "PUT", path: "/parts/" + id + "-two", body: Object{}})
	if s.Each {
		second = s.step(request{step: "part", method: "POST", path: "/parts/of/" + id + "/${each.value}", body: Object{}})
		second["forEach"] = []any{"x", "y"}
	}
	if s.Beside {
		second = s.step(request{step: "part", method: "PUT", path: besidePath, body: Object{}, more: Object{"ifNoneMatch": true}})
		second["as"] = "beside"
	}
	return []Object{first, second}
}

// Labels are what the parts of an object are called.
func (s *Spec) LabelNames() []string {
	switch {
	case s.Steps == 1:
		return nil
	case s.Each:
		return []string{"one", "x", "y"}
	default:
		return []string{"one", "two"}
	}
}

// undoes are the undo steps, by the step that they undo.
func (s *Spec) undoes() []Object {
	id := "${steps.main?." + s.answer() + "?.id}"
	main := s.step(request{step: "undo", method: "DELETE", path: "/things/${inputs.name}"})
	if !s.UndoByName {
		main = s.step(request{step: "undo", method: "DELETE", path: "/things/" + id})
		main["if"] = "${steps.main?." + s.answer() + "?.id != null}"
	}
	one := s.step(request{step: "undo", method: "DELETE", path: "/parts/" + id + "-one"})
	two := s.step(request{step: "undo", method: "DELETE", path: "/parts/" + id + "-two"})
	if s.Each {
		two = s.step(request{step: "undo", method: "DELETE", path: "/parts/of/" + id + "/each"})
	}
	if s.Beside {
		two = s.step(request{step: "undo", method: "DELETE", path: besidePath})
	}
	return []Object{main, one, two}
}

func (s *Spec) read() Object {
	path := "/things/${id}"
	if s.ImportByName {
		path = "/things/named/${inputs.name}"
	}
	read := s.step(request{step: "read", method: "GET", path: path})
	if s.Marks == "flag" {
		read["gone"] = "${result." + s.answer() + ".deleted ?? false}"
	}
	return read
}

func (s *Spec) update() Object {
	switch s.Update {
	case "put":
		return s.step(request{step: "update", method: "PUT", path: "/things/${id}", body: "${inputs}"})
	case "conditional":
		return s.step(request{step: "update", method: "PUT", path: "/things/${id}", body: "${inputs}", more: Object{"ifMatch": true}})
	case "move":
		return s.step(request{step: "update", method: "POST", path: "/things/${id}/move", body: "${inputs}"})
	case "rename":
		// As those write it who think of the request, and not of what it is sent to.
		return s.step(request{step: "update", method: "POST", path: "/things/${id}/rename", body: "${inputs}", more: Object{"idempotent": true}})
	default:
		return s.step(request{step: "update", method: "PATCH", path: "/things/${id}", body: "${changes}"})
	}
}

func (s *Spec) delete() Object {
	thing := s.step(request{step: "delete", method: "DELETE", path: "/things/${id}"})
	if s.Steps == 1 {
		return thing
	}
	if s.Beside {
		two := s.step(request{step: "delete", method: "DELETE", path: besidePath})
		if s.Asks {
			two["if"] = "${made.beside}"
		}
		return Object{"steps": []Object{two, s.step(request{step: "delete", method: "DELETE", path: "/parts/${id}-one"}), thing}}
	}
	return Object{"steps": []Object{s.step(request{step: "delete", method: "DELETE", path: "/parts/of/${id}"}), thing}}
}

// besidePath is where a part is that another owner may have.
const besidePath = "/parts/${inputs.name}-two"

// DrawBeside draws, of the cells where a part may be another owner's, those where it is. It
// draws from a source of its own, so that the others stay what they were.
func (s *Spec) DrawBeside(r *rand.Rand) {
	if s.Steps == 3 && s.Method != Command && s.IDs == "client" && !s.Each && s.Retry != Group {
		s.Beside, s.Asks = r.IntN(2) == 0, r.IntN(3) > 0
		s.DeleteFirst = s.DeleteFirst || s.Beside // a new one beside the old one finds its part in the way
	}
}

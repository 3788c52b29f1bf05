package pulumicli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Result is the result of a command.
type Result struct {
	// Typed is the command as typed, without `pulumi`.
	Typed          []string
	ExitCode       int
	Stdout, Stderr string
	Events         []apitype.EngineEvent
	// Calls are the recorded calls between the CLI and its plugins, in the order of their
	// responses.
	Calls []RPC
}

// RPC is one line of the CLI's gRPC log.
type RPC struct {
	Method   string          `json:"method"`
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	Errors   []string        `json:"errors"`
	Metadata json.RawMessage `json:"metadata"`
}

// Step is an operation on one resource, or in a preview a planned one.
type Step struct {
	// Op is create, update, delete, same, replace, create-replacement, delete-replaced,
	// refresh, read, import or discard.
	Op   string
	Name string // the name in the program
	Type string // "files:index:File"
	// Changed has the kind of difference for each property path, as in the protocol:
	// "content" -> "update", "path" -> "update-replace".
	Changed map[string]string
	// Old and New are the inputs of the resource.
	Old, New map[string]any
}

// String returns `create File greeting`, or `update File greeting (content)`.
func (s Step) String() string {
	kind := s.Type[strings.LastIndex(s.Type, ":")+1:]
	text := fmt.Sprintf("%s %s %s", s.Op, kind, s.Name)
	if len(s.Changed) > 0 {
		text += " (" + strings.Join(slices.Sorted(maps.Keys(s.Changed)), ", ") + ")"
	}
	return text
}

// Diagnostic is a message of the CLI.
type Diagnostic struct {
	Severity string // error, warning, info, info#err, debug
	URN      string
	Text     string
}

// Failure returns an error with all output of the command if it failed, else nil.
func (r *Result) Failure() error {
	if r.ExitCode == 0 {
		return nil
	}
	return fmt.Errorf("pulumi %s: exit code %d\n%s%s", strings.Join(r.Typed, " "), r.ExitCode, r.Stdout, r.Stderr)
}

// Steps returns the steps in the order in which they began, without those of the stack and
// the providers.
func (r *Result) Steps() []Step {
	var steps []Step
	for _, e := range r.Events {
		if e.ResourcePreEvent == nil || strings.HasPrefix(e.ResourcePreEvent.Metadata.Type, "pulumi:") {
			continue
		}
		m := e.ResourcePreEvent.Metadata
		s := Step{Op: string(m.Op), Type: m.Type, Name: m.URN[strings.LastIndex(m.URN, "::")+2:]}
		for path, d := range m.DetailedDiff {
			if s.Changed == nil {
				s.Changed = map[string]string{}
			}
			s.Changed[path] = string(d.Kind)
		}
		if m.Old != nil {
			s.Old = m.Old.Inputs
		}
		if m.New != nil {
			s.New = m.New.Inputs
		}
		steps = append(steps, s)
	}
	return steps
}

// Outcomes returns the steps by the last event of each resource: a refresh only reports an
// update or deletion at its end.
func (r *Result) Outcomes() []string {
	var all []string
	for _, e := range r.Events {
		if e.ResOutputsEvent == nil || strings.HasPrefix(e.ResOutputsEvent.Metadata.Type, "pulumi:") {
			continue
		}
		m := e.ResOutputsEvent.Metadata
		all = append(all, Step{Op: string(m.Op), Type: m.Type, Name: m.URN[strings.LastIndex(m.URN, "::")+2:]}.String())
	}
	slices.Sort(all)
	return all
}

// Ops returns the number of steps by operation, sorted: "create=2 same=1". Without steps it
// is "".
func (r *Result) Ops() string {
	count := map[string]int{}
	for _, s := range r.Steps() {
		count[s.Op]++
	}
	parts := make([]string, 0, len(count))
	for _, op := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s=%d", op, count[op]))
	}
	return strings.Join(parts, " ")
}

// Diagnostics returns the messages for the user, without debug output.
func (r *Result) Diagnostics() []Diagnostic {
	var all []Diagnostic
	for _, e := range r.Events {
		if d := e.DiagnosticEvent; d != nil && d.Severity != "debug" {
			all = append(all, Diagnostic{Severity: d.Severity, URN: d.URN, Text: strings.TrimSpace(d.Message)})
		}
	}
	return all
}

// Errors returns the texts of the error messages.
func (r *Result) Errors() []string {
	var texts []string
	for _, d := range r.Diagnostics() {
		if d.Severity == "error" {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

// CallsTo returns the recorded calls of one method of the provider protocol, like "Create".
func (r *Result) CallsTo(method string) []RPC {
	var calls []RPC
	for _, c := range r.Calls {
		if c.Method == "/pulumirpc.ResourceProvider/"+method {
			calls = append(calls, c)
		}
	}
	return calls
}

package pulumicli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Result is what a command did.
type Result struct {
	// Typed is the command as a person would have typed it, without `pulumi`.
	Typed          []string
	ExitCode       int
	Stdout, Stderr string
	Events         []apitype.EngineEvent
	// Calls are those between the CLI and its plugins, in the order in which
	// they were answered, where the project records them.
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

// Step is what was done, or in a preview would be, with one resource.
type Step struct {
	// Op is create, update, delete, same, replace, create-replacement,
	// delete-replaced, refresh, read, import, discard.
	Op   string
	Name string // in the program
	Type string // "files:index:File"
	// Changed says how each property path differs, in the words of the
	// protocol: "content" -> "update", "path" -> "update-replace".
	Changed map[string]string
	// Old and New are the resource's inputs.
	Old, New map[string]any
}

// String is `create File greeting`, or `update File greeting (content)`.
func (s Step) String() string {
	kind := s.Type[strings.LastIndex(s.Type, ":")+1:]
	text := fmt.Sprintf("%s %s %s", s.Op, kind, s.Name)
	if len(s.Changed) > 0 {
		text += " (" + strings.Join(slices.Sorted(maps.Keys(s.Changed)), ", ") + ")"
	}
	return text
}

// Diagnostic is a message that the CLI showed.
type Diagnostic struct {
	Severity string // error, warning, info, info#err, debug
	URN      string
	Text     string
}

// Failure is an error with everything the command printed, if it failed.
func (r *Result) Failure() error {
	if r.ExitCode == 0 {
		return nil
	}
	return fmt.Errorf("pulumi %s: exit code %d\n%s%s", strings.Join(r.Typed, " "), r.ExitCode, r.Stdout, r.Stderr)
}

// Steps are in the order in which they began, without the stack and the
// providers.
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

// Outcomes are the steps as the last event of each resource has them: a
// refresh says only at its end whether it found an update or a deletion.
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

// Ops counts the steps by what they did, sorted: "create=2 same=1". Nothing
// done is "".
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

// Diagnostics are the messages that a user saw, without debug output.
func (r *Result) Diagnostics() []Diagnostic {
	var all []Diagnostic
	for _, e := range r.Events {
		if d := e.DiagnosticEvent; d != nil && d.Severity != "debug" {
			all = append(all, Diagnostic{Severity: d.Severity, URN: d.URN, Text: strings.TrimSpace(d.Message)})
		}
	}
	return all
}

// Errors are the texts of the error messages.
func (r *Result) Errors() []string {
	var texts []string
	for _, d := range r.Diagnostics() {
		if d.Severity == "error" {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

// CallsTo are the recorded calls of one method of the provider protocol:
// "Create".
func (r *Result) CallsTo(method string) []RPC {
	var calls []RPC
	for _, c := range r.Calls {
		if c.Method == "/pulumirpc.ResourceProvider/"+method {
			calls = append(calls, c)
		}
	}
	return calls
}

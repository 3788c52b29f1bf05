package pulumicli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

func event(op apitype.OpType, token, name string, changed map[string]apitype.PropertyDiff) apitype.EngineEvent {
	return apitype.EngineEvent{ResourcePreEvent: &apitype.ResourcePreEvent{Metadata: apitype.StepEventMetadata{
		Op: op, Type: token, URN: "urn:pulumi:dev::test::" + token + "::" + name, DetailedDiff: changed,
	}}}
}

func TestStepsOfAResult(t *testing.T) {
	r := &Result{Events: []apitype.EngineEvent{
		event("same", "pulumi:pulumi:Stack", "test-dev", nil),
		event("same", "pulumi:providers:files", "default", nil),
		event("update", "files:index:File", "b", map[string]apitype.PropertyDiff{"mode": {Kind: "update"}, "content": {Kind: "update"}}),
		event("create", "files:index:File", "a", nil),
		event("create", "files:index:File", "c", nil),
		{DiagnosticEvent: &apitype.DiagnosticEvent{Severity: "error", Message: "no\n"}},
		{DiagnosticEvent: &apitype.DiagnosticEvent{Severity: "debug", Message: "noise"}},
	}}
	var steps []string
	for _, s := range r.Steps() {
		steps = append(steps, s.String())
	}
	if diff := cmp.Diff([]string{"update File b (content, mode)", "create File a", "create File c"}, steps); diff != "" {
		t.Error(diff)
	}
	if got, want := r.Ops(), "create=2 update=1"; got != want {
		t.Errorf("Ops = %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"no"}, r.Errors()); diff != "" {
		t.Error(diff)
	}
	if (&Result{}).Ops() != "" {
		t.Error("nothing done is not empty")
	}
}

func TestFailure(t *testing.T) {
	if err := (&Result{}).Failure(); err != nil {
		t.Errorf("exit code 0 is an error: %v", err)
	}
	if err := (&Result{Typed: []string{"up"}, ExitCode: 255, Stderr: "why"}).Failure(); err == nil || err.Error() != "pulumi up: exit code 255\nwhy" {
		t.Errorf("error %v", err)
	}
}

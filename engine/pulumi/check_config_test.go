package pulumi

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// TestInputFailures checks that a failure names a property apart from its reason, so that Pulumi
// shows its value, only if there is one, and it cannot be a secret.
func TestInputFailures(t *testing.T) {
	secret := &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "key", Type: text, Secret: true}}}
	declared := value.NewBuilder(nil, func(*spec.Property) *expr.Value { return nil }).Build(&spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "port", Type: text},
		{Name: "none", Type: text},
		{Name: "missing", Type: text},
		{Name: "db", Type: &spec.Type{Kind: spec.Map, Elem: text}},
		{Name: "token", Type: text, Secret: true},
		{Name: "session", Type: text, Ephemeral: true},
		{Name: "login", Type: secret},
		{Name: "logins", Type: &spec.Type{Kind: spec.List, Elem: secret}},
	}})
	hidden := property.New("hunter2").WithSecret(true)
	shown := []string{"", "port", "db"}
	for path, given := range map[string]property.Value{
		"": {}, "port": property.New("x"), "none": property.New(property.Null), "missing": {}, "db": property.New(map[string]property.Value{}), "db.host": {},
		"token": property.New("hunter2"), "session": property.New("hunter2"), "tokn": property.New("hunter2"), // misspelt
		"login": property.New("hunter2"), "logins": property.New(1.0), // of other kinds
	} {
		expectFailure(t, declared, path, given, slices.Contains(shown, path))
		if path != "" && !given.IsNull() {
			expectFailure(t, declared, path, property.New([]property.Value{hidden}), false)
			expectFailure(t, declared, path, hidden, false)
		}
	}
}

var text = &spec.Type{Kind: spec.String}

func expectFailure(t *testing.T, declared *value.Type, path string, given property.Value, shown bool) {
	t.Helper()
	values := property.Map{}
	if path != "" && path != "missing" {
		values = values.Set(path, given)
	}
	want := [2]string{path, "is wrong"}
	if !shown {
		want = [2]string{"", path + ": is wrong"}
	}
	sent := inputFailures([]engine.Failure{{Path: path, Reason: "is wrong"}}, values, declared)
	if got := [2]string{sent[0].GetProperty(), sent[0].GetReason()}; got != want {
		t.Errorf("%q: %q, want %q", path, got, want)
	}
}

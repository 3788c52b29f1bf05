package secrets

import (
	"context"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/hostile"
)

// secretText returns the text of a value, and whether it is marked secret on the wire.
func secretText(v *structpb.Value) (string, bool) {
	const signature, secret = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
	m := v.GetStructValue().GetFields()
	return m["value"].GetStringValue(), m[signature].GetStringValue() == secret
}

// TestSecretsOfFunctions checks that a secret in the result of a function is marked, and
// appears nowhere else, neither on success nor in an error response that echoes everything.
func TestSecretsOfFunctions(t *testing.T) {
	t.Parallel()
	l := newFixture(t, hostile.Start(t))
	r := client.Resource{Type: "secretive:index:Bearer", Name: "r"}
	made, err := l.provider.Create(t.Context(), r, property.NewMap(map[string]property.Value{
		"name": property.New("r"), "size": property.New(1.0), "pass": property.New(l.canaries["body"]).WithSecret(true),
	}), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	args, err := structpb.NewStruct(map[string]any{"thing": made.ID, "pass": l.canaries["body"]})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context) (*pulumirpc.InvokeResponse, error) {
		return l.provider.Raw().Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "secretive:index:reveal", Args: args})
	}
	answer, err := ask(t.Context())
	if err != nil || len(answer.GetFailures()) > 0 {
		t.Fatal(err, answer)
	}
	fields := answer.GetReturn().GetFields()
	for name, want := range map[string]string{"answer": l.canaries["answer"], "given": l.canaries["body"]} {
		if text, secret := secretText(fields[name]); text != want || !secret {
			t.Errorf("%s is %v", name, fields[name])
		}
	}
	if fields["serial"].GetStringValue() == "" {
		t.Errorf("the serial number is %v, want a plain string", fields["serial"])
	}
	known := hostile.Faults("http://127.0.0.1:1/elsewhere")
	for _, f := range append(hostile.Echoes(), known["reset after commit"], known["slow after commit"], known["truncated JSON"], known["500 after commit"]) {
		for range 4 { // a GET without a response is retried this often
			l.server.Arm("GET", f)
		}
		_, err := ask(t.Context())
		l.server.Disarm()
		if err == nil {
			t.Errorf("%s: expected an error", f.Name)
			continue
		}
		l.checkText("the error of "+f.Name, err.Error())
	}
	l.checkArrived("token", "header", "body")
	l.searchElsewhere()
}

package pulumi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// callable is a spec of a thing with methods.
const callable = `
package lab
name: "lab"
version: "1.2.3"
resources: Thing: {
	inputs: {name: string, token?: string @secret()}
	outputs: colour: string
	id: "${inputs.name}"
	create: lab: do: {what: "make", with: "${inputs.name}"}
	update: lab: do: what: "change"
	delete: lab: do: what: "drop"
	return: colour: "red"
	methods: {
		// Asks.
		ask: {
			inputs: {about: string, key?: string @secret()}
			outputs: {answer: string @secret(), colour: string}
			lab: look: {what: "ask", with: "${id} ${inputs.about}"}
			return: {answer: "${inputs.about}${state.token ?? ''}", colour: "${state.colour}"}
		}
		// Acts.
		act: {outputs: done: string, lab: do: what: "act", return: done: "yes"}
	}
}
resources: Other: {
	inputs: name: string
	id: "${inputs.name}"
	create: lab: do: what: "make"
	delete: lab: do: what: "drop"
}
`

// engineOf is a monitor that has recorded the thing: as it is made, or, in a
// preview, as it would be.
func engineOf(t *testing.T, c *client.Client, preview bool) *client.Monitor {
	t.Helper()
	m, err := client.StartMonitor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	made, err := c.Create(t.Context(), thing, object("name", "a", "token", property.New("hush").WithSecret(true)), client.Operation{Preview: preview})
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := wire.Encoder{}.Encode(made.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	m.Record(thing.URN(), made.ID, outputs)
	return m
}

func TestCall(t *testing.T) {
	l := &lab{}
	var asked []string
	l.on("ask", func(_ context.Context, call *actions.Call) actions.Outcome {
		asked = append(asked, call.Args["with"].(string))
		return actions.Succeed(nil)
	})
	c := l.provider(t, callable)
	m := engineOf(t, c, false)
	const on = "urn:pulumi:dev::try::lab:index:Thing::two"
	about := property.New("me").WithDependencies([]urn.URN{on})
	sent, err := plugged(map[string]*structpb.Value{"about": output(t, about)})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Raw().Call(t.Context(), &pulumirpc.CallRequest{
		Tok: "lab:index:Thing/ask", Args: sent, MonitorEndpoint: m.Address(),
		ArgDependencies: map[string]*pulumirpc.CallRequest_ArgumentDependencies{"about": {Urns: []string{on + "b"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.Decode(res.GetReturn())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "answer", got, object("answer", property.New("mehush").WithSecret(true), "colour", "red"))
	want := []string{thing.URN(), on, on + "b"}
	for _, name := range []string{"answer", "colour"} {
		if diff := cmp.Diff(want, res.GetReturnDependencies()[name].GetUrns()); diff != "" {
			t.Errorf("what %s depends on (-want +got)\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"a me"}, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// plugged are arguments with the thing as the method's resource.
func plugged(args map[string]*structpb.Value) (*structpb.Struct, error) {
	self := property.New(property.ResourceReference{URN: urn.URN(thing.URN()), ID: property.New("a")})
	encoded, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"__self__": self}))
	args["__self__"] = encoded.GetFields()["__self__"]
	return &structpb.Struct{Fields: args}, err
}

// output is a value as engines send it that take outputs.
func output(t *testing.T, v property.Value) *structpb.Value {
	t.Helper()
	fields := map[string]any{
		"4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4", "value": v.AsString(), "secret": v.Secret(),
	}
	var on []any
	for _, d := range v.Dependencies() {
		on = append(on, string(d))
	}
	fields["dependencies"] = on
	made, err := structpb.NewValue(fields)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCallInPreviews(t *testing.T) {
	notKnown := property.New(property.Computed)
	for name, tc := range map[string]struct {
		pending bool
		call    client.Call
		want    property.Map
		did     int
	}{
		"known":             {false, client.Call{Method: "ask", Args: object("about", "x")}, object("answer", property.New("xhush").WithSecret(true), "colour", "red"), 1},
		"unknown argument":  {false, client.Call{Method: "ask", Args: object("about", notKnown)}, object("answer", notKnown.WithSecret(true), "colour", notKnown), 0},
		"resource not made": {true, client.Call{Method: "ask", Args: object("about", "x")}, object("answer", notKnown.WithSecret(true), "colour", notKnown), 0},
		"it acts":           {false, client.Call{Method: "act"}, object("done", notKnown), 0},
	} {
		t.Run(name, func(t *testing.T) {
			l, did := &lab{}, 0
			for _, what := range []string{"ask", "act"} {
				l.on(what, func(context.Context, *actions.Call) actions.Outcome { did++; return actions.Succeed(nil) })
			}
			c := l.provider(t, callable)
			tc.call.Preview, tc.call.Monitor = true, engineOf(t, c, tc.pending).Address()
			got, err := c.Call(t.Context(), thing, tc.call)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "answer", got.Return, tc.want)
			if did != tc.did {
				t.Errorf("%d actions ran, want %d", did, tc.did)
			}
		})
	}
}

// TestCallOfAChangingResource: in a preview a method does not look at what the
// same run is about to change, even where all outputs are known before.
func TestCallOfAChangingResource(t *testing.T) {
	c := (&lab{}).provider(t, callable)
	m, err := client.StartMonitor()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Stop()
	made, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	previewed, err := c.Update(t.Context(), thing, made, object("name", "a", "token", "new"), client.Operation{Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	known := previewed.Outputs.Set("colour", property.New("red"))
	outputs, err := wire.Encoder{}.Encode(known)
	if err != nil {
		t.Fatal(err)
	}
	m.Record(thing.URN(), made.ID, outputs)
	got, err := c.Call(t.Context(), thing, client.Call{Method: "ask", Args: object("about", "x"), Preview: true, Monitor: m.Address()})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "answer", got.Return, object("answer", property.New(property.Computed).WithSecret(true), "colour", property.New(property.Computed)))
}

func TestCallFailures(t *testing.T) {
	c := (&lab{}).provider(t, callable)
	m := engineOf(t, c, false)
	got, err := c.Call(t.Context(), thing, client.Call{Method: "ask", Args: object("about", 1, "more", true), Monitor: m.Address()})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range got.Failures {
		paths = append(paths, f.Property)
	}
	if diff := cmp.Diff([]string{"about", "more"}, paths); diff != "" {
		t.Errorf("failures (-want +got)\n%s", diff)
	}
}

func TestCallRefusals(t *testing.T) {
	l := &lab{}
	l.on("act", func(context.Context, *actions.Call) actions.Outcome {
		return actions.Outcome{Status: actions.Failed, Err: errors.New("it broke, hush")}
	})
	c := l.provider(t, callable)
	m := engineOf(t, c, false)
	self, err := plugged(map[string]*structpb.Value{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		req  *pulumirpc.CallRequest
		code codes.Code
		says string
	}{
		"misspelt method":    {&pulumirpc.CallRequest{Tok: "lab:index:Thing/aks", Args: self, MonitorEndpoint: m.Address()}, codes.NotFound, `"ask"`},
		"misspelt resource":  {&pulumirpc.CallRequest{Tok: "lab:index:Thin/ask", Args: self, MonitorEndpoint: m.Address()}, codes.NotFound, `"Thing"`},
		"another resource's": {&pulumirpc.CallRequest{Tok: "lab:index:Other/ask", Args: self, MonitorEndpoint: m.Address()}, codes.NotFound, "no method"},
		"no resource":        {&pulumirpc.CallRequest{Tok: "lab:index:Thing/ask", MonitorEndpoint: m.Address()}, codes.InvalidArgument, "__self__"},
		"no monitor":         {&pulumirpc.CallRequest{Tok: "lab:index:Thing/act", Args: self}, codes.FailedPrecondition, "resource monitor"},
		"an action fails":    {&pulumirpc.CallRequest{Tok: "lab:index:Thing/act", Args: self, MonitorEndpoint: m.Address()}, codes.FailedPrecondition, "it broke"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Raw().Call(t.Context(), tc.req)
			if status.Code(err) != tc.code || !strings.Contains(status.Convert(err).Message(), tc.says) {
				t.Errorf("error = %v, want code %v and %q", err, tc.code, tc.says)
			}
			if strings.Contains(status.Convert(err).Message(), "hush") {
				t.Errorf("error = %v has a secret of the state", err)
			}
		})
	}
}

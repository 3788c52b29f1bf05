package outside

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/signing"
)

// bench is a provider and the server that it talks to.
type bench struct {
	*testing.T
	*provider.Process
	server *signing.Server
	canary string
	number int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	b := &bench{T: t, server: signing.New(t)}
	b.canary = filepath.Join(t.TempDir(), "canary")
	if err := os.WriteFile(b.canary, []byte("the canary sings"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Process = provider.Configured(t, provider.Folder(t, "signed", "tests/outside/testdata/signed.cue"), "signed", t.TempDir(),
		map[string]property.Value{"endpoint": property.New(b.server.URL)})
	return b
}

// TestSignedData: whatever a server says, at whatever depth of whatever output: the
// host gets no signature key and no marker of it, what was made is recorded, and what
// could not be is named and left out.
func TestSignedData(t *testing.T) {
	b := newBench(t)
	refused := 0
	for what, payload := range signing.Payloads(b.canary, b.server.URL+"/canary") {
		for _, depth := range []int{0, 1, 3} {
			if strings.HasPrefix(what, "marker") && what != "marker 0" && depth != 1 {
				continue
			}
			for place, v := range signing.Places(signing.Wrap(payload, depth)) {
				c := &signedCase{bench: b, title: fmt.Sprintf("%s, %d deep, in %s", what, depth, place), place: place, says: map[string]any{place: v}}
				b.number++
				c.name = fmt.Sprintf("n%d", b.number)
				c.try()
				refused += c.refused
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d answers were refused: the test is hollow", refused)
	}
	if b.server.CountTouched() > 0 {
		t.Errorf("the canary was asked for %d times", b.server.CountTouched())
	}
	if left := b.server.CountThings(); left > 0 {
		t.Errorf("%d things are left", left)
	}
}

// signedCase is one thing of whose outputs one is not what it seems.
type signedCase struct {
	*bench
	title, place, name string
	says               map[string]any
	refused            int
}

func (c *signedCase) try() {
	inputs := map[string]any{"name": c.name, "size": 1}
	for _, typ := range []string{"Blind", "Thing"}[c.number%2:] {
		urn := c.URN(client.Resource{Type: "signed:index:" + typ, Name: c.name})
		c.server.Say(c.name, c.says, "POST", "GET")
		made, err := c.Raw().Create(c.Context(), &pulumirpc.CreateRequest{Urn: urn, Name: c.name, Type: "signed:index:" + typ, Properties: object(c.T, inputs)})
		state := c.kept(typ+": create", made.GetId(), made.GetProperties(), err)
		c.server.Say(c.name, nil, "POST", "GET")

		c.server.Say(c.name, c.says, "PATCH", "GET")
		changed := object(c.T, map[string]any{"name": c.name, "size": 2})
		updated, err := c.Raw().Update(c.Context(), &pulumirpc.UpdateRequest{
			Id: c.name, Urn: urn, Name: c.name, Type: "signed:index:" + typ, Olds: state, OldInputs: object(c.T, inputs), News: changed,
		})
		state = c.kept(typ+": update", c.name, updated.GetProperties(), err)
		if typ == "Thing" {
			seen, err := c.Raw().Read(c.Context(), &pulumirpc.ReadRequest{Id: c.name, Urn: urn, Name: c.name, Type: "signed:index:" + typ, Properties: state, Inputs: changed})
			if err == nil || !strings.Contains(err.Error(), "expected ") { // what is of another type leaves all as it was
				state = c.kept(typ+": read", seen.GetId(), seen.GetProperties(), err)
			}
		}
		_, err = c.Raw().Delete(c.Context(), &pulumirpc.DeleteRequest{Id: c.name, Urn: urn, Name: c.name, Type: "signed:index:" + typ, Properties: state, OldInputs: changed})
		if err != nil {
			c.Errorf("%s: %s: delete: %v", c.title, typ, err)
		}
	}
	for _, function := range []string{"ask", "openPass"} {
		res, err := c.Raw().Invoke(c.Context(), &pulumirpc.InvokeRequest{Tok: "signed:index:" + function, Args: object(c.T, map[string]any{"name": c.name})})
		c.clean(function, res.GetReturn(), function == "openPass")
		if err != nil {
			c.names(function, err.Error())
		}
	}
	c.server.Say(c.name, nil, "GET")
}

// kept holds a reply, or the error that carries one, against what must be in it. It
// returns the outputs that a host records.
func (c *signedCase) kept(what, id string, outputs *structpb.Struct, err error) *structpb.Struct {
	if err != nil {
		detail := initFailed(err)
		if detail == nil {
			c.Errorf("%s: %s: nothing is recorded: %v", c.title, what, err)
			return nil
		}
		id, outputs = detail.GetId(), detail.GetProperties()
		c.names(what, strings.Join(detail.GetReasons(), "; "))
		if v := outputs.GetFields()[c.place]; v != nil {
			c.Errorf("%s: %s: it is recorded: %v", c.title, what, v)
		}
	}
	if id != c.name || outputs.GetFields()["serial"].GetStringValue() != "s-"+c.name {
		c.Errorf("%s: %s: recorded as %q, %v", c.title, what, id, outputs)
	}
	c.clean(what, outputs, false)
	return outputs
}

// names holds an error against the property that it is about.
func (c *signedCase) names(what, text string) {
	c.refused++
	if !strings.Contains(text, c.place) || strings.Contains(text, "canary sings") {
		c.Errorf("%s: %s: %s", c.title, what, text)
	}
}

// clean reports what of outputs a host would not take for data. Secrets are whole
// outputs that are declared so.
func (c *signedCase) clean(what string, outputs *structpb.Struct, allSecret bool) {
	for name, v := range outputs.GetFields() {
		fields := v.GetStructValue().GetFields()
		declared := allSecret || name == "hidden" || name == "__declprov"
		if declared && fields[sig.Key].GetStringValue() == sig.Secret {
			v = fields["value"]
		}
		if found := acting(v); found != "" {
			c.Errorf("%s: %s: %s has %s", c.title, what, name, found)
		}
	}
}

// acting is what of a value a host would not take for data.
func acting(v *structpb.Value) string {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		if slices.Contains(signing.Markers, kind.StringValue) {
			return "a marker"
		}
	case *structpb.Value_ListValue:
		for _, item := range kind.ListValue.GetValues() {
			if found := acting(item); found != "" {
				return found
			}
		}
	case *structpb.Value_StructValue:
		for name, item := range kind.StructValue.GetFields() {
			if name == sig.Key {
				return "a signature"
			}
			if found := acting(item); found != "" {
				return found
			}
		}
	}
	return ""
}

func initFailed(err error) *pulumirpc.ErrorResourceInitFailed {
	for _, detail := range status.Convert(err).Details() {
		if failed, ok := detail.(*pulumirpc.ErrorResourceInitFailed); ok {
			return failed
		}
	}
	return nil
}

func object(t *testing.T, members map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(maps.Clone(members))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSignedIDs: an id that is a marker names nothing that a host could keep. What was
// made stays on the list, and neither a listing nor an import has it.
func TestSignedIDs(t *testing.T) {
	b := newBench(t)
	for i, marker := range signing.Markers {
		name := fmt.Sprintf("m%d", i)
		for _, typ := range []string{"Blind", "Thing"} {
			b.server.Say(name, map[string]any{"id": marker}, "POST")
			_, err := b.Create(b.Context(), client.Resource{Type: "signed:index:" + typ, Name: name + typ},
				property.NewMap(map[string]property.Value{"name": property.New(name), "size": property.New(1.0)}), client.Operation{})
			var kept *client.InitFailed
			if err == nil || errors.As(err, &kept) || !strings.Contains(err.Error(), "declprov journal") {
				t.Errorf("%s: %s: expected that the journal lists it, got %v", typ, marker, err)
			}
		}
		b.server.Say(name, map[string]any{"items": []any{"fine", marker}}, "LIST")
		listing, err := b.List(b.Context(), "signed:index:Thing", property.NewMap(map[string]property.Value{"name": property.New(name)}), 0, 0, "")
		if err == nil || !strings.Contains(err.Error(), "item 1") || len(listing.Results) > 1 {
			t.Errorf("list: %v, %v", listing, err)
		}
		if _, err := b.Read(b.Context(), client.Resource{Type: "signed:index:Thing", Name: name}, client.State{ID: marker}, client.Operation{}); err == nil {
			t.Error("it was imported")
		}
	}
	listed, err := provider.Journal(t, os.Environ())
	if err != nil || len(listed) != 2*len(signing.Markers) {
		t.Errorf("the journal lists %d, %v", len(listed), err)
	}
}

// TestSignedMethods: what a method yields is data, too.
func TestSignedMethods(t *testing.T) {
	b := newBench(t)
	m, err := client.StartMonitor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	r := client.Resource{Type: "signed:index:Thing", Name: "it"}
	outputs, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{"name": property.New("it"), "size": property.New(1.0), "serial": property.New("s-it")}))
	if err != nil {
		t.Fatal(err)
	}
	m.Record(b.URN(r), "it", outputs)
	for what, payload := range signing.Payloads(b.canary, b.server.URL+"/canary") {
		for _, place := range []string{"data", "list", "union"} {
			b.server.Say("it", map[string]any{place: signing.Places(payload)[place]}, "ASK")
			_, err := b.Call(b.Context(), r, client.Call{Method: "ask", Monitor: m.Address()})
			if err == nil || !strings.Contains(err.Error(), place) {
				t.Errorf("%s in %s: %v", what, place, err)
			}
		}
	}
	b.server.Say("it", nil, "ASK")
	if _, err := b.Call(b.Context(), r, client.Call{Method: "ask", Monitor: m.Address()}); err != nil {
		t.Error(err)
	}
}

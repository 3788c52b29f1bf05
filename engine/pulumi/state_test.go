package pulumi

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	generate "github.com/pulumi/pulumi/sdk/v3/go/property/testing"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

func outputs(pairs map[string]property.Value) property.Map { return property.NewMap(pairs) }

// TestStateSurvivesTheWire: whatever the engine leaves, it gets back.
func TestStateSurvivesTheWire(t *testing.T) {
	texts := rapid.StringMatching(`[a-z]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		want := engine.State{
			ID:      texts.Draw(t, "id"),
			Inputs:  storable(generate.Map(3).Draw(t, "inputs")),
			Outputs: storable(generate.Map(3).Draw(t, "outputs")),
			Private: engine.Private{
				SchemaVersion: rapid.IntRange(0, 3).Draw(t, "schema version"),
				ID:            rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "current id"),
				ETags:         actions.ETags(rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "etag")),
			},
		}
		if rapid.Bool().Draw(t, "only the usual") {
			want.Private = engine.Private{}
		}
		want.Private.Token = rapid.StringMatching(`[0-9a-f]{0,4}|[ -~]{1,4}`).Draw(t, "token")
		want.Private.Location = rapid.StringMatching(`([a-z]{1,3}=[0-9a-f]{4}( [a-z]=[0-9a-f]{4})?)?|[ -~äß","at\\:]{1,20}`).Draw(t, "location")
		if rapid.Bool().Draw(t, "failed") {
			want.Private.Failed = &engine.Failed{
				Op: "create", Step: rapid.IntRange(0, 3).Draw(t, "step"), Inputs: texts.Draw(t, "hash"),
				Results: []any{json.Number("9007199254740993"), map[string]any{"a": texts.Draw(t, "result")}, nil},
				Secret:  rapid.Bool().Draw(t, "secret"), Error: texts.Draw(t, "error"),
			}
		}
		got := thereAndBack(t, want)
		if diff := cmp.Diff(want.Private, got.Private); diff != "" {
			t.Fatalf("private part (-want +got)\n%s", diff)
		}
		if got.ID != want.ID || !got.Inputs.Equals(want.Inputs) || !got.Outputs.Equals(want.Outputs) {
			t.Fatalf("state changed:\n%v\n%v", want, got)
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

func thereAndBack(t fataler, want engine.State) engine.State {
	sent, lost := writeState(wire.Encoder{Bytes: true}, &want)
	if lost != nil {
		t.Fatalf("writeState: %v", lost)
	}
	inputs, err := wire.Encoder{Bytes: true}.Encode(want.Inputs)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	got, err := readState(&wire.Decoder{}, want.ID, inputs, sent)
	if err != nil {
		t.Fatalf("readState: %v", err)
	}
	return got
}

// storable makes of generated properties such as a provider may answer with:
// finite numbers, no dependencies, no key of ours.
func storable(m property.Map) property.Map {
	members := m.AsMap()
	delete(members, privateKey)
	for k, v := range members {
		members[k] = storableValue(v)
	}
	return property.NewMap(members)
}

func storableValue(v property.Value) property.Value {
	v = v.WithDependencies(nil)
	switch {
	case v.IsNumber() && (math.IsNaN(v.AsNumber()) || math.IsInf(v.AsNumber(), 0)):
		return property.WithGoValue(v, 1.0)
	case v.IsMap():
		return property.WithGoValue(v, storable(v.AsMap()))
	case v.IsArray():
		items := v.AsArray().AsSlice()
		for i := range items {
			items[i] = storableValue(items[i])
		}
		return property.WithGoValue(v, property.NewArray(items))
	default:
		return v
	}
}

func TestPrivateIsWrittenOnlyWhereItSaysSomething(t *testing.T) {
	cases := []struct {
		name           string
		private        engine.Private
		absent, secret bool
	}{
		{name: "zero", absent: true},
		{name: "etag", private: engine.Private{ETags: `"1"`}},
		{name: "failed", private: engine.Private{Failed: &engine.Failed{Op: "create"}}},
		{name: "failed with a secret", private: engine.Private{Failed: &engine.Failed{Op: "create", Secret: true}}, secret: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sent, err := writeState(wire.Encoder{}, &engine.State{Private: c.private})
			if err != nil {
				t.Fatal(err)
			}
			field, ok := sent.Fields[privateKey]
			if ok == c.absent {
				t.Fatalf("present = %v", ok)
			}
			if !ok {
				return
			}
			v, err := wire.DecodeValue(field)
			if err != nil {
				t.Fatal(err)
			}
			if !v.IsString() || v.Secret() != c.secret {
				t.Errorf("private part = %v, secret %v", v, v.Secret())
			}
		})
	}
}

// TestForeignPrivatePartIsIgnored: what somebody else put under our key, or an
// older version of us, must not stop an operation.
func TestForeignPrivatePartIsIgnored(t *testing.T) {
	for name, value := range map[string]any{
		"number": 1.0, "null": nil, "not JSON": "{", "another shape": `{"failed": "yes"}`, "list": []any{"x"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := structpb.NewStruct(map[string]any{privateKey: value, "path": "a"})
			if err != nil {
				t.Fatal(err)
			}
			state, err := readState(&wire.Decoder{}, "a", nil, s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(engine.Private{}, state.Private); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if want := outputs(map[string]property.Value{"path": property.New("a")}); !state.Outputs.Equals(want) {
				t.Errorf("outputs = %v, want %v", state.Outputs, want)
			}
		})
	}
}

// TestUnwritableResultStartsOver: a result that JSON cannot hold costs the
// resumption, not the state.
func TestUnwritableResultStartsOver(t *testing.T) {
	state := engine.State{Private: engine.Private{Failed: &engine.Failed{
		Op: "create", Step: 2, Inputs: "hash", Error: "disk full", Results: []any{math.NaN()},
	}}}
	sent, err := writeState(wire.Encoder{}, &state)
	if err != nil {
		t.Fatal(err)
	}
	want := &engine.Failed{Op: "create", Step: 2, Error: "disk full"}
	if diff := cmp.Diff(want, readPrivate(sent).Failed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if state.Private.Failed.Inputs != "hash" {
		t.Error("the engine's own state was changed")
	}
}

// TestSalvage: one output that cannot travel does not take the others with it.
func TestSalvage(t *testing.T) {
	state := engine.State{Outputs: outputs(map[string]property.Value{
		"good": property.New("x"), "bad": property.New(math.Inf(1)), "bytes": property.New("\xff"),
	})}
	sent, lost := writeState(wire.Encoder{}, &state)
	if lost == nil || !strings.Contains(lost.Error(), `"bad"`) || !strings.Contains(lost.Error(), `"bytes"`) {
		t.Errorf("error = %v, want one that names both", lost)
	}
	if diff := cmp.Diff(map[string]any{"good": "x"}, sent.AsMap()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

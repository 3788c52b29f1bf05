package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

func shape() client.Resource { return client.Resource{Type: "shapes:index:Shape", Name: "one"} }

// rules is a list of rules with these ports.
func rules(ports ...float64) property.Value {
	var all []property.Value
	for _, port := range ports {
		all = append(all, property.New(property.NewMap(values{"port": property.New(port)})))
	}
	return property.New(property.NewArray(all))
}

func object(fields values) property.Value { return property.New(property.NewMap(fields)) }

// failures are the properties that a check refuses.
func failures(t *testing.T, p *provider.Process, news values) []string {
	t.Helper()
	c, err := p.Check(t.Context(), shape(), property.Map{}, property.NewMap(news))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range c.Failures {
		path, _, _ := strings.Cut(f.Reason, ": ") // if the value is missing, or not at the top
		if f.Property != "" {
			path = f.Property
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// changes are the detailed differences between the inputs of a resource and
// new ones: "rules[0].port UPDATE".
func changes(t *testing.T, p *provider.Process, olds, news values) []string {
	t.Helper()
	in := checked(t, p, shape(), olds)
	state := client.State{ID: "x", Inputs: in, Outputs: in.Set("size", property.New(1.0))}
	d, err := p.Diff(t.Context(), shape(), state, checked(t, p, shape(), news))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range d.Details {
		all = append(all, c.Path+" "+c.Kind)
	}
	return all
}

// autonamed is the name that a check derives.
func autonamed(t *testing.T, p *provider.Process, req *pulumirpc.CheckRequest) (name string, refused bool) {
	t.Helper()
	req.Urn, req.Type, req.Name = shape().URN(), shape().Type, shape().Name
	res, err := p.Raw().Check(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	in, err := wire.Decode(res.GetInputs())
	if err != nil {
		t.Fatal(err)
	}
	if v := in.Get("name"); v.IsString() {
		name = v.AsString()
	}
	return name, len(res.GetFailures()) > 0
}

func shapes() []point {
	return []point{
		{27, "nested failures carry their paths", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := failures(t, p, values{"name": property.New("x"), "rules": rules(80, 70000), "limits": object(values{"soft": property.New("no")})})
			if diff := cmp.Diff([]string{"limits.max", "limits.soft", "rules[1].port"}, got); diff != "" {
				t.Error(diff)
			}
		}},
		{29, "secrets survive the defaults", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			in := checked(t, p, shape(), values{"name": property.New("x"), "level": property.New("high").WithSecret(true), "password": property.New("hidden").WithSecret(true)})
			if !in.Get("level").Secret() || !in.Get("password").Secret() {
				t.Errorf("inputs %v", in)
			}
		}},
		{30, "autonaming: propose, enforce, disable", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			options := func(mode pulumirpc.CheckRequest_AutonamingOptions_Mode, name string) *pulumirpc.CheckRequest {
				return &pulumirpc.CheckRequest{Autonaming: &pulumirpc.CheckRequest_AutonamingOptions{Mode: mode, ProposedName: name}}
			}
			if got, _ := autonamed(t, p, options(pulumirpc.CheckRequest_AutonamingOptions_PROPOSE, "one-dev")); got != "one-dev" {
				t.Errorf("proposed: %q", got)
			}
			if got, _ := autonamed(t, p, options(pulumirpc.CheckRequest_AutonamingOptions_ENFORCE, "exactly")); got != "exactly" {
				t.Errorf("enforced: %q", got)
			}
			if _, refused := autonamed(t, p, options(pulumirpc.CheckRequest_AutonamingOptions_DISABLE, "")); !refused {
				t.Error("a name was derived though that is disabled")
			}
		}},
		{31, "an old derived name is kept, and is new on a replacement", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			first, _ := autonamed(t, p, &pulumirpc.CheckRequest{RandomSeed: []byte("first")})
			olds, err := wire.Encoder{}.Encode(checkedNamed(t, p, "first"))
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := autonamed(t, p, &pulumirpc.CheckRequest{RandomSeed: []byte("second"), Olds: olds}); again != first {
				t.Errorf("%q became %q", first, again)
			}
			if fresh, _ := autonamed(t, p, &pulumirpc.CheckRequest{RandomSeed: []byte("second")}); fresh == first {
				t.Errorf("a replacement keeps the name %q", fresh)
			}
		}},
		{32, "a derived name follows from the seed", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			seen := map[string]bool{}
			for range 3 {
				name, _ := autonamed(t, p, &pulumirpc.CheckRequest{RandomSeed: []byte("seed")})
				seen[name] = true
			}
			if len(seen) != 1 {
				t.Errorf("names %v", seen)
			}
		}},
		{33, "types, enums and rules are checked", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := failures(t, p, values{"name": property.New(""), "level": property.New("middle"), "tags": property.New(true), "unheard": property.New(1.0)})
			if diff := cmp.Diff([]string{"level", "name", "tags", "unheard"}, got); diff != "" {
				t.Error(diff)
			}
		}},
		{35, "nested additions, deletions and updates", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := changes(t, p,
				values{"name": property.New("x"), "limits": object(values{"max": property.New(1.0), "soft": property.New(1.0)}), "tags": object(values{"a": property.New("1")})},
				values{"name": property.New("x"), "limits": object(values{"max": property.New(2.0)}), "tags": object(values{"a": property.New("1"), "b": property.New("2")})})
			if diff := cmp.Diff([]string{"limits.max UPDATE", "limits.soft DELETE", "tags.b ADD"}, got); diff != "" {
				t.Error(diff)
			}
		}},
		{36, "list indices and quoted keys", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := changes(t, p,
				values{"name": property.New("x"), "rules": rules(80, 81), "tags": object(values{"a.b": property.New("1")})},
				values{"name": property.New("x"), "rules": rules(80, 82, 83), "tags": object(values{"a.b": property.New("2")})})
			if diff := cmp.Diff([]string{"rules[1].port UPDATE", "rules[2] ADD", `tags["a.b"] UPDATE`}, got); diff != "" {
				t.Error(diff)
			}
		}},
		{38, "an unknown against a known value", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := changes(t, p,
				values{"name": property.New("x"), "rules": rules(80)},
				values{"name": property.New("x"), "rules": property.New(property.Computed)})
			if diff := cmp.Diff([]string{"rules UPDATE"}, got); diff != "" {
				t.Error(diff)
			}
		}},
		{39, "a value that only becomes secret", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			got := changes(t, p,
				values{"name": property.New("x"), "rules": rules(80)},
				values{"name": property.New("x"), "rules": rules(80).WithSecret(true)})
			for _, change := range got {
				if strings.Contains(change, "REPLACE") {
					t.Errorf("it replaces: %v", got)
				}
			}
		}},
		{44, "the state of an older schema does not crash", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			// What says the same in another kind works, and so does what is gone.
			old := property.NewMap(values{"name": property.New(7.0), "rules": rules(80), "gone": object(values{"a": property.New(true)})})
			state := client.State{ID: "x", Inputs: old, Outputs: old}
			news := checked(t, p, shape(), values{"name": property.New("x"), "rules": rules(80)})
			if got, err := p.Diff(t.Context(), shape(), state, news); err != nil || len(got.Details) != 2 {
				t.Errorf("Diff: %+v, %v", got, err)
			}
			if _, err := p.Update(t.Context(), shape(), state, news, client.Operation{}); err != nil {
				t.Errorf("Update: %v", err)
			}
			// What does not is refused, and the remedy told.
			old = old.Set("rules", property.New("not a list"))
			state = client.State{ID: "x", Inputs: old, Outputs: old}
			_, diff := p.Diff(t.Context(), shape(), state, news)
			_, update := p.Update(t.Context(), shape(), state, news, client.Operation{})
			for verb, err := range map[string]error{"Diff": diff, "Update": update} {
				if err == nil || !strings.Contains(err.Error(), "inputs.rules: expected a list") || !strings.Contains(err.Error(), "raise schemaVersion") {
					t.Errorf("%s of what does not fit: %v", verb, err)
				}
			}
		}},
		{66, "a list comes in pages, up to its limit", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			for i := range 5 {
				created(t, p, shape(), values{"name": property.New(fmt.Sprintf("s%d", i))})
			}
			var ids []string
			for next, pages := "", 0; pages < 10; pages++ {
				page, err := p.List(t.Context(), shape().Type, property.Map{}, 0, 2, next)
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Results) > 2 {
					t.Fatalf("a page of %d", len(page.Results))
				}
				for _, r := range page.Results {
					ids = append(ids, r.ID)
				}
				if next = page.Next; next == "" {
					break
				}
			}
			slices.Sort(ids)
			if diff := cmp.Diff([]string{"s0", "s1", "s2", "s3", "s4"}, ids); diff != "" {
				t.Error(diff)
			}
			three, err := p.List(t.Context(), shape().Type, property.Map{}, 3, 0, "")
			if err != nil || len(three.Results) != 3 {
				t.Errorf("with a limit of 3: %v, %v", three.Results, err)
			}
		}},
		{68, "refresh_before_update is said at every call", func(t *testing.T) {
			p := testdataProcess(t, "shapes")
			in, err := wire.Encoder{}.Encode(checked(t, p, shape(), values{"name": property.New("x")}))
			if err != nil {
				t.Fatal(err)
			}
			made, err := p.Raw().Create(t.Context(), &pulumirpc.CreateRequest{Urn: shape().URN(), Type: shape().Type, Name: "one", Properties: in})
			if err != nil {
				t.Fatal(err)
			}
			read, err := p.Raw().Read(t.Context(), &pulumirpc.ReadRequest{
				Urn: shape().URN(), Type: shape().Type, Name: "one", Id: made.GetId(), Properties: made.GetProperties(), Inputs: in,
			})
			if err != nil {
				t.Fatal(err)
			}
			// No spec can ask for it yet: it is false, and stays so.
			if made.GetRefreshBeforeUpdate() || read.GetRefreshBeforeUpdate() {
				t.Error("a refresh is asked for before updates")
			}
		}},
	}
}

// checkedNamed are checked inputs with a name derived from a seed.
func checkedNamed(t *testing.T, p *provider.Process, seed string) property.Map {
	t.Helper()
	res, err := p.Raw().Check(t.Context(), &pulumirpc.CheckRequest{Urn: shape().URN(), Type: shape().Type, Name: shape().Name, RandomSeed: []byte(seed)})
	if err != nil {
		t.Fatal(err)
	}
	in, err := wire.Decode(res.GetInputs())
	if err != nil {
		t.Fatal(err)
	}
	return in
}

package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

const onTheWire = `
#Disk: {sizeGB: int, mountPoint?: string @wire("mnt")}
resources: Thing: {
	wire: "snake_case"
	inputs: {
		fullName: string, ownerId?: int @wire("owner"), disks?: [...#Disk], tagMap?: {[string]: string}, note?: string
	}
	outputs: {thingId: int @wire(id), createdAt?: string, disks?: [...#Disk]}
	id: "${result.body.id}"
	create: world: send: {what: "make", with: "${inputs}"}
	update: steps: [
		{world: send: {what: "patch", with: "${changes}"}},
		{world: send: {what: "note", with: {who: "${inputs.fullName}", note: "${inputs.note}", none: null}}},
	]
	delete: world: do: what: "remove"
}`

func TestWireNames(t *testing.T) {
	body := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	w := newWorld().on("make", yields("body", body(
		"id", int64(7), "created_at", "now", "thingId", "a stranger of the same name",
		"disks", []any{body("size_gb", int64(5), "mnt", "/x")},
	)))
	w.on("note", yields("body", body("id", int64(7))))
	e, _ := w.engine(t, onTheWire)
	state := created(t, e, "Thing", object(
		"fullName", "Ada L", "ownerId", 3, "tagMap", object("aKey", "v"), "disks", []any{object("sizeGB", 5, "mountPoint", "/x")},
	))
	want := "make map[disks:[map[mnt:/x size_gb:5]] full_name:Ada L owner:3 tag_map:map[aKey:v]]"
	if diff := cmp.Diff([]string{want}, w.log()); diff != "" {
		t.Errorf("structs go out under their names on the wire, maps as they are (-want +got):\n%s", diff)
	}
	wantOut := object("thingId", 7, "createdAt", "now", "disks", []any{object("sizeGB", 5, "mountPoint", "/x")},
		"fullName", "Ada L", "ownerId", 3, "tagMap", object("aKey", "v"))
	if diff := cmp.Diff(wantOut, state.Outputs, values); diff != "" || state.ID != "7" {
		t.Errorf("and are matched by them (-want +got):\n%s", diff)
	}
	out := e.Update(t.Context(), engine.UpdateRequest{
		Ref: ref("Thing"), State: state, Inputs: check(t, e, "Thing", object("fullName", "Bob")),
	})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	wantCalls := []string{
		"patch map[full_name:Bob owner:<nil> tag_map:<nil>]",
		"note map[none:<nil> who:Bob]",
	}
	if diff := cmp.Diff(wantCalls, w.log()); diff != "" {
		t.Errorf("removed inputs are null in changes; absent ones are left out of what is written out (-want +got):\n%s", diff)
	}
}

// What an operation yields is an answer's body, not what surrounds it: vet judges
// by that.
func TestTheBodyIsWhatIsYielded(t *testing.T) {
	w := newWorld().on("get", yields("status", int64(200), "body", map[string]any{"name": "a", "status": "fine"}))
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	outputs: status: string
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: world: ask: what: "get"
	delete: world: do: what: "remove"
}
functions: getThing: {
	outputs: status: string
	world: ask: what: "get"
}`)
	state := created(t, e, "Thing", object("name", "a"))
	if diff := cmp.Diff(object("name", "a", "status", "fine"), state.Outputs, values); diff != "" {
		t.Error(diff)
	}
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getThing"})
	if diff := cmp.Diff(object("status", "fine"), out.Return, values); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

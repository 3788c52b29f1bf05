//go:build unix

package engine_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/declprov/declprov/engine"
)

// place is a position in a message: the provider, its version, and where in its spec.
var place = regexp.MustCompile(`\([^()]* [0-9.]+, [^()]*:[0-9]+:[0-9]+\)`)

// TestPlacesInErrors checks that an error of any expression names its position, and no position
// twice.
func TestPlacesInErrors(t *testing.T) {
	const prints = `exec: {shell: "echo x", effect: "none"}`
	const fails = `"${int(result.stdout)}"`
	spec := func(replaced, by string) string {
		parts := map[string]string{"id": `"it"`, "create": `{world: do: what: "make"}`, "read": `{` + prints + `, return: name: "${result.stdout}"}`, "list": `{` + prints + `, items: "${[1]}", id: "it"}`}
		parts[replaced] = by
		return `
resources: It: {
	inputs: name: string
	outputs: size?: int
	id: ` + parts["id"] + `
	create: ` + parts["create"] + `
	read: ` + parts["read"] + `
	delete: world: do: what: "remove"
	list: ` + parts["list"] + `
}`
	}
	create := func(t *testing.T, e *engine.Engine) error {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object("name", "x")}).Err
	}
	list := func(t *testing.T, e *engine.Engine) (err error) {
		for _, failed := range e.List(t.Context(), engine.ListRequest{Ref: ref("It")}) {
			err = failed
		}
		return err
	}
	for name, test := range map[string]struct {
		spec string
		run  func(*testing.T, *engine.Engine) error
	}{
		"an argument":      {spec("create", `{world: do: what: "${string(int(inputs.name))}"}`), create},
		"return of create": {spec("create", `{exec: {shell: "echo x"}, return: {name: "${inputs.name}", size: `+fails+`}}`), create},
		"the id":           {spec("id", `"${string(int(inputs.name))}"`), create},
		"return of read": {spec("read", `{`+prints+`, return: {name: "x", size: `+fails+`}}`), func(t *testing.T, e *engine.Engine) error {
			return e.Read(t.Context(), engine.ReadRequest{Ref: ref("It"), Reason: engine.Refresh, State: engine.State{ID: "it", Inputs: object("name", "x"), Outputs: object("name", "x")}}).Err
		}},
		"items":             {spec("list", `{`+prints+`, items: "${[int(result.stdout)]}", id: "it"}`), list},
		"the id of an item": {spec("list", `{`+prints+`, items: "${[result.stdout]}", id: "${string(int(each.value))}"}`), list},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newWorld().engine(t, test.spec)
			err := test.run(t, e)
			if err == nil {
				t.Fatal("got no error")
			}
			places := place.FindAllString(err.Error(), -1)
			if len(places) == 0 {
				t.Errorf("no place: %v", err)
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(places))); len(unique) < len(places) {
				t.Errorf("a place is named twice: %v", err)
			}
		})
	}
}

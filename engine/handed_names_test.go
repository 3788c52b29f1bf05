package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestWhatWasHandedUnderAnotherName: the host was killed before it recorded a create of several steps, and the program has chosen another name
// since. Whatever the steps are, a create under the new name must not leave the first object without an owner.
func TestWhatWasHandedUnderAnotherName(t *testing.T) {
	options := map[string]string{"safe": `, safe: true`, "keyed": `, key: true`, "conditional": `, once: true`, "uncertain": ``}
	for of, first := range options {
		for then, second := range options {
			for _, name := range []string{"ann", "abe"} {
				for _, size := range []int{1, 2} {
					for _, exists := range []bool{true, false} {
						t.Run(fmt.Sprintf("%s/%s/%s/size %d/exists %t", of, then, name, size, exists), func(t *testing.T) {
							t.Parallel()
							s := newShelf(t, `{as: "it", world: post: {what: "make", with: "${inputs.name}"`+first+`}}, {world: post: {what: "part", with: "${inputs.name}"`+second+`}}`, "")
							s.spec = strings.Replace(s.spec, "${steps.it.id}", "${inputs.name}", 1)
							s.on("make", func(name string) actions.Outcome {
								s.last++
								s.things[name] = name
								return yields("id", name, "name", name)
							})
							s.created("it", "ann")
							if !exists {
								delete(s.things, "ann")
							}
							out := s.create("it", name, size)
							made := s.things["abe"] != ""
							switch {
							case !exists || name == "ann" && of == "safe" && then == "safe":
								if out.Err != nil || out.State == nil || out.State.ID != name {
									t.Errorf("%+v", out)
								}
							case name == "abe":
								if out.Err == nil || made {
									t.Errorf("ann has no owner: %+v", out)
								}
							}
						})
					}
				}
			}
		}
	}
}

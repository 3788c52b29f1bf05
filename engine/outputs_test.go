package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// What was made or changed and cannot be read is looked for as long as the spec's
// `consistency` says, however short that is, and the error says what to do then:
// the state keeps it, so that neither the next `up` nor a refresh loses it.
func TestWhatCannotBeReadBack(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: name: string
	outputs: size: int
	id: "a"
	consistency: "30ms"
	create: world: do: what: "make"
	read: world: look: what: "read"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`
	seen := yields("name", "a", "size", 1)
	t.Run("seen in the end", func(t *testing.T) {
		w := newWorld().on("read", gone("it"), seen)
		e, _ := w.engine(t, spec)
		created(t, e, "Thing", object("name", "a"))
		if diff := cmp.Diff([]string{"make", "read", "read"}, w.log()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	for _, verb := range []string{"made", "changed"} {
		t.Run(verb+" and deleted", func(t *testing.T) {
			w := newWorld().on("read", gone("it"))
			if verb == "changed" {
				w.on("read", seen, gone("it"))
			}
			e, _ := w.engine(t, spec)
			began := time.Now()
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
			if verb == "changed" {
				out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: object("name", "b")})
			}
			if out.State == nil || out.Err == nil || !strings.Contains(out.Err.Error(), "it was "+verb) || !strings.Contains(out.Err.Error(), "run `pulumi refresh`") {
				t.Fatalf("state %v, error %v", out.State, out.Err)
			}
			if took := time.Since(began); took < 30*time.Millisecond {
				t.Errorf("it was looked for during %s only", took)
			}
			read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
			if !read.Gone || read.Err != nil {
				t.Errorf("a refresh says %+v", read)
			}
		})
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

const reading = `resources: Thing: {
	inputs: {
		owner:   string
		size:    *1 | int
		note?:   string
		secret?: string @secret() @noRead()
		chosen?: string
		fold?:   string @equal(fold)
	}
	outputs: {chosen: string, url: string, extra?: string}
	id: "${result.id}"
	import: "${inputs.owner}/${id}"
	create: world: do: {what: "make", with: "${inputs.owner}"}
	read: world: look: {what: "read", with: "${inputs.owner}:${id}"}
	delete: world: do: {what: "remove", with: "${id}"}
	return: "${result.thing}"
}`

func TestRead(t *testing.T) {
	state := func(inputs property.Map) engine.State {
		return engine.State{ID: "7", Inputs: inputs, Outputs: object("chosen", "c", "url", "u")}
	}
	thing := func(kv ...any) any {
		m := map[string]any{"owner": "o", "size": int64(1), "chosen": "c", "url": "u"}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	for name, tc := range map[string]struct {
		old    property.Map
		seen   any
		inputs property.Map
		url    string
	}{
		"no drift":                          {object("owner", "o", "size", 1), thing(), object("owner", "o", "size", 1), "u"},
		"drift":                             {object("owner", "o", "size", 1), thing("size", int64(2), "url", "v"), object("owner", "o", "size", 2), "v"},
		"an absent input is unset":          {object("owner", "o", "size", 1, "note", "n"), thing(), object("owner", "o", "size", 1), "u"},
		"or has its default":                {object("owner", "o", "size", 5), map[string]any{"owner": "o", "chosen": "c", "url": "u"}, object("owner", "o", "size", 1), "u"},
		"null is absent":                    {object("owner", "o", "size", 1, "note", "n"), thing("note", nil), object("owner", "o", "size", 1), "u"},
		"what is not read back stands":      {object("owner", "o", "size", 1, "secret", secret("s")), thing("secret", "other"), object("owner", "o", "size", 1, "secret", secret("s")), "u"},
		"the server's choice is not drift":  {object("owner", "o", "size", 1), thing("chosen", "d"), object("owner", "o", "size", 1), "u"},
		"unless the program chose":          {object("owner", "o", "size", 1, "chosen", "c"), thing("chosen", "d"), object("owner", "o", "size", 1, "chosen", "d"), "u"},
		"what means the same stands":        {object("owner", "o", "size", 1, "fold", "Ab"), thing("fold", "aB"), object("owner", "o", "size", 1, "fold", "Ab"), "u"},
		"what was secret is secret":         {object("owner", secret("o"), "size", 1), thing("owner", "p"), object("owner", secret("p"), "size", 1), "u"},
		"what the types do not name is out": {object("owner", "o", "size", 1), thing("more", "x"), object("owner", "o", "size", 1), "u"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("read", yields("thing", tc.seen))
			e, _ := w.engine(t, reading)
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state(tc.old)})
			if out.Err != nil || out.Gone {
				t.Fatalf("%+v", out)
			}
			if diff := cmp.Diff(tc.inputs, out.State.Inputs, values); diff != "" {
				t.Errorf("inputs (-want +got):\n%s", diff)
			}
			if got := out.State.Outputs.Get("url").AsString(); got != tc.url {
				t.Errorf("url is %q", got)
			}
		})
	}
}

func TestReadGone(t *testing.T) {
	recorded := engine.State{ID: "7", Inputs: object("owner", "o", "size", 1)}
	w := newWorld().on("read", gone("it"))
	e, _ := w.engine(t, reading)
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: recorded}); !out.Gone {
		t.Errorf("not found on the first step is gone: %+v", out)
	}
	w.on("read", yields("thing", nil))
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: recorded}); !out.Gone {
		t.Errorf("a `return` that is null is gone: %+v", out)
	}
	w.on("read", refused("the server is down"))
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: recorded}); out.Gone || out.Err == nil {
		t.Errorf("an error is not gone: %+v", out)
	}
	later, _ := w.on("read", yields()).on("child", gone("the child")).engine(t, strings.Replace(reading,
		`read: world: look: {what: "read", with: "${inputs.owner}:${id}"}`,
		`read: steps: [{world: look: what: "read"}, {world: look: what: "child"}]`, 1))
	if out := later.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: recorded}); out.Gone || out.Err == nil {
		t.Errorf("not found on a later step is an error: %+v", out)
	}
}

func TestImport(t *testing.T) {
	w := newWorld().on("read", yields("thing", map[string]any{"owner": "me", "size": int64(3), "chosen": "c", "url": "u"}))
	e, _ := w.engine(t, reading)
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "me/7/x"}})
	if out.Err != nil || out.State.ID != "7/x" {
		t.Fatalf("%+v", out)
	}
	if diff := cmp.Diff([]string{"read me:7/x"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("owner", "me", "size", 3, "chosen", "c"), out.State.Inputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, id := range []string{"me", "/7", "me/"} {
		if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: id}}); out.Err == nil || !strings.Contains(out.Err.Error(), "OWNER/ID") {
			t.Errorf("%q is refused with the form that is wanted: %+v", id, out)
		}
	}
}

func TestNoRead(t *testing.T) {
	e, _ := newWorld().engine(t, one(`{world: do: what: "make"}`))
	recorded := engine.State{ID: "7", Inputs: object("name", "n"), Outputs: object("name", "n")}
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: recorded}); out.Err != nil || out.State.ID != "7" {
		t.Errorf("a refresh keeps what is recorded: %+v", out)
	}
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "7"}}); out.Err == nil {
		t.Error("an import needs a read")
	}
}

// TestReadsWithAnotherID reads an object, and the response has another id than the recorded one, or than
// the one of an import. A refresh that asked for the id takes the other one only if the rest shows that it
// is the same object; one that asked for something else warns. An import takes none that does not show what it was asked for. No read takes the object of another resource.
func TestReadsWithAnotherID(t *testing.T) {
	t.Parallel()
	const error, warning, silence = "error", "warning", "silence"
	cases := []struct {
		by, id, serial string
		size           int
		owned          bool
		refresh        string
		importing      string
	}{
		{by: "${id}", id: "7", serial: "s", size: 1, refresh: silence, importing: silence},
		{by: "${id}", id: "8", serial: "s", size: 1, refresh: warning, importing: error},
		{by: "${id}", id: "8", serial: "t", size: 1, refresh: error, importing: error},
		{by: "${id}", id: "8", serial: "s", size: 2, refresh: error, importing: error},
		{by: "${id}", id: "8", serial: "s", size: 1, owned: true, refresh: error, importing: error},
		{by: "${state.serial}", id: "7", serial: "s", size: 1, refresh: silence},
		{by: "${state.serial}", id: "8", serial: "s", size: 1, refresh: warning},
		{by: "${state.serial}", id: "8", serial: "s", size: 2, refresh: warning},
		{by: "${state.serial}", id: "8", serial: "s", size: 1, owned: true, refresh: error},
		{by: "${inputs.name}", id: "7", serial: "s", size: 1, refresh: silence},
		{by: "${inputs.name}", id: "8", serial: "s", size: 1, refresh: warning},
		{by: "${inputs.name}", id: "8", serial: "t", size: 2, refresh: warning},
		{by: "${inputs.name}", id: "8", serial: "s", size: 1, owned: true, refresh: error},
	}
	for _, tc := range cases {
		for _, reason := range []engine.ReadReason{engine.Refresh, engine.Import} {
			want := map[engine.ReadReason]string{engine.Refresh: tc.refresh, engine.Import: tc.importing}[reason]
			if want == "" {
				continue // an import knows only the id
			}
			t.Run(fmt.Sprintf("by %s, %v: %+v", tc.by, reason, tc), func(t *testing.T) {
				t.Parallel()
				w := newWorld().on("read", yields("id", tc.id, "serial", tc.serial, "size", tc.size))
				e, _ := w.engine(t, strings.Replace(`resources: Thing: {
	inputs: {name?: string @noRead(), size: int}
	outputs: serial: string @stable()
	id: "${result.id}"
	create: world: do: what: "make"
	read: world: look: {what: "read", with: "BY"}
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`, "BY", tc.by, 1))
				if tc.owned {
					w.on("make", yields("id", "8", "serial", "s"))
					other := e.Create(t.Context(), engine.CreateRequest{Ref: engine.Ref{Type: "Thing", Name: "b", Key: "urn:b"}, Inputs: object("size", 1)})
					if other.Err != nil {
						t.Fatal(other.Err)
					}
				}
				log := &recorder{}
				state := engine.State{ID: "7"}
				if reason == engine.Refresh {
					state.Inputs, state.Outputs = object("name", "a", "size", 1), object("name", "a", "size", 1, "serial", "s")
				}
				out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: reason, Log: log})
				got := silence
				switch {
				case out.Err != nil && out.State == nil:
					got = error
				case out.Err != nil || out.State.ID != tc.id:
					t.Fatalf("%+v", out)
				case len(log.messages) > 0:
					got = warning
				}
				if got != want {
					t.Errorf("%s, want %s (%v %q)", got, want, out.Err, log.messages)
				}
			})
		}
	}
}

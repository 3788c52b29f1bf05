package pulumi_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

// blobs are things that are named by what they hold.
const blobs = `
package lab
name: "lab"
version: "1.0.0"
resources: Blob: {
	inputs: {text: string @replace(), note: string @replace() @noRead(), size?: int @noRead()}
	id: "${result.id}"
	create: lab: do: {what: "make", with: "${inputs.text}"}
	read: {lab: look: {what: "read", with: "${id}"}, return: text: "${result.text}"}
	update: lab: do: {what: "update", with: "${id}"}
	delete: lab: do: {what: "delete", with: "${id}"}
}
`

// host is what Pulumi keeps of one resource, and does with it, cut short at any
// moment: a process that is killed is a new one.
type host struct {
	t       *rapid.T
	connect func() *client.Client
	c       *client.Client
	live    *client.State
	pending []client.State
	world   map[string]bool
}

var blob = client.Resource{Type: "lab:index:Blob", Name: "x"}

// killed starts another process, at times.
func (h *host) killed(label string) bool {
	if !rapid.Bool().Draw(h.t, label) {
		return false
	}
	h.c = h.connect()
	return true
}

func (h *host) must(what string, err error) {
	if err != nil {
		h.t.Fatalf("%s: %v", what, err)
	}
}

// up brings the resource to the inputs, as Pulumi does: Diff, replacement, and at
// its end the deletion of what is pending.
func (h *host) up(inputs property.Map) {
	ctx := context.Background()
	if h.live != nil {
		d, err := h.c.Diff(ctx, blob, *h.live, inputs)
		h.must("diff", err)
		switch {
		case d.Replace() && rapid.Bool().Draw(h.t, "delete before replace"):
			h.must("delete", h.c.Delete(ctx, blob, *h.live, client.Operation{}))
			h.live = nil
			if h.killed("killed before the create") {
				return
			}
		case d.Replace():
			next, err := h.c.Create(ctx, blob, inputs, client.Operation{})
			h.must("create", err)
			h.pending = append(h.pending, *h.live)
			h.live = &next
			if h.killed("killed before the delete") {
				return
			}
		case d.Changed:
			next, err := h.c.Update(ctx, blob, *h.live, inputs, client.Operation{})
			h.must("update", err)
			next.ID = h.live.ID
			h.live = &next
		}
	}
	if h.live == nil {
		made, err := h.c.Create(ctx, blob, inputs, client.Operation{})
		h.must("create", err)
		h.live = &made
	}
	for len(h.pending) > 0 {
		h.must("delete", h.c.Delete(ctx, blob, h.pending[0], client.Operation{}))
		h.pending = h.pending[1:]
		if h.killed("killed between deletes") {
			return
		}
	}
}

// refresh reads all that is recorded, the newest first or last.
func (h *host) refresh() {
	ctx := context.Background()
	var kept []client.State
	for _, s := range h.pending {
		now, err := h.c.Read(ctx, blob, s, client.Operation{})
		h.must("read", err)
		if now.ID != "" {
			kept = append(kept, now)
		}
	}
	h.pending = kept
	if h.live != nil {
		now, err := h.c.Read(ctx, blob, *h.live, client.Operation{})
		h.must("read", err)
		if now.ID == "" {
			h.t.Fatal("the refresh says that what is there is gone")
		}
		h.live = &now
	}
}

// TestReplacementsOfOneIDOverTheProtocol: histories of ups, refreshes and imports
// with a kill at any moment between two calls. What is recorded as live is there
// at all times, and a destroy at the end leaves nothing.
func TestReplacementsOfOneIDOverTheProtocol(t *testing.T) {
	l := &lab{}
	p := l.program(t, blobs)
	world := map[string]bool{}
	l.on("make", func(_ context.Context, call *actions.Call) actions.Outcome {
		id := "id-" + fmt.Sprint(call.Args["with"])
		world[id] = true
		return actions.Succeed(map[string]any{"id": id})
	})
	l.on("read", func(_ context.Context, call *actions.Call) actions.Outcome {
		id := fmt.Sprint(call.Args["with"])
		if !world[id] {
			return actions.Outcome{Status: actions.Gone, Err: fmt.Errorf("no %s", id)}
		}
		return actions.Succeed(map[string]any{"id": id, "text": id[len("id-"):]})
	})
	l.on("delete", func(_ context.Context, call *actions.Call) actions.Outcome {
		id := fmt.Sprint(call.Args["with"])
		if !world[id] {
			return actions.Outcome{Status: actions.Gone, Err: fmt.Errorf("no %s", id)}
		}
		delete(world, id)
		return actions.Succeed(map[string]any{})
	})
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		clear(world)
		var all []*client.Client
		h := &host{t: rt, world: world, connect: func() *client.Client {
			c, err := client.Start(pulumi.Options{Program: p, Version: "1.0.0", Dir: dir, Stderr: io.Discard})
			if err == nil {
				all = append(all, c)
				err = c.Configure(context.Background(), "lab", property.Map{})
			}
			if err != nil {
				rt.Fatal(err)
			}
			return c
		}}
		defer func() {
			for _, c := range all {
				c.Close()
			}
		}()
		h.c = h.connect()
		if rapid.Bool().Draw(rt, "imported") {
			world["id-a"] = true
			s, err := h.c.Read(context.Background(), blob, client.State{ID: "id-a"}, client.Operation{})
			h.must("import", err)
			s.Inputs = s.Inputs.Set("note", property.New(""))
			h.live = &s
		}
		for range rapid.IntRange(1, 6).Draw(rt, "ups") {
			if rapid.Bool().Draw(rt, "refresh") {
				h.refresh()
			}
			h.killed("killed before the up")
			h.up(object(
				"text", rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "text"),
				"note", rapid.SampledFrom([]string{"", "x", "y"}).Draw(rt, "note"), "size", rapid.IntRange(1, 2).Draw(rt, "size")))
			if h.live != nil && !world[h.live.ID] {
				rt.Fatalf("%s is recorded, and is gone", h.live.ID)
			}
		}
		h.killed("killed before the destroy")
		for _, s := range h.pending {
			h.must("destroy", h.c.Delete(context.Background(), blob, s, client.Operation{}))
		}
		if h.live != nil {
			h.must("destroy", h.c.Delete(context.Background(), blob, *h.live, client.Operation{}))
		}
		if len(world) > 0 {
			rt.Fatalf("%v are left", world)
		}
	})
}

// TestReadReasons: what Pulumi sends for an import, a `.get`, `pulumi do` and a
// refresh (pkg/resource/deploy/step.go, pkg/cmd/pulumi/do).
func TestReadReasons(t *testing.T) {
	ours := func(s *structpb.Struct) *structpb.Struct {
		s.Fields["__declprov"] = structpb.NewStringValue(`{"t":"x"}`)
		return s
	}
	said := func() *structpb.Struct { return fields("text", structpb.NewStringValue("a")) }
	none := func() *structpb.Struct { return &structpb.Struct{} }
	for name, tc := range map[string]struct {
		inputs, properties *structpb.Struct
		want               engine.ReadReason
	}{
		"an import":                              {nil, none(), engine.Import},
		"an import by other clients":             {nil, nil, engine.Import},
		"a get with an id":                       {none(), none(), engine.Lookup},
		"a get with more":                        {said(), said(), engine.Lookup},
		"a refresh":                              {said(), ours(said()), engine.Refresh},
		"a refresh of what has nothing":          {none(), ours(&structpb.Struct{Fields: map[string]*structpb.Value{}}), engine.Refresh},
		"a refresh of an older state":            {said(), fields("text", structpb.NewStringValue("a"), "more", structpb.NewStringValue("b")), engine.Refresh},
		"a refresh of what had nothing, and has": {none(), said(), engine.Refresh},
	} {
		if got := pulumi.ReadReasonOf(&pulumirpc.ReadRequest{Inputs: tc.inputs, Properties: tc.properties}); got != tc.want {
			t.Errorf("%s is taken for %d, want %d", name, got, tc.want)
		}
	}
}

package pulumi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi/client"
)

// yields makes the last step of a create answer with a colour.
func yields(colour string) func(context.Context, *actions.Call) actions.Outcome {
	return func(context.Context, *actions.Call) actions.Outcome {
		return actions.Succeed(map[string]any{"colour": colour})
	}
}

// TestBytes: an output that is not UTF-8 travels to an engine that takes such;
// for one that does not, the resource is recorded without it.
func TestBytes(t *testing.T) {
	l := &lab{}
	l.on("second", yields("\xff\x00"))
	c := l.provider(t, things)
	_, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{})
	var half *client.InitFailed
	if !errors.As(err, &half) {
		t.Fatalf("error = %v, want a partial failure", err)
	}
	if !strings.Contains(half.Error(), "colour") || half.State.ID != "a" {
		t.Errorf("id %q, reasons %q", half.State.ID, half.Reasons)
	}
	same(t, "what is recorded", shown(half.State.Outputs), object("name", "a"))

	if err := c.Handshake(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	made, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if got := made.Outputs.Get("colour"); !got.Equals(property.New("\xff\x00")) {
		t.Errorf("colour = %v", got)
	}
}

// TestLargePartialFailure: states of a size that trailers carry arrive whole,
// larger ones without what is too large.
func TestLargePartialFailure(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		whole  bool
		reason int
	}{
		{"7 MB", 7 << 20, true, 1},
		{"12 MB", 12 << 20, false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &lab{}
			p := l.provider(t, things)
			note := strings.Repeat("x", c.size)
			l.on("second", fail("the paint ran out"))
			_, err := p.Create(t.Context(), thing, object("name", "a", "note", note), client.Operation{})
			var half *client.InitFailed
			if !errors.As(err, &half) {
				t.Fatalf("error = %.200v, want a partial failure", err)
			}
			if half.State.ID != "a" || len(half.Reasons) != c.reason {
				t.Errorf("id %q, reasons %q", half.State.ID, half.Reasons)
			}
			if got := half.State.Outputs.Get("note").Equals(property.New(note)); got != c.whole {
				t.Errorf("the note arrived: %v, want %v", got, c.whole)
			}
			if _, ok := half.State.Outputs.GetOk("__declprov"); !ok {
				t.Error("the engine's own part is lost")
			}
		})
	}
}

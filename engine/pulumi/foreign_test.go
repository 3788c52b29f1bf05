package pulumi_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	generate "github.com/pulumi/pulumi/sdk/v3/go/property/testing"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// TestForeignState: whatever another tool, an older spec or a program left, the
// calls that touch nothing answer or refuse; they do not fail as if by a bug.
func TestForeignState(t *testing.T) {
	c, _ := files(t)
	if err := c.Handshake(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		old := client.State{ID: "no such file", Inputs: foreign(t, "inputs"), Outputs: foreign(t, "outputs")}
		news := foreign(t, "news")
		calls := map[string]func() error{
			"Check": func() error { _, err := c.Check(ctx, readme, old.Inputs, news); return err },
			"Diff":  func() error { _, err := c.Diff(ctx, readme, old, news); return err },
			"Read":  func() error { _, err := c.Read(ctx, readme, old, client.Operation{}); return err },
			"preview of Create": func() error {
				_, err := c.Create(ctx, readme, news, client.Operation{Preview: true})
				return err
			},
			"preview of Update": func() error {
				_, err := c.Update(ctx, readme, old, news, client.Operation{Preview: true})
				return err
			},
			"Delete":      func() error { return c.Delete(ctx, readme, old, client.Operation{}) },
			"CheckConfig": func() error { _, err := c.CheckConfig(ctx, "files", news); return err },
			"DiffConfig":  func() error { _, err := c.DiffConfig(ctx, "files", old.Inputs, news); return err },
		}
		for name, call := range calls {
			err := call()
			var half *client.InitFailed
			if errors.As(err, &half) {
				err = half.Unwrap()
			}
			if code := status.Code(err); slices.Contains([]codes.Code{codes.Internal, codes.Unknown, codes.DataLoss}, code) {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

// foreign are properties with the names of the spec's, and others, and with any
// values that travel.
func foreign(t *rapid.T, label string) property.Map {
	names := rapid.SampledFrom([]string{
		"path", "content", "mode", "force", "size", "sha256", "__declprov", "__defaults", "version", "root", "other", "",
	})
	drawn := rapid.MapOfN(names, generate.Value(3), 0, 5).Draw(t, label)
	for k, v := range drawn {
		if !finite(v) {
			delete(drawn, k)
		}
	}
	return property.NewMap(drawn)
}

func finite(v property.Value) bool {
	switch {
	case v.IsNumber():
		return !math.IsNaN(v.AsNumber()) && !math.IsInf(v.AsNumber(), 0)
	case v.IsMap():
		for _, member := range v.AsMap().All {
			if !finite(member) {
				return false
			}
		}
	case v.IsArray():
		for _, item := range v.AsArray().All {
			if !finite(item) {
				return false
			}
		}
	}
	return true
}

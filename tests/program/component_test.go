package program

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// shelf is what a generated SDK would have for the component.
type shelf struct {
	pulumi.ResourceState
	Label pulumi.StringOutput `pulumi:"label"`
	Size  pulumi.IntOutput    `pulumi:"size"`
}

// library is a program with a component of two providers, whose children a
// transform of the program changes, and with all else that a provider can have:
// a function, a method, resources.
func library(ctx *pulumi.Context) error {
	source, err := newFile(ctx, "source", pulumi.String("hello"))
	if err != nil {
		return err
	}
	kept, err := newJournal(ctx, "My Diary", source.Sha256)
	if err != nil {
		return err
	}
	text, err := ctx.Call("journals:index:Journal/signed", pulumi.Map{"by": pulumi.String("Ada")}, signedOutput{}, kept)
	if err != nil {
		return err
	}
	private := func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		if args.Type != "files:index:File" {
			return nil
		}
		args.Props["mode"] = pulumi.String("0600")
		return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
	}
	made := &shelf{}
	err = ctx.RegisterRemoteComponentResource("journals:index:Shelf", "shelf", pulumi.Map{
		"name":  pulumi.String("shelved"),
		"entry": text.(signedOutput).ApplyT(func(s signed) string { return s.Text }).(pulumi.StringOutput),
		"key":   pulumi.ToSecret(pulumi.String("sesame")),
	}, made, pulumi.Transforms([]pulumi.ResourceTransform{private}), pulumi.DependsOn([]pulumi.Resource{source}))
	if err != nil {
		return err
	}
	ctx.Export("size", made.Size)
	_, err = newFile(ctx, "said", made.Label)
	return err
}

// TestComponentInAProgram: one program with a component, a method, a function and
// resources of two providers. The state says what depends on what.
func TestComponentInAProgram(t *testing.T) {
	registerOutputs()
	s := inline(t, pulumitest.Providers{
		"files":    provider.Folder(t, "files", "examples/files.cue"),
		"journals": provider.Folder(t, "journals", "tests/program/testdata/journals.cue"),
	}, library)
	s.preview("create=7")
	s.holds(map[string]string{})
	r := s.up("create=7")
	entry := hashed("hello") + " (Ada)"
	s.holds(map[string]string{
		"source.txt": "hello", "my-diary": hashed("hello"), "shelved": entry, "shelved.label": "shelved: 70", "said.txt": "shelved.label",
	})
	if diff := cmp.Diff(float64(len(entry)), r.Outputs["size"].Value); diff != "" {
		t.Error(diff)
	}
	s.depends("shelf", []string{"kept", "source"}, map[string][]string{"entry": {"kept"}})
	s.depends("shelf-journal", []string{"kept"}, map[string][]string{"entry": {"kept"}})
	s.depends("shelf-label", []string{"shelf-journal"}, map[string][]string{"path": {"shelf-journal"}, "content": {"shelf-journal"}})
	s.depends("said", []string{"shelf"}, map[string][]string{"content": {"shelf"}})
	if got := s.Recorded("shelf-label").Inputs["mode"]; got != "0600" {
		t.Errorf("the transform did not reach a child: its mode is %v", got)
	}
	s.up("same=7")
	s.destroy()
	s.holds(map[string]string{})
}

package program

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// file and journal are what a generated SDK would have.
type file struct {
	pulumi.CustomResourceState
	Path   pulumi.StringOutput `pulumi:"path"`
	Sha256 pulumi.StringOutput `pulumi:"sha256"`
}

type journal struct {
	pulumi.CustomResourceState
	Size pulumi.IntOutput `pulumi:"size"`
}

// signed is what the method of that name yields.
type signed struct {
	Text  string  `pulumi:"text"`
	Proof *string `pulumi:"proof"`
}

type signedOutput struct{ *pulumi.OutputState }

func (signedOutput) ElementType() reflect.Type { return reflect.TypeFor[signed]() }

type copied struct {
	Size int `pulumi:"size"`
}

type copiedOutput struct{ *pulumi.OutputState }

func (copiedOutput) ElementType() reflect.Type { return reflect.TypeFor[copied]() }

// registerOutputs tells the SDK of the two, which it takes once a process.
var registerOutputs = sync.OnceFunc(func() {
	pulumi.RegisterOutputType(signedOutput{})
	pulumi.RegisterOutputType(copiedOutput{})
})

type slug struct {
	Name string `pulumi:"name"`
}

// diary is a program over both providers: files; a journal, named by a function,
// of a file's hash; and a file of what the journal's methods yield.
func diary(entry *string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		source, err := newFile(ctx, "source", pulumi.String(*entry))
		if err != nil {
			return err
		}
		by, err := newFile(ctx, "by", pulumi.String("Ada"))
		if err != nil {
			return err
		}
		kept, err := newJournal(ctx, "My Diary", source.Sha256)
		if err != nil {
			return err
		}
		text, err := ctx.Call("journals:index:Journal/signed", pulumi.Map{"by": by.Path}, signedOutput{}, kept)
		if err != nil {
			return err
		}
		size, err := ctx.Call("journals:index:Journal/copy", pulumi.Map{"to": pulumi.String("copy")}, copiedOutput{}, kept)
		if err != nil {
			return err
		}
		ctx.Export("proof", text.(signedOutput).ApplyT(func(s signed) *string { return s.Proof }))
		ctx.Export("copied", size.(copiedOutput).ApplyT(func(c copied) int { return c.Size }))
		_, err = newFile(ctx, "said", text.(signedOutput).ApplyT(func(s signed) string { return s.Text }).(pulumi.StringOutput))
		return err
	}
}

func newFile(ctx *pulumi.Context, name string, content pulumi.StringInput) (*file, error) {
	made := &file{}
	return made, ctx.RegisterResource("files:index:File", name, pulumi.Map{
		"path": pulumi.String(name + ".txt"), "content": content,
	}, made)
}

// newJournal is the journal "kept", whose name the function makes of a title.
func newJournal(ctx *pulumi.Context, title string, entry pulumi.StringInput) (*journal, error) {
	var named slug
	args := struct {
		Title string `pulumi:"title"`
	}{title}
	if err := ctx.Invoke("journals:index:slug", &args, &named); err != nil {
		return nil, err
	}
	made := &journal{}
	return made, ctx.RegisterResource("journals:index:Journal", "kept", pulumi.Map{
		"name": pulumi.String(named.Name), "entry": entry, "key": pulumi.ToSecret(pulumi.String("sesame")),
	}, made)
}

// TestTwoProviders is a life of a program that uses resources of two providers, a
// function and methods: what runs in previews, what is made of what, and the
// dependencies in the state.
func TestTwoProviders(t *testing.T) {
	registerOutputs()
	entry := "hello"
	s := inline(t, pulumitest.Providers{
		"files":    provider.Folder(t, "files", "examples/files.cue"),
		"journals": provider.Folder(t, "journals", "tests/program/testdata/journals.cue"),
	}, diary(&entry))

	s.preview("create=5")
	s.holds(map[string]string{})

	hash := hashed(entry)
	r := s.up("create=5")
	s.holds(map[string]string{
		"source.txt": "hello", "by.txt": "Ada", "my-diary": hash, "copy": hash, "said.txt": hash + " (by.txt)",
	})
	if got := r.Outputs["proof"]; !got.Secret {
		t.Errorf("the proof is no secret: %v", got.Value)
	}
	if diff := cmp.Diff(float64(len(hash)), r.Outputs["copied"].Value); diff != "" {
		t.Error(diff)
	}

	s.depends("source", nil, map[string][]string{})
	s.depends("kept", []string{"source"}, map[string][]string{"entry": {"source"}})
	s.depends("said", []string{"by", "kept"}, map[string][]string{"content": {"by", "kept"}})

	// Nothing is to change: the method that looks is asked in the preview, and
	// what it says is known; the one that acts still is not called.
	if err := os.Remove(filepath.Join(s.root, "copy")); err != nil {
		t.Fatal(err)
	}
	s.preview("same=5")
	s.holds(map[string]string{"source.txt": "hello", "by.txt": "Ada", "my-diary": hash, "said.txt": hash + " (by.txt)"})
	s.up("same=5")

	// The journal is to change: what a method would say of it is not known.
	entry = "hello again"
	s.preview("same=2 update=3")
	s.up("same=2 update=3")
	hash = hashed(entry)
	s.holds(map[string]string{
		"source.txt": entry, "by.txt": "Ada", "my-diary": hash, "copy": hash, "said.txt": hash + " (by.txt)",
	})

	s.destroy()
	s.holds(map[string]string{"copy": hash})
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

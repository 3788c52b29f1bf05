package pulumi_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi/client"
)

var readme = client.Resource{Type: "files:index:File", Name: "readme"}

// checkedFile are inputs as Check completes them.
func checkedFile(t *testing.T, c *client.Client, news property.Map) property.Map {
	t.Helper()
	checked, err := c.Check(t.Context(), readme, property.Map{}, news)
	if err != nil || checked.Failures != nil {
		t.Fatalf("Check: %v %v", err, checked.Failures)
	}
	return checked.Inputs
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestLifecycle walks one file from check to delete, over the wire.
func TestLifecycle(t *testing.T) {
	c, dir := files(t)
	ctx := t.Context()
	path := filepath.Join(dir, "a.txt")

	inputs := checkedFile(t, c, object("path", "a.txt", "content", "hello"))
	same(t, "checked inputs", inputs, object("path", "a.txt", "content", "hello", "mode", "0644", "force", false))

	preview, err := c.Create(ctx, readme, inputs, client.Operation{Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("the preview touched the disk: %v", err)
	}
	if _, known := preview.Outputs.GetOk("path"); !known {
		t.Errorf("previewed outputs %v lack the inputs", preview.Outputs)
	}

	made, err := c.Create(ctx, readme, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if made.ID != "a.txt" || content(t, path) != "hello" {
		t.Errorf("id %q, content %q", made.ID, content(t, path))
	}
	same(t, "outputs", shown(made.Outputs), object("path", "a.txt", "content", "hello", "mode", "0644", "force", false,
		"size", 5, "sha256", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"))

	if d, err := c.Diff(ctx, readme, made, inputs); err != nil || d.Changed {
		t.Errorf("diff of equal inputs: %+v, %v", d, err)
	}
	news := inputs.Set("content", property.New("changed"))
	d, err := c.Diff(ctx, readme, made, news)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]client.Change{{Path: "content", Kind: "UPDATE", Input: true}}, d.Details); diff != "" || d.Replace() {
		t.Errorf("replace %v, details (-want +got)\n%s", d.Replace(), diff)
	}
	updated, err := c.Update(ctx, readme, made, news, client.Operation{})
	if err != nil || content(t, path) != "changed" {
		t.Fatalf("content %q, %v", content(t, path), err)
	}

	seen, err := c.Read(ctx, readme, updated, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "inputs after an unchanged read", seen.Inputs, news)
	same(t, "outputs after an unchanged read", shown(seen.Outputs), shown(updated.Outputs))

	for range 2 { // the second finds nothing, and that is well
		if err := c.Delete(ctx, readme, updated, client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := c.Read(ctx, readme, updated, client.Operation{}); err != nil || gone.ID != "" {
		t.Errorf("after the delete: id %q, %v", gone.ID, err)
	}
}

// TestDrift: what was changed by hand is found, told, and repaired.
func TestDrift(t *testing.T) {
	c, dir := files(t)
	inputs := checkedFile(t, c, object("path", "a.txt", "content", "hello"))
	made, err := c.Create(t.Context(), readme, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	seen, err := c.Read(t.Context(), readme, made, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if got := seen.Inputs.Get("content"); !got.Equals(property.New("by hand")) {
		t.Errorf("content read = %v", got)
	}
	d, err := c.Diff(t.Context(), readme, seen, inputs)
	if err != nil || !d.Changed || d.Replace() {
		t.Errorf("diff after the drift: %+v, %v", d, err)
	}
}

// TestImport: an id alone is read, and the inputs survive Check and Diff.
func TestImport(t *testing.T) {
	c, dir := files(t)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	seen, err := c.Read(t.Context(), readme, client.State{ID: "a.txt"}, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if seen.ID != "a.txt" {
		t.Fatalf("id = %q", seen.ID)
	}
	inputs := checkedFile(t, c, seen.Inputs)
	if d, err := c.Diff(t.Context(), readme, seen, inputs); err != nil || d.Changed {
		t.Errorf("diff after the import: %+v, %v", d, err)
	}
	missing, err := c.Read(t.Context(), readme, client.State{ID: "b.txt"}, client.Operation{})
	if err != nil || missing.ID != "" {
		t.Errorf("import of a missing file: id %q, %v", missing.ID, err)
	}
}

// TestCleanFailure: a create that changed nothing leaves nothing to record, and
// its code says that nothing is uncertain.
func TestCleanFailure(t *testing.T) {
	c, dir := files(t)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	inputs := checkedFile(t, c, object("path", "a.txt", "content", "hello"))
	_, err := c.Create(t.Context(), readme, inputs, client.Operation{})
	s := status.Convert(err)
	if s.Code() != codes.FailedPrecondition || len(s.Details()) != 0 || !strings.Contains(s.Message(), "a.txt") {
		t.Errorf("error = %v with %d details", err, len(s.Details()))
	}
	if content(t, filepath.Join(dir, "a.txt")) != "old" {
		t.Error("the file that was there is gone")
	}
}

func TestReplacement(t *testing.T) {
	c, _ := files(t)
	inputs := checkedFile(t, c, object("path", "a.txt", "content", "hello"))
	made, err := c.Create(t.Context(), readme, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Diff(t.Context(), readme, made, inputs.Set("path", property.New("b.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"path"}, d.Replaces); diff != "" || !d.Replace() || d.DeleteBeforeReplace {
		t.Errorf("%+v, replaces (-want +got)\n%s", d, diff)
	}
	ignored, err := c.Diff(t.Context(), readme, made, inputs.Set("path", property.New("b.txt")), "path")
	if err != nil || ignored.Changed {
		t.Errorf("a change that is ignored: %+v, %v", ignored, err)
	}
	unknown, err := c.Diff(t.Context(), readme, made, inputs.Set("content", property.New(property.Computed)))
	if err != nil || !unknown.Changed {
		t.Errorf("a change to something unknown: %+v, %v", unknown, err)
	}
}

func TestCheckFailures(t *testing.T) {
	c, _ := files(t)
	checked, err := c.Check(t.Context(), readme, property.Map{}, object("path", "a.txt", "contents", "x", "mode", "777"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range checked.Failures {
		found = append(found, f.Property)
	}
	if diff := cmp.Diff([]string{"", "", "mode"}, slices.Sorted(slices.Values(found))); diff != "" {
		t.Errorf("failures at (-want +got)\n%s\n%v", diff, checked.Failures)
	}
}

// TestUnknownsAndSecrets: what is unknown stays so in a preview, and what the
// user marked secret stays marked, wherever it comes back.
func TestUnknownsAndSecrets(t *testing.T) {
	c, _ := files(t)
	unknown := property.New(property.Computed).WithSecret(true)
	inputs := checkedFile(t, c, object("path", "a.txt", "content", unknown))
	if got := inputs.Get("content"); !got.Equals(unknown) {
		t.Errorf("checked content = %v, secret %v", got, got.Secret())
	}
	preview, err := c.Create(t.Context(), readme, inputs, client.Operation{Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := preview.Outputs.Get("content"); !got.Equals(unknown) {
		t.Errorf("previewed content = %v, secret %v", got, got.Secret())
	}
	if size, ok := preview.Outputs.GetOk("size"); ok && !size.IsComputed() {
		t.Errorf("previewed size = %v, a guess", size)
	}
	hush := property.New("hush").WithSecret(true)
	made, err := c.Create(t.Context(), readme, inputs.Set("content", hush), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if got := made.Outputs.Get("content"); !got.Equals(hush) {
		t.Errorf("content = %v, secret %v", got, got.Secret())
	}
}

// TestLargeContent: 10 MB, beyond gRPC's own limit.
func TestLargeContent(t *testing.T) {
	c, dir := files(t)
	large := strings.Repeat("0123456789", 1<<20)
	inputs := checkedFile(t, c, object("path", "a.txt", "content", large))
	made, err := c.Create(t.Context(), readme, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if content(t, filepath.Join(dir, "a.txt")) != large || !made.Outputs.Get("content").Equals(property.New(large)) {
		t.Error("the content changed on its way")
	}
}

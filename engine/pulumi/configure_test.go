package pulumi_test

import (
	"errors"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

// TestConfigForms: an object and the JSON text that default providers send for
// it are the same configuration, and what is Pulumi's comes back as it went.
func TestConfigForms(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, things)})
	want := object("tags", object("env", "dev"), "version", "2.3.4", "__internal", object("name", "declprov"))
	for name, tags := range map[string]any{"object": object("env", "dev"), "text": `{"env":"dev"}`} {
		t.Run(name, func(t *testing.T) {
			checked, err := c.CheckConfig(t.Context(), "lab", want.Set("tags", value(tags)))
			if err != nil || checked.Failures != nil {
				t.Fatalf("%v %v", err, checked.Failures)
			}
			same(t, "inputs", checked.Inputs, want)
			if err := c.Configure(t.Context(), "lab", checked.Inputs); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestConfigMistakes(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, things)})
	checked, err := c.CheckConfig(t.Context(), "lab", object("regin", "x", "tags", object("n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range checked.Failures {
		name, _, _ := strings.Cut(f.Reason, ":")
		got = append(got, f.Property+name) // Pulumi shows neither value
	}
	if diff := cmp.Diff([]string{"regin", "tags.n"}, slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("failures (-want +got)\n%s", diff)
	}
	err = c.Configure(t.Context(), "lab", object("tags", object("n", 1)))
	if code := status.Code(err); code != codes.InvalidArgument && code != codes.FailedPrecondition {
		t.Errorf("Configure: %v", err)
	}
}

// TestUnknownConfig: in a preview, settings may not be known yet.
func TestUnknownConfig(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, things)})
	news := object("region", property.New(property.Computed))
	checked, err := c.CheckConfig(t.Context(), "lab", news)
	if err != nil || checked.Failures != nil {
		t.Fatalf("%v %v", err, checked.Failures)
	}
	same(t, "inputs", checked.Inputs, news)
}

const demanding = `
package lab
name: "lab"
version: "1.0.0"
config: {
	// Where the API lives.
	endpoint: string
	// API token.
	token: string @secret() @env(LAB_TOKEN, TOKEN)
}
resources: Thing: {
	inputs: name: string
	outputs: {}
	id: "${inputs.name}"
	create: lab: do: what: "create"
	read: lab: look: what: "read"
	delete: lab: do: what: "delete"
}
`

func TestMissingKeys(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, demanding)})
	err := c.Configure(t.Context(), "lab", property.Map{})
	var missing *client.MissingKeys
	if !errors.As(err, &missing) {
		t.Fatalf("error = %v", err)
	}
	const endpoint, token = "Run `pulumi config set lab:endpoint VALUE`.", "Run `pulumi config set --secret lab:token`, or set the environment variable LAB_TOKEN or TOKEN."
	want := []client.MissingKey{{Name: "endpoint", Doc: "Where the API lives.\n" + endpoint}, {Name: "token", Doc: "API token.\n" + token}}
	if diff := cmp.Diff(want, missing.Keys); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	text := status.Convert(missing.Unwrap()).Message()
	if want := "the provider needs configuration: endpoint and token\n" + endpoint + "\n" + token; text != want {
		t.Errorf("it says %q, want %q", text, want)
	}
	if name := status.Convert(missing.Unwrap()).Details()[0].(*pulumirpc.ConfigureErrorMissingKeys).GetMissingKeys()[1].GetName(); name != "lab:token" {
		t.Errorf("the setting is called %q", name) // Pulumi writes a command with it
	}
	checked, err := c.CheckConfig(t.Context(), "lab", property.Map{})
	if err != nil {
		t.Fatal(err)
	}
	reasons := []client.Failure{
		{Reason: "endpoint: is required (Where the API lives)\n" + endpoint}, {Reason: "token: is required (API token)\n" + token},
	}
	if diff := cmp.Diff(reasons, checked.Failures); diff != "" {
		t.Errorf("CheckConfig (-want +got)\n%s", diff)
	}
	if code := status.Code(missing.Unwrap()); code != codes.InvalidArgument {
		t.Errorf("code = %v", code)
	}
	secret := "s3cr3t-token"
	err = c.Configure(t.Context(), "lab", object("token", property.New(secret).WithSecret(true)))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("error = %v", err)
	}
}

// TestLegacyVariables: what engines without `args` send.
func TestLegacyVariables(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, demanding)})
	//lint:ignore SA1019 engines older than args send nothing else
	_, err := c.Raw().Configure(t.Context(), &pulumirpc.ConfigureRequest{Variables: map[string]string{
		"lab:config:endpoint": "https://example.com", "lab:config:token": "x",
	}})
	if err != nil {
		t.Error(err)
	}
}

// TestDiffConfig: no change replaces; a new version of the package is an update,
// and never less, for the engine would go on with the old.
// TestSettingsThatReplace: a change of a setting with @replace() replaces the provider, and so its
// resources; another change does not.
func TestSettingsThatReplace(t *testing.T) {
	spec := strings.Replace(things, "\tregion?: string\n", "\tregion?: string @replace()\n\ttenant?: string\n", 1)
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, spec)})
	old := object("version", "2.3.4", "region", "north", "tenant", "a")
	for setting, replaces := range map[string]bool{"region": true, "tenant": false, "version": false} {
		d, err := c.DiffConfig(t.Context(), "lab", old, old.Set(setting, property.New("other")))
		if err != nil || !d.Changed || d.Replace() != replaces {
			t.Errorf("%s: changed %v, replaces %v, %v", setting, d.Changed, d.Replace(), err)
		}
	}
}

func TestDiffConfig(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, things)})
	old := object("version", "2.3.4", "region", "north")
	cases := []struct {
		name    string
		news    property.Map
		changed bool
		details []client.Change
	}{
		{name: "nothing", news: old},
		{
			name: "version", news: old.Set("version", property.New("2.4.0")), changed: true,
			details: []client.Change{{Path: "version", Kind: "UPDATE", Input: true}},
		},
		{
			name: "setting", news: old.Set("region", property.New("south")), changed: true,
			details: []client.Change{{Path: "region", Kind: "UPDATE", Input: true}},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			d, err := c.DiffConfig(t.Context(), "lab", old, tc.news)
			if err != nil {
				t.Fatal(err)
			}
			if d.Changed != tc.changed || d.Replace() {
				t.Errorf("changed %v, replace %v", d.Changed, d.Replace())
			}
			if diff := cmp.Diff(tc.details, d.Details); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestConfigureEach: two providers that attach to one process keep their
// configurations apart; whoever connects without one gets the latest.
func TestConfigureEach(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "files.cue"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	server := pulumi.New(pulumi.Options{Program: (&lab{}).program(t, string(text)), Dir: dir}).GRPC()
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	connect := func() *client.Client {
		c, err := client.Connect(listener.Addr().(*net.TCPAddr).Port)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	north, south, late := connect(), connect(), connect()
	for root, c := range map[string]*client.Client{"north": north, "south": south} {
		if err := c.Configure(t.Context(), "files", object("root", root)); err != nil {
			t.Fatal(err)
		}
	}
	if err := south.Configure(t.Context(), "files", object("root", "latest")); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]*client.Client{"north/1": north, "latest/2": south, "latest/3": late} {
		inputs := checkedFile(t, c, object("path", path.Base(want), "content", "x"))
		if _, err := c.Create(t.Context(), readme, inputs, client.Operation{}); err != nil {
			t.Fatal(err)
		}
		if got := content(t, filepath.Join(dir, want)); got != "x" {
			t.Errorf("%s holds %q", want, got)
		}
	}
}

// TestConfigureAgain: a process that is attached to is configured once a run;
// the latest configuration counts.
func TestConfigureAgain(t *testing.T) {
	c, dir := files(t)
	for i, root := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, root), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.Handshake(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if err := c.Configure(t.Context(), "files", object("root", root)); err != nil {
			t.Fatal(err)
		}
		inputs := checkedFile(t, c, object("path", "a.txt", "content", root))
		if _, err := c.Create(t.Context(), readme, inputs, client.Operation{}); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if got := content(t, filepath.Join(dir, root, "a.txt")); got != root {
			t.Errorf("run %d wrote %q", i, got)
		}
		if err := c.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

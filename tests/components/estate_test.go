package components

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func newEstate(t *testing.T) *pulumitest.Stack {
	return pulumitest.New(t, pulumitest.Providers{
		"estate": provider.Folder(t, "estate", "tests/components/testdata/estate.cue"),
		"files":  provider.Folder(t, "files", "examples/files.cue"),
	})
}

const house = `resources:
  villa:
    type: estate:House
    properties:
      key: {fn::secret: SwordFish}
      rooms: [den, hall]
`

// TestComponentsOfComponents: a component made of components and of another
// package's resources, with secrets that pass through all of them.
func TestComponentsOfComponents(t *testing.T) {
	t.Parallel()
	s := newEstate(t)
	s.Program(house + "outputs:\n  doors: ${villa.doors}\n  pins: ${villa.pins}\n")
	if r := s.Preview("create=8"); strings.Contains(r.Stdout, "SwordFish") {
		t.Errorf("the preview shows the secret:\n%s", r.Stdout)
	}
	s.Up("create=8")
	if diff := cmp.Diff(map[string]string{
		"den/door.txt": "den", "den/safe.txt": "SwordFish:pin of den/door.txt",
		"hall/door.txt": "hall", "hall/safe.txt": "SwordFish:pin of hall/door.txt",
		"register.txt": "den/door.txt\nhall/door.txt",
	}, s.Files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"doors": []any{"den/door.txt", "hall/door.txt"}, "pins": []any{"pin of den/safe.txt", "pin of hall/safe.txt"},
	}, outputs(t, s)); diff != "" {
		t.Errorf("the outputs (-want +got):\n%s", diff)
	}
	rooms := "villa-room-0 villa-room-0-door villa-room-1 villa-room-1-door"
	if diff := cmp.Diff(map[string]node{
		"villa":             {},
		"villa-room-0":      {Parent: "villa"},
		"villa-room-0-door": {Parent: "villa-room-0", Provider: "default"},
		"villa-room-0-safe": {
			Parent: "villa-room-0", Provider: "default", Dependencies: "villa-room-0-door",
			Properties: map[string]string{"text": "villa-room-0-door"},
		},
		"villa-room-1":      {Parent: "villa"},
		"villa-room-1-door": {Parent: "villa-room-1", Provider: "default"},
		"villa-room-1-safe": {
			Parent: "villa-room-1", Provider: "default", Dependencies: "villa-room-1-door",
			Properties: map[string]string{"text": "villa-room-1-door"},
		},
		"villa-register": {
			Parent: "villa", Provider: "default", Dependencies: rooms, Properties: map[string]string{"content": rooms},
		},
	}, graph(t, s)); diff != "" {
		t.Errorf("the graph of the state (-want +got):\n%s", diff)
	}
	hidden(t, s, "SwordFish", "pin of")
	for name, properties := range map[string][]string{
		"villa-room-1": {"key"}, "villa-room-1-safe": {"text", "pin"}, "villa": {"pins"},
	} {
		for _, property := range properties {
			r := s.Recorded(name)
			if !isSecret(r.Outputs[property]) && !isSecret(r.Inputs[property]) {
				t.Errorf("%s of %s is not secret: %v", property, name, r.Outputs[property])
			}
		}
	}
	s.Up("same=8")

	t.Log("a room goes, with all that is in it")
	s.Program(strings.Replace(house, "[den, hall]", "[den]", 1))
	s.Up("delete=3 same=3 update=2")
}

// hidden fails if the state has a text anywhere in plain sight.
func hidden(t *testing.T, s *pulumitest.Stack, texts ...string) {
	t.Helper()
	state, err := s.Export()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if strings.Contains(string(raw), text) {
			t.Errorf("the state shows %q", text)
		}
	}
}

// isSecret reports whether a property of the state is encrypted.
func isSecret(v any) bool {
	m, _ := v.(map[string]any)
	return m["ciphertext"] != nil
}

// TestUnknownChildrenAreNotGuessed: how many there are depends on what is not
// made yet, and the preview says so.
func TestUnknownChildrenAreNotGuessed(t *testing.T) {
	t.Parallel()
	s := newEstate(t)
	s.Program(house + `      notes:
        fn::split: [a, "${seed.sha256}"]
  seed:
    type: estate:Note
    properties: {path: seed.txt, text: x}
`)
	r := s.Preview("create=9")
	said := ""
	for _, d := range r.Diagnostics() {
		if d.Severity == "warning" {
			said += d.URN + " " + d.Text
		}
	}
	if !strings.Contains(said, "estate:index:House::villa") || !strings.Contains(said, `child "note"`) {
		t.Errorf("the preview says: %q", said)
	}
	if r := s.Up("create=13"); len(r.Diagnostics()) > 0 {
		t.Errorf("%+v", r.Diagnostics())
	}
	if n := graph(t, s)["villa-note-0"]; n.Parent != "villa-register" || n.Dependencies != "seed" {
		t.Errorf("a note is %+v", n)
	}
	s.Up("same=13")
	s.Destroy("delete=13")
}

// TestProvidersOfChildren: the program's provider of the component makes its
// children, and so does one that the spec names.
func TestProvidersOfChildren(t *testing.T) {
	t.Parallel()
	s := newEstate(t)
	s.Program(`resources:
  there:
    type: pulumi:providers:estate
    properties: {root: there}
  elsewhere:
    type: pulumi:providers:files
    properties: {root: elsewhere}
  annex:
    type: estate:Annex
    properties: {folder: here, text: hello}
  room:
    type: estate:Room
    properties: {name: attic, key: none}
    options: {provider: "${there}"}
  villa:
    type: estate:House
    properties: {rooms: [], key: none}
    options: {providers: ["${elsewhere}", "${there}"]}
`)
	s.Preview("create=7")
	s.Up("create=7")
	if diff := cmp.Diff([]string{
		"elsewhere/register.txt", "here/annex.txt", "there/attic/door.txt", "there/attic/safe.txt",
	}, names(s.Files())); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	all := graph(t, s)
	for name, want := range map[string]string{"annex-file": "annex-maker", "room-door": "there", "villa-register": "elsewhere"} {
		if got := all[name].Provider; got != want {
			t.Errorf("%s is made by %q, want %q", name, got, want)
		}
	}
	s.Up("same=7")
	s.Destroy("delete=7")
}

// TestWrongInputsOfAComponent: they are refused in the preview, each by its
// path, and nothing is registered. A secret among them is not shown.
func TestWrongInputsOfAComponent(t *testing.T) {
	t.Parallel()
	s := newEstate(t)
	for name, tc := range map[string]struct {
		properties string
		says       []string
	}{
		"a name":   {`{name: Attic, key: y}`, []string{"property name with value '{Attic}'", "must match"}},
		"a secret": {`{name: {fn::secret: SwordFish}, key: y}`, []string{"name: must match"}},
	} {
		s.Program("resources:\n  room:\n    type: estate:Room\n    properties: " + tc.properties + "\n")
		for _, try := range []func() []string{
			func() []string { return s.Fails(s.Project.Preview(t.Context())) },
			func() []string { return s.Fails(s.Project.Up(t.Context())) },
		} {
			said := strings.Join(try(), "\n")
			for _, text := range tc.says {
				if !strings.Contains(said, text) {
					t.Errorf("%s: nothing says %q: %s", name, text, said)
				}
			}
			if strings.Contains(said, "SwordFish") {
				t.Errorf("%s: the secret is shown: %s", name, said)
			}
		}
		s.Unrecorded("room")
	}
}

// TestFailureInTheMiddle: what was made stays, with the component, and the next
// up makes the rest.
func TestFailureInTheMiddle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Program(site("Cats", "Disallow: /", map[string]string{"about": "Us", "news": "Nothing"}))
	s.Write("www/index.html", "mine")
	said := s.Fails(s.Project.Up(t.Context()))
	if all := strings.Join(said, "\n"); !strings.Contains(all, "index.html") || strings.Contains(all, "bug") {
		t.Errorf("the errors: %s", all)
	}
	s.Unrecorded("web-robots")
	s.Unrecorded("web-index")
	if n := graph(t, s)["web-page-news"]; n.Parent != "web" {
		t.Errorf("a page that was made is %+v", n)
	}
	if got := s.Files()["www/index.html"]; got != "mine" {
		t.Errorf("the file in the way is now %q", got)
	}
	remove(t, s, "www/index.html")
	wantChanges(t, s.Up("create=2 same=3"), "create File web-index", "create File web-robots")
	s.Up("same=5")

	t.Log("a change that fails halfway")
	s.Program(site("Dogs", "Disallow: /", map[string]string{"about": "Us", "news": "Nothing", "team": "All"}))
	s.Write("www/team.html", "mine")
	s.Fails(s.Project.Up(t.Context()))
	remove(t, s, "www/team.html")
	r, err := s.Project.Up(t.Context())
	if err != nil || r.ExitCode != 0 {
		t.Fatalf("%v %+v", err, r)
	}
	s.Up("same=6")
	s.Destroy("delete=6")
}

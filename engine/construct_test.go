package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/component"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/load"
)

// parts is a spec with a resource to make components of.
const parts = `
resources: Part: {
	inputs: {name: string, size?: int, key?: string @secret(), file?: _, list?: [...string]}
	outputs: {code: string, note?: string, pin: string @secret()}
	id: "${inputs.name}"
	create: {world: do: {what: "make"}, return: {code: "c", pin: "p"}}
}
`

func construct(t *testing.T, spec string, m *fakeMonitor, kv ...any) (engine.ConstructResponse, error) {
	t.Helper()
	e, _ := newWorld().engine(t, parts+spec)
	return e.Construct(t.Context(), constructing("Site", m, kv...))
}

// constructed is a component that could be made.
func constructed(t *testing.T, spec string, m *fakeMonitor, kv ...any) engine.ConstructResponse {
	t.Helper()
	out, err := construct(t, spec, m, kv...)
	if err != nil || len(out.Failures) > 0 {
		t.Fatalf("err %v, failures %+v", err, out.Failures)
	}
	return out
}

const chain = `
components: Site: {
	inputs: {title: string, size: *3 | int, label: string @default("${upper(inputs.title)}")}
	outputs: {all: string, size?: int, pin: string @secret()}
	children: {
		last: {type: "Part", inputs: {name: "${children.middle.code}-${inputs.title}", size: "${inputs.size}", file: "${children.middle.urn}"}}
		middle: {type: "Part", inputs: {name: "${children.first.id}", key: "${children.first.pin}"}, options: dependsOn: ["lonely"]}
		first: {type: "Part", inputs: name: "${inputs.label}"}
		lonely: {type: "Part", inputs: name: "lonely"}
	}
	return: {all: "${children.last.code}${children.middle.code}", size: "${children.last.size}", pin: "${children.first.pin}"}
}
`

func TestConstruct(t *testing.T) {
	m := newFakeMonitor()
	m.adds["web-first"] = object("code", "1", "pin", secret("p1n"))
	m.adds["web-middle"] = object("code", "2", "pin", secret("p2n"), "__declprov", "own")
	m.adds["web-last"] = object("code", "3", "pin", secret("p3n"))
	m.adds["web-lonely"] = object("code", "4", "pin", secret("p4n"))
	out := constructed(t, chain, m, "title", on("ab", "outside"))
	if diff := cmp.Diff(map[string]any{
		"web-first":  map[string]any{"name": "text AB"},
		"web-middle": map[string]any{"name": "text id of web-first", "key": map[string]any{"secret": "text p1n"}},
		"web-last": map[string]any{
			"name": "text 2-ab", "size": 3.0, "file": "text " + string(urnOf("web-middle")),
		},
		"web-lonely": map[string]any{"name": "text lonely"},
	}, m.registered()); diff != "" {
		t.Errorf("what was registered (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]map[string]string{
		"web-first":  {},
		"web-middle": {"name": "web-first", "key": "web-first"},
		"web-last":   {"name": "outside web-middle", "file": "web-middle"},
		"web-lonely": {},
	}, map[string]map[string]string{
		"web-first": m.dependencies("web-first"), "web-middle": m.dependencies("web-middle"),
		"web-last": m.dependencies("web-last"), "web-lonely": m.dependencies("web-lonely"),
	}); diff != "" {
		t.Errorf("what inputs depend on (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("web-lonely", shownURNs(m.all["web-middle"].DependsOn)); diff != "" {
		t.Errorf("dependsOn (-want +got):\n%s", diff)
	}
	if r := m.all["web-first"]; r.Parent != componentURN || r.Type != "Part" || r.Foreign || r.Component {
		t.Errorf("first was registered as %+v", r)
	}
	if diff := cmp.Diff(object("all", "32", "size", 3, "pin", secret("p1n")), out.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"all": "web-last web-middle", "size": "web-last", "pin": "web-first"}, dependencies(out.Outputs)); diff != "" {
		t.Errorf("what outputs depend on (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("title", "ab", "size", 3, "label", "AB"), *m.began, values); diff != "" {
		t.Errorf("the inputs that are recorded (-want +got):\n%s", diff)
	}
	if out.URN != componentURN || m.ended == nil {
		t.Errorf("URN %s, outputs recorded: %t", out.URN, m.ended != nil)
	}
}

// TestConstructFromAContainer: a compiled spec makes the same of it.
func TestConstructFromAContainer(t *testing.T) {
	text := "package test\nname: \"test\"\nversion: \"1.0.0\"\n" + parts + chain
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	raw, err := container.Encode(container.Content{Provider: doc.Provider})
	if err != nil {
		t.Fatal(err)
	}
	ct, err := container.OpenBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := engine.Open(ct, newWorld().familiesOf)
	if err != nil {
		t.Fatal(err)
	}
	e, err := prog.Configure(t.Context(), property.Map{}, engine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	want, got := newFakeMonitor(), newFakeMonitor()
	for _, m := range []*fakeMonitor{want, got} {
		for _, name := range []string{"web-first", "web-middle", "web-last", "web-lonely"} {
			m.adds[name] = object("code", "c", "pin", secret("p1n"))
		}
	}
	constructed(t, chain, want, "title", "ab")
	out, err := e.Construct(t.Context(), constructing("Site", got, "title", "ab"))
	if err != nil || len(out.Failures) > 0 {
		t.Fatalf("err %v, failures %+v", err, out.Failures)
	}
	if diff := cmp.Diff(want.registered(), got.registered()); diff != "" {
		t.Errorf("what was registered (-of the spec +of the container):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Site"}, prog.Components()); diff != "" {
		t.Error(diff)
	}
}

func TestConstructRefusesInputs(t *testing.T) {
	m := newFakeMonitor()
	out, err := construct(t, chain, m, "titel", "x", "size", "big")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range out.Failures {
		paths = append(paths, f.Path)
	}
	if diff := cmp.Diff([]string{"title", "size", "titel"}, paths); diff != "" || m.began != nil {
		t.Errorf("registered: %t (-want +got):\n%s", m.began != nil, diff)
	}
	if _, err := construct(t, strings.Replace(chain, "Site:", "Size:", 1), m); err == nil || !strings.Contains(err.Error(), `Did you mean "Size"?`) {
		t.Errorf("an unknown component: %v", err)
	}
}

const many = `
components: Site: {
	inputs: {pages?: [string]: string, tags?: [...string], key?: string @secret(), all?: [string]: string}
	outputs: {codes: [...string], tags: [...string], byPage: {[string]: string}, extra?: string}
	children: {
		page: {type: "Part", forEach: "${inputs.pages}", inputs: {name: "${each.key}", size: "${len(each.value)}"}}
		tag: {type: "Part", forEach: "${inputs.tags}", if: "${each.value != 'skip'}", inputs: name: "${each.key}:${each.value}"}
		extra: {type: "Part", if: "${inputs.key != null}", inputs: {name: "extra", key: "${inputs.key}"}}
		user: {type: "Part", inputs: {name: "${children.page['a']?.code ?? 'none'}", list: "${map(values(children.page), #.code)}"}}
	}
	return: {
		codes: "${map(values(children.page), #.code)}"
		tags: "${map(filter(children.tag, # != null), #.name)}"
		byPage: "${children.page.a == null ? {} : {'a': children.page.a.code}}"
		extra: "${children.extra?.code}"
	}
}
`

func TestConstructManyAndNone(t *testing.T) {
	m := newFakeMonitor()
	for _, name := range []string{"web-page-a", "web-page-b", "web-tag-0", "web-tag-2", "web-user"} {
		m.adds[name] = object("code", "c "+name, "pin", secret("p1n"))
	}
	out := constructed(t, many, m, "pages", object("b", "xx", "a", on("x", "there")), "tags", []any{"x", "skip", "y"})
	if diff := cmp.Diff([]string{"web-page-a", "web-page-b", "web-tag-0", "web-tag-2", "web-user"}, m.names()); diff != "" {
		t.Errorf("the children (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object(
		"codes", []any{"c web-page-a", "c web-page-b"}, "tags", []any{"0:x", "2:y"}, "byPage", object("a", "c web-page-a"),
	), out.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"name": "web-page-a", "list": "web-page-a web-page-b"}, m.dependencies("web-user")); diff != "" {
		t.Errorf("one element, and all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"name": "there", "size": "there"}, m.dependencies("web-page-b")); diff != "" {
		t.Errorf("an element depends on what forEach goes over (-want +got):\n%s", diff)
	}

	none := newFakeMonitor()
	none.adds["web-extra"], none.adds["web-user"] = object("code", "e", "pin", "p"), object("code", "u", "pin", "p")
	out = constructed(t, many, none, "key", secret("s3cret"))
	if diff := cmp.Diff([]string{"web-extra", "web-user"}, none.names()); diff != "" {
		t.Errorf("without elements (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("codes", []any{}, "tags", []any{}, "byPage", object(), "extra", "e"), out.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestConstructPreview(t *testing.T) {
	m := newFakeMonitor()
	m.preview = true
	m.adds["web-user"] = object("code", unknown, "pin", secret(unknown))
	log := &recorder{}
	e, _ := newWorld().engine(t, parts+many)
	req := constructing("Site", m, "pages", unknown, "tags", []any{unknown, "x"}, "key", unknown)
	req.Log = log
	out, err := e.Construct(t.Context(), req)
	if err != nil || len(out.Failures) > 0 {
		t.Fatalf("err %v, failures %+v", err, out.Failures)
	}
	if diff := cmp.Diff([]string{"web-tag-1", "web-user"}, m.names()); diff != "" {
		t.Errorf("the children (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("codes", unknown, "tags", unknown, "byPage", unknown, "extra", unknown), out.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	said := strings.Join(log.messages, "\n")
	for _, key := range []string{`"page"`, `"tag"`, `"extra"`} {
		if !strings.Contains(said, key) {
			t.Errorf("nothing says that %s is not in the preview: %s", key, said)
		}
	}
	if _, err := e.Construct(t.Context(), constructing("Site", newFakeMonitor(), "pages", unknown)); err == nil {
		t.Error("outside of a preview, what is not known passes")
	}
}

const foreign = `
components: Site: {
	inputs: {}
	outputs: {name: string, more?: string, last?: string}
	children: {
		east: {type: "pulumi:providers:other", inputs: region: "east"}
		pet: {
			type: "other:Pet"
			inputs: {prefix: "x", tags: {a: 1}}
			options: {
				provider: "east", version: "1.2.3", pluginDownloadURL: "https://plugins.example.com"
				protect: true, retainOnDelete: "${inputs == {}}", deleteBeforeReplace: false
				ignoreChanges: ["tags"], replaceOnChanges: ["prefix"], additionalSecretOutputs: ["name"]
				aliases: ["old", "urn:pulumi:a::b::c::d", {type: "other:index:Cat", noParent: true}]
				customTimeouts: {create: "90s", delete: "2m"}
				import: "p-1", parent: "east", deletedWith: "east"
			}
		}
		block: {type: "other:mod:Block", inputs: like: "${children.pet.name}", options: component: true}
	}
	return: {name: "${children.pet.name}", more: "${children.block.size}", last: "${children.pet.id}"}
}
`

func TestConstructForeign(t *testing.T) {
	m := newFakeMonitor()
	m.adds["web-pet"] = object("name", secret("rex"), "prefix", "x")
	m.adds["web-block"] = object("size", on("7", "inside"))
	out := constructed(t, strings.Replace(foreign, "name: string,", "name: string @secret(),", 1), m)
	pet := m.all["web-pet"]
	if pet.Type != "other:index:Pet" || !pet.Foreign || pet.Component || pet.Parent != urnOf("web-east") {
		t.Errorf("pet was registered as %+v", pet)
	}
	yes, no := true, false
	if diff := cmp.Diff(component.RegistrationOptions{
		Protect: &yes, RetainOnDelete: &yes, DeleteBeforeReplace: &no,
		Aliases:       []component.Alias{{Name: "old"}, {URN: "urn:pulumi:a::b::c::d"}, {Type: "other:index:Cat", NoParent: true}},
		IgnoreChanges: []string{"tags"}, ReplaceOnChanges: []string{"prefix"}, AdditionalSecretOutputs: []string{"name"},
		Provider: &component.ProviderRef{URN: urnOf("web-east"), ID: "id of web-east"},
		Version:  "1.2.3", PluginDownloadURL: "https://plugins.example.com", ImportID: "p-1", DeletedWith: urnOf("web-east"),
		CreateTimeout: 90 * time.Second, DeleteTimeout: 2 * time.Minute,
	}, pet.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if block := m.all["web-block"]; !block.Component || block.Parent != componentURN {
		t.Errorf("block was registered as %+v", block)
	}
	if diff := cmp.Diff(object("name", secret("rex"), "more", "7", "last", "id of web-pet"), out.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"name": "web-pet", "more": "inside web-block", "last": "web-pet"}, dependencies(out.Outputs)); diff != "" {
		t.Errorf("what outputs depend on (-want +got):\n%s", diff)
	}

	preview := newFakeMonitor()
	preview.preview = true
	out = constructed(t, foreign, preview)
	if diff := cmp.Diff(object("name", unknown, "more", unknown, "last", unknown), out.Outputs, values); diff != "" {
		t.Errorf("what a foreign provider does not tell in a preview (-want +got):\n%s", diff)
	}
}

func TestConstructFails(t *testing.T) {
	m := newFakeMonitor()
	m.adds["web-lonely"] = object("code", "4", "pin", secret("p4n"))
	m.adds["web-first"] = object("code", "1", "pin", secret("p1nned"))
	m.fails["web-middle"] = failsWith("no room for p1nned")
	_, err := construct(t, chain, m, "title", "ab")
	if err == nil || !strings.Contains(err.Error(), `child "middle"`) || strings.Contains(err.Error(), "p1nned") || strings.Contains(err.Error(), "last") {
		t.Errorf("error = %v, want one that names the child, and shows no secret", err)
	}
	if diff := cmp.Diff([]string{"web-first", "web-lonely", "web-middle"}, m.names()); diff != "" {
		t.Errorf("what did not need it is made all the same (-want +got):\n%s", diff)
	}
	if m.ended != nil {
		t.Error("outputs were recorded")
	}
}

// TestConstructIsParallelAndBounded: what is independent is registered side by
// side, as far as the host allows it.
func TestConstructIsParallelAndBounded(t *testing.T) {
	for _, allowed := range []int{1, 3} {
		m := newFakeMonitor()
		var mu sync.Mutex
		running, most := 0, 0
		m.hook = func(context.Context, component.Registration) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			mu.Lock()
			running--
			mu.Unlock()
		}
		e, _ := newWorld().engine(t, parts+`
components: Site: {
	inputs: {}
	outputs: {}
	children: part: {type: "Part", forEach: [1, 2, 3, 4, 5, 6, 7, 8, 9], inputs: name: "${string(each.value)}"}
}`)
		req := constructing("Site", m)
		req.Parallel = allowed
		if _, err := e.Construct(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if most != allowed {
			t.Errorf("%d registrations side by side, want %d", most, allowed)
		}
	}
}

func TestConstructStops(t *testing.T) {
	m := newFakeMonitor()
	ctx, cancel := context.WithCancel(t.Context())
	m.hook = func(ctx context.Context, _ component.Registration) {
		cancel()
		<-ctx.Done()
	}
	e, _ := newWorld().engine(t, parts+chain)
	req := constructing("Site", m, "title", "x")
	req.Parallel = 1
	if _, err := e.Construct(ctx, req); err == nil {
		t.Error("a construct that was cancelled worked")
	}
	if len(m.order) > 1 {
		t.Errorf("after the end, these were registered: %v", m.order[1:])
	}
	m = newFakeMonitor()
	c := cancellable(t, time.Minute)
	m.hook = func(ctx context.Context, _ component.Registration) {
		c.stop(actions.ErrStopped)
		<-ctx.Done()
	}
	req = constructing("Site", m, "title", "x")
	req.Parallel = 1
	if _, err := e.Construct(c.ctx, req); !errors.Is(err, actions.ErrStopped) {
		t.Errorf("a construct that was stopped ended with %v", err)
	}
	if len(m.order) > 1 {
		t.Errorf("after it was stopped, these were registered: %v", m.order[1:])
	}
}

func TestConstructKeepsFiles(t *testing.T) {
	hello := &asset.Asset{Sig: sig.AssetSig, Text: "hello"}
	folder := &archive.Archive{Sig: sig.ArchiveSig, Assets: map[string]any{
		"a.txt": hello, "b": &archive.Archive{Sig: sig.ArchiveSig, Path: "b.zip"},
	}}
	for name, given := range map[string]property.Value{"an asset": property.New(hello), "an archive": property.New(folder)} {
		t.Run(name, func(t *testing.T) {
			m := newFakeMonitor()
			constructed(t, `
components: Site: {
	inputs: {upload: _}
	outputs: {}
	children: part: {type: "Part", inputs: {name: "x", file: "${inputs.upload}"}}
}`, m, "upload", given)
			got := m.all["web-part"].Inputs.Get("file")
			if got.IsAsset() != given.IsAsset() || got.IsAsset() && !got.Equals(given) {
				t.Errorf("the child got %v", got)
			}
			if given.IsArchive() {
				if diff := cmp.Diff(given.AsArchive(), got.AsArchive()); diff != "" {
					t.Errorf("the child got another archive (-want +got):\n%s", diff)
				}
			}
		})
	}
}

package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
)

// leniently returns what a lenient server takes a segment of a path for: it ignores case, dashes, leading zeros, slashes around it
// and percent-encoding.
func leniently(segment string) string {
	for range 3 {
		if text, err := url.PathUnescape(segment); err == nil {
			segment = text
		}
	}
	segment = strings.ToLower(strings.ReplaceAll(strings.Trim(segment, "/"), "-", ""))
	return strings.TrimLeft(segment, "0")
}

// otherForms returns other texts for a part of an id, by what is different in them.
func otherForms(part string) map[string]string {
	all := map[string]string{
		"upper case": strings.ToUpper(part), "no dashes": strings.ReplaceAll(part, "-", ""), "leading zeros": "00" + part,
		"trailing slash": part + "/", "percent-encoded": url.PathEscape(part), "encoded letters": fmt.Sprintf("%%%02x%s", part[0], part[1:]),
	}
	for name, text := range all {
		if text == part {
			delete(all, name)
		}
	}
	return all
}

// formKind is a kind of a resource whose import has parts: those of the id, and inputs. object is the path of its object.
type formKind struct {
	name, spec string
	// text is the template of the import, with %s for each part, and id that of the id. inputs are the names of the parts, "" for
	// the one that the server chooses.
	text, id string
	inputs   []string
}

func formKinds() []formKind {
	return []formKind{
		{"an id of the server", `inputs: size: int, rest: {path: "/things", idempotencyKey: true}`, "%s", "%s", []string{""}},
		{"an id of the server below a parent", `inputs: {shop: string @replace() SHOWN, size: int}, rest: {path: "/shops/${inputs.shop}/things", idempotencyKey: true}`, "%s/%s", "%[2]s", []string{"shop", ""}},
		{"a name", `inputs: {name: string @replace(), size: int}, rest: {path: "/things", id: "${inputs.name}", create: "PUT"}`, "%s", "%s", []string{"name"}},
		{"a name below a parent", `inputs: {shop: string @replace() SHOWN, name: string @replace(), size: int}, rest: {path: "/shops/${inputs.shop}/things", id: "${inputs.name}", create: "PUT"}`, "%s/%s", "%s/%s", []string{"shop", "name"}},
		{"another import than the id", `inputs: {name: string @replace(), size: int}, rest: {path: "/things", id: "${inputs.name}", create: "PUT"}, import: "name:${inputs.name}"`, "name:%s", "%s", []string{"name"}},
		{"settings", `inputs: size: int, rest: {path: "/settings", singleton: true}`, "settings%.0s", "settings%.0s", []string{"x"}},
		{"settings of a parent", `inputs: {shop: string @replace() SHOWN, size: int}, rest: {path: "/shops/${inputs.shop}/settings", singleton: true}`, "%s", "%s", []string{"shop"}},
		{"settings of two parents", `inputs: {shop: string @replace() SHOWN, name: string @replace(), size: int}, rest: {path: "/shops/${inputs.shop}/pets/${inputs.name}/settings", singleton: true}`, "%s/%s", "%s/%s", []string{"shop", "name"}},
	}
}

// importAs matches the remedy of an import that was refused.
var importAs = regexp.MustCompile(`import it as "([^"]*)"`)

// TestImportsOfOtherForms imports objects by texts that a lenient server takes for their ids, although they are other ones: in another case,
// without dashes, with leading zeros or a slash. Such an import gives the object as the server shows it; or it is refused, and the text that the
// error names does. A parent that the server does not show is recorded as it was typed, because nothing tells its form.
func TestImportsOfOtherForms(t *testing.T) {
	t.Parallel()
	const uuid = "0f8b-ab1c"
	for _, k := range formKinds() {
		for _, own := range []string{"4a2b", uuid, "a b"} {
			for _, shown := range []bool{true, false} {
				if !shown && !strings.Contains(k.spec, "SHOWN") {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, shown %v", k.name, own, shown), func(t *testing.T) {
					t.Parallel()
					newFormImports(t, k, own, shown).run()
				})
			}
		}
	}
}

// formImports are imports of the one object of a kind.
type formImports struct {
	*testing.T
	kind  formKind
	shown bool
	parts []any // in the form of the server
	e     func() *engine.Engine
}

func newFormImports(t *testing.T, k formKind, own string, shown bool) *formImports {
	t.Helper()
	f := &formImports{T: t, kind: k, shown: shown}
	object := map[string]any{"id": own, "name": own, "size": 1}
	for _, name := range k.inputs {
		part := own
		if name == "shop" {
			part = "7c-8"
		}
		f.parts = append(f.parts, part)
	}
	if shown {
		object["shop"] = "7c-8"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, segment := range strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/") {
			switch leniently(segment) {
			case leniently(own), leniently("7c-8"), "things", "shops", "pets", "settings":
			default:
				http.NotFound(w, r)
				return
			}
		}
		respond(w, http.StatusOK, object)
	}))
	t.Cleanup(server.Close)
	mark := "@noRead()"
	if shown {
		mark = ""
	}
	short, _ := restForms(t, `
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {`+strings.ReplaceAll(k.spec, "SHOWN", mark)+`}`)
	program, diags := engine.Compile(short, builtin.Families())
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	f.e = func() *engine.Engine {
		e, err := program.Configure(t.Context(), property.NewMap(map[string]property.Value{"endpoint": property.New(server.URL)}), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return f
}

// text fills in a template.
func (f *formImports) text(template string, parts []any) string {
	return fmt.Sprintf(template, parts...)
}

// run imports the object by each text.
func (f *formImports) run() {
	if out := f.read(f.text(f.kind.text, f.parts)); out.Err != nil || out.Gone {
		f.Fatalf("its own form: %v, gone %v", out.Err, out.Gone)
	}
	for i, part := range f.parts {
		for form, text := range otherForms(part.(string)) {
			typed := append([]any{}, f.parts...)
			typed[i] = text
			f.check(form, f.text(f.kind.text, typed), typed)
		}
	}
	if !strings.Contains(f.kind.text, "%.0s") {
		return
	}
	for form, text := range otherForms("settings") {
		f.check(form, text, f.parts)
	}
}

func (f *formImports) read(text string) engine.Result {
	return f.e().Read(f.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: text}})
}

// check imports the object by a text, and, if that is refused, by what the error says.
func (f *formImports) check(form, text string, typed []any) {
	f.Helper()
	own := f.text(f.kind.text, f.parts)
	if text == own {
		return
	}
	out := f.read(text)
	if out.Gone {
		return // also a server that is lenient does not take it for that
	}
	parts := append([]any{}, f.parts...)
	for i, name := range f.kind.inputs {
		if name != "shop" || f.shown {
			continue
		}
		parts[i] = typed[i]
		if i+1 < len(typed) { // the slash is the one after it
			parts[i] = strings.TrimSuffix(typed[i].(string), "/")
		}
	}
	if out.Err != nil {
		said := importAs.FindStringSubmatch(out.Err.Error())
		if want := f.text(f.kind.text, parts); said == nil || said[1] != want {
			f.Errorf("%s, %q: want the remedy to import %q, got %v", form, text, want, out.Err)
			return
		}
		out = f.read(said[1])
	}
	if out.Err != nil || out.Gone || out.State.ID != f.text(f.kind.id, parts) {
		f.Errorf("%s, %q: gone %v, %v, %+v", form, text, out.Gone, out.Err, out.State)
		return
	}
	for i, name := range f.kind.inputs {
		if got := out.State.Inputs.Get(name); name != "" && name != "x" && !got.Equals(property.New(parts[i].(string))) {
			f.Errorf("%s, %q: %s is %v, want %q", form, text, name, got, parts[i])
		}
	}
}

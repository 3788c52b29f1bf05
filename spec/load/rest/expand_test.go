package rest_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
)

// resource returns the only resource of a spec in CUE.
func resource(t *testing.T, rest string) *spec.Resource {
	t.Helper()
	return loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(in(rest)), Format: "cue"}).Resources[0]
}

// argument returns an argument of the request of an operation.
func argument(op *spec.Operation, name string) string {
	n := op.Steps[0].Actions[0].Value.Get(name)
	if n == nil {
		return ""
	}
	return n.Text
}

// TestWhatOptionsAdd shows parts that options add; the laws of the engine's tests show that
// they work.
func TestWhatOptionsAdd(t *testing.T) {
	t.Parallel()
	r := resource(t, `rest: {path: "/stores/${inputs.store}/pets", unique: "name"}`)
	if r.Find == nil {
		t.Fatal("find is missing")
	}
	if got := argument(r.Create, "json"); got != `${omit(inputs, "store")}` {
		t.Errorf("the create sends %s", got)
	}
	flat := resource(t, `rest: {path: "/stores/${inputs.store}/pets", object: "/pets/${id}", update: "PUT", create: "POST /stores/${inputs.store}/${inputs.kind}s"}`)
	if got := argument(flat.Update, "json"); got != `${omit(inputs, "store")}` {
		t.Errorf("the update sends %s", got)
	}
	if got := argument(flat.Create, "json"); got != `${omit(inputs, "store", "kind")}` {
		t.Errorf("the create sends %s", got)
	}
	if r.Import == nil || r.Import.Text != "${inputs.store}/${id}" || r.List.Inputs.Field("store") == nil {
		t.Errorf("import %+v, list of %v", r.Import, r.List.Inputs.FieldNames())
	}
	shared := resource(t, `rest: {path: "/stores/${inputs.store}/pets", unique: ["store", "name"]}`) // the list also has pets of others
	if shared.Find == nil || !strings.Contains(shared.Find.Return.Text, "inputs.store") || !strings.Contains(shared.Find.Return.Text, "inputs.name") {
		t.Errorf("find returns %+v", shared.Find)
	}
	r = resource(t, `rest: {path: "/pets/", update: "none", list: "none"}`)
	if r.Find != nil || r.Update != nil || r.List != nil || r.Import != nil {
		t.Error("find, update, list or import is there")
	}
	for options, want := range map[string]string{
		`id: "store"`: "${result.body != null ? result.body.store : inputs.store}",
		`id: "name"`:  "${result.body != null ? result.body.name : segmentOf(headers.location, result.url, 'pets/*') ?? ''}", // it may change
	} {
		r := resource(t, `rest: {path: "/pets", response: "none", `+options+`}`)
		if r.ID.Text != want || argument(r.Create, "response") != "none" || argument(r.Update, "response") != "none" {
			t.Errorf("with %s, the id is %s", options, r.ID.Text)
		}
	}
	if got := argument(r.Read, "path"); got != "/pets/${id}/" {
		t.Errorf("read requests %s", got)
	}
}

// TestPathsAsIDs shows requests for objects whose ids are paths.
func TestPathsAsIDs(t *testing.T) {
	t.Parallel()
	const object = `/${segments(trim(id, "/"))}/`
	r := resource(t, `rest: {path: "/pets/", id: "href", object: "/${segments(trim(id, \"/\"))}/"}`)
	for _, op := range []*spec.Operation{r.Read, r.Update, r.Delete} {
		if got := argument(op, "path"); got != object {
			t.Errorf("the path is %s", got)
		}
	}
	if r.ID.Text != "${result.body.href}" || r.Import != nil || r.List.ID.Text != "${each.value.href}" {
		t.Errorf("id %s, import %v, listed id %s", r.ID.Text, r.Import, r.List.ID.Text)
	}
}

// TestParentsOfTheList shows that a parent that only the list's request contains is sent in bodies, and
// is part of the id if the object is only in the list.
func TestParentsOfTheList(t *testing.T) {
	t.Parallel()
	const list = `list: "GET /pets?of=${inputs.store}"`
	cases := []struct{ options, id, imports, listed string }{
		{list, "${result.body.id}", "", "${each.value.id}"},
		{list + `, read: "list"`, "${result.body.id}", "${inputs.store}/${id}", "${inputs.store}/${each.value.id}"},
		{list + `, id: "${inputs.kind}"`, "${inputs.kind}", "", "${each.value.kind}"},
		{list + `, id: "${inputs.kind}", read: "list"`, "${inputs.store}/${inputs.kind}", "", "${inputs.store}/${each.value.kind}"},
	}
	for _, c := range cases {
		r := resource(t, `rest: {path: "/pets", `+c.options+`}
	inputs: kind: string @replace()`)
		imports := ""
		if r.Import != nil {
			imports = r.Import.Text
		}
		if r.ID.Text != c.id || imports != c.imports || r.List.ID.Text != c.listed {
			t.Errorf("with %s, the id is %s, the import %s, the id in the list %s", c.options, r.ID.Text, imports, r.List.ID.Text)
		}
		if json := argument(r.Create, "json"); strings.Contains(json, "store") || r.List.Inputs.Field("store") == nil {
			t.Errorf("with %s, the create sends %s, and the list takes %v", c.options, json, r.List.Inputs.FieldNames())
		}
	}
}

// TestKeysNextToRest shows that what the author writes replaces a part, and that all parts
// of the shorthand have its position.
func TestKeysNextToRest(t *testing.T) {
	t.Parallel()
	r := resource(t, `rest: "/pets"
	read: {http: path: "/pet", return: name: "x"}`)
	own := resource(t, `rest: "/stores/${inputs.store}/pets"
	read: {http: path: "/stores/${inputs.store}/pets/${id}"}
	update: {http: {method: "PUT", path: "/stores/${inputs.store}/pets/${id}"}}
	delete: {http: {method: "DELETE", path: "/stores/${inputs.store}/pets/${id}"}}`)
	if own.Import == nil || own.Import.Text != "${inputs.store}/${id}" {
		t.Errorf("with requests of its own, the import is %+v", own.Import)
	}
	if kept := resource(t, `rest: "/pets"
	delete: null`); kept.Delete != nil || !kept.Kept {
		t.Errorf("delete: null is replaced by %+v", kept.Delete)
	}
	if argument(r.Read, "path") != "/pet" || r.Read.Rest || !r.Create.Rest {
		t.Errorf("read requests %s", argument(r.Read, "path"))
	}
	path := r.Delete.Steps[0].Actions[0].Value.Get("path")
	if at := path.At(0, 5); at.Start.Line != 7 || at.Start.Column != 9 {
		t.Errorf("the path is at %s", at)
	}
	if at := path.At(6, 11); at.Start.Line != 7 || at.End.Column > 15 {
		t.Errorf("the id in the path is at %s", at)
	}
}

// TestCreatesSendTheirParents checks that each create sends the parent: in its path, or else in its body. An update
// sends it in the body if the create does, and its own path does not have it.
func TestCreatesSendTheirParents(t *testing.T) {
	t.Parallel()
	const parent = "${inputs.store}"
	for _, path := range []string{"/stores/" + parent + "/pets", "/stores/${shop}/pets", "/stores/${ shop }/pets"} {
		under := ""
		if strings.Contains(path, "shop") {
			under = `, under: shop: "` + parent + `"`
		}
		for create, inPath := range map[string]bool{
			"": true, `create: "POST /pets"`: false, `create: "PUT", id: "${inputs.kind}"`: true, `create: "PUT /pets/${inputs.kind}", id: "${inputs.kind}"`: false,
			`create: "POST /stores/` + parent + `/new"`: true, `create: "POST /pets?store=` + parent + `"`: true,
		} {
			for update, own := range map[string]bool{`update: "PUT"`: true, `update: "PUT /pets/${id}"`: false, `patch: "all"`: true} {
				r := resource(t, `rest: {path: "`+path+`", idempotent: true, `+strings.Trim(strings.Join([]string{create, update}, ", "), ", ")+under+`}
	inputs: kind: string @replace()`)
				if sent := argument(r.Create, "path") + argument(r.Create, "json"); strings.Contains(argument(r.Create, "json"), "store") != inPath || strings.Contains(strings.ReplaceAll(argument(r.Create, "path"), " ", ""), parent) != inPath {
					t.Errorf("%s %s, %s: the create sends %s", path, create, update, sent)
				}
				if omits := strings.Contains(argument(r.Update, "json"), `"store"`); omits != (inPath || own) {
					t.Errorf("%s %s, %s: the update sends %s %s", path, create, update, argument(r.Update, "path"), argument(r.Update, "json"))
				}
			}
		}
	}
}

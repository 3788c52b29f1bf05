package engine_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// signsOfPages are members that say that there are more pages, if they are in the envelope of a list. The values are texts,
// which keys of maps of strings may have, too. Weak ones count only in a response with a list.
var signsOfPages = []struct {
	member string
	weak   bool
}{
	{`"next_page": "blue"`, false},
	{`"has_more": "true"`, false},
	{`"hasMore": "true"`, false},
	{`"isTruncated": "true"`, false},
	{`"nextPageToken": "x"`, false},
	{`"isLast": "false"`, false},
	{`"next": "x"`, true},
	{`"total": "7"`, true},
	{`"count": "9"`, true},
	{`"last": "false"`, true},
	{`"total_pages": "3"`, true},
}

// documents are responses with a place for a sign, and whether it counts there: of a response with types, and without.
var documents = []struct {
	name, returns, body string
	// counts says that a sign counts, weakly that a weak one does, too.
	counts, weakly bool
}{
	// The type says that the keys are data.
	{"a map", `{flags: [string]: string}`, `{"flags": {SIGN}}`, false, false},
	{"another map", `{flags: [string]: string, labels: [string]: string}`, `{"flags": {}, "labels": {SIGN}}`, false, false},
	{"a map beside a list", `{l: [...string], labels: [string]: string}`, `{"l": [], "labels": {SIGN}}`, false, false},
	{"a map beside objects", `{l: [...{name: string}], labels: [string]: string}`, `{"l": [{"name": "b"}], "labels": {SIGN}}`, false, false},
	{"a map of lists and texts", `{labels: [string]: _}`, `{"labels": {"l": [], SIGN}}`, false, false},
	{"a map in a map", `{zones: [string]: {[string]: string}}`, `{"zones": {"a": {SIGN}}}`, false, false},
	{"an object in a map", `{zones: [string]: {labels: [string]: string, l: [...string]}}`, `{"zones": {"a": {"l": [], "labels": {SIGN}}}}`, false, false},
	{"any in a map", `{l: [...string], zones: [string]: _}`, `{"l": [], "zones": {"meta": {SIGN}}}`, false, false},
	{"a map in an object", `{spec: {l: [...string], labels: [string]: string}}`, `{"spec": {"l": [], "labels": {SIGN}}}`, false, false},
	{"a map named like an envelope", `{l: [...string], metadata: [string]: string}`, `{"l": [], "metadata": {SIGN}}`, false, false},
	{"a map in an envelope", `{l: [...string], labels: [string]: string @wire(meta.links)}`, `{"l": [], "meta": {"links": {SIGN}}}`, false, false},
	{"a map of another name", `{l: [...string], labels: [string]: string @wire(result)}`, `{"l": [], "result": {SIGN}}`, false, false},
	{"a map that may be null", `{l: [...string], links: {[string]: string} | null}`, `{"l": [], "links": {SIGN}}`, false, false},
	{"a map or a text", `{l: [...string], links: string | {[string]: string}}`, `{"l": [], "links": {SIGN}}`, false, false},
	{"a map as a definition", `{l: [...string], links: #Labels}`, `{"l": [], "links": {SIGN}}`, false, false},
	{"the whole response", `{[string]: string}`, `{SIGN}`, false, false},
	{"labels in the whole response, of any", `{[string]: _}`, `{"l": [], "labels": {SIGN}}`, false, false},
	{"an item of a list", `{l: [...{labels: [string]: string}]}`, `{"l": [{"labels": {SIGN}}]}`, false, false},
	// The type says nothing, but the place does.
	{"flags", ``, `{"flags": {SIGN}}`, false, false},
	{"labels", ``, `{"flags": {}, "labels": {SIGN}}`, false, false},
	{"tags beside a list", ``, `{"l": [], "tags": {SIGN}}`, false, false},
	{"annotations beside objects", ``, `{"items": [{"name": "b"}], "annotations": {SIGN}}`, false, false},
	{"settings in an object", ``, `{"spec": {"l": [], "settings": {SIGN}}}`, false, false},
	{"labels in metadata", ``, `{"items": [], "metadata": {"labels": {SIGN}}}`, false, false},
	{"metadata of an object", ``, `{"id": "7", "metadata": {SIGN}}`, false, false},
	{"data of an object", ``, `{"id": "7", "data": {SIGN}}`, false, false},
	{"a member that is not declared", `{l: [...string], ...}`, `{"l": [], "labels": {SIGN}}`, false, false},
	{"a declared object", `{l: [...string], schedule: {next?: string, ...}}`, `{"l": [], "schedule": {SIGN}}`, false, false},
	// Envelopes.
	{"the response", ``, `{SIGN}`, true, false},
	{"the response with a list", ``, `{"l": [], SIGN}`, true, true},
	{"meta", ``, `{"l": [], "meta": {SIGN}}`, true, true},
	{"metadata", ``, `{"l": [], "metadata": {SIGN}}`, true, true},
	{"response_metadata", ``, `{"l": [], "response_metadata": {SIGN}}`, true, true},
	{"meta.pagination", ``, `{"l": [], "meta": {"pagination": {SIGN}}}`, true, true},
	{"meta.pagination without a list", ``, `{"pets": {"a": {}}, "meta": {"pagination": {SIGN}}}`, true, false},
	{"pagination without a list", ``, `{"pets": {"a": {}}, "pagination": {SIGN}}`, true, false},
	{"pageInfo", ``, `{"data": {"pets": {"nodes": [], "pageInfo": {SIGN}}}}`, true, true},
	{"result_info", ``, `{"result": [], "result_info": {SIGN}}`, true, true},
	{"page_context", ``, `{"l": [], "page_context": {SIGN}}`, true, true},
	{"links", ``, `{"l": [], "links": {SIGN}}`, true, true},
	{"_links of HAL", ``, `{"_embedded": {"l": []}, "_links": {SIGN}}`, true, true},
	{"around the list", ``, `{"response": {"l": [], SIGN}}`, true, true},
	{"around the list, twice", ``, `{"response": {"result": {"l": [{"name": "b"}], SIGN}}}`, true, true},
	{"not declared", `{l: [...string], labels: [string]: string}`, `{"l": [], "labels": {}, SIGN}`, true, true},
	{"not declared, in meta", `{l: [...string], labels: [string]: string}`, `{"l": [], "labels": {}, "meta": {SIGN}}`, true, true},
	{"the whole response, of anything", `{...}`, `{"l": [], SIGN}`, true, true},
	{"declared meta", `{l: [...string], meta: {...}}`, `{"l": [], "meta": {SIGN}}`, true, true},
	{"any as meta", `{l: [...string], meta: _}`, `{"l": [], "meta": {SIGN}}`, true, true},
	{"declared around the list", `{data: {l: [...string], labels: [string]: string, ...}}`, `{"data": {"l": [], "labels": {}, SIGN}}`, true, true},
	{"_links as a map", `{l: [...string], links: [string]: string @wire("_links")}`, `{"l": [], "_links": {SIGN}}`, true, true},
	{"pagination as a map", `{l: [...string], pagination: [string]: string}`, `{"l": [], "pagination": {SIGN}}`, true, true},
}

// documentPet is a pet in the document that the server returns, which never has it. ARGS are further arguments.
const documentPet = `id: "${inputs.name}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	find: {http: {path: "/doc"ARGS}, gone: "${status == 200}"}
	read: {http: {path: "/doc"ARGS}, gone: "${status == 200}"}
	delete: steps: [{http: {path: "/doc"ARGS}}, {http: {method: "DELETE", path: "/pets/${id}"}}]
}
#Labels: [string]: string
#Doc: RETURNS
resources: Other: {
	id: "x"
	create: http: {method: "POST", path: "/others"}`

// TestKeysOfMapsAreNoSigns: a key that a user has chosen does not say that there are more pages; the envelope of a list does.
func TestKeysOfMapsAreNoSigns(t *testing.T) {
	t.Parallel()
	for _, doc := range documents {
		for _, sign := range signsOfPages {
			runCase(t, doc.name+"/"+sign.member, func(t *testing.T) {
				t.Parallel()
				want := "made gone done"
				if doc.counts && (doc.weakly || !sign.weak) {
					want = "refused error error"
				}
				args, typed := "", "string"
				if doc.returns != "" {
					args, typed = ", returns: #Doc", doc.returns
				}
				api := &fixedAPI{body: strings.Replace(doc.body, "SIGN", sign.member, 1)}
				create, refresh, remove, errs := api.lives(t, strings.NewReplacer("ARGS", args, "RETURNS", typed).Replace(documentPet))
				if got := fmt.Sprint(create, " ", refresh, " ", remove); got != want {
					t.Errorf("%s, returns %s: %s, want %s (%v)", api.body, doc.returns, got, want, errs)
				}
			})
		}
	}
}

// TestAnEndInAMapEndsNoList: a label has_more that is false says nothing about the list either.
func TestAnEndInAMapEndsNoList(t *testing.T) {
	t.Parallel()
	for _, args := range []string{``, `, returns: #Doc`} {
		api := &fixedAPI{body: `{"l": [], "next": "/doc?page=2", "labels": {"has_more": "false"}}`}
		create, refresh, remove, errs := api.lives(t, strings.NewReplacer("ARGS", args, "RETURNS", "{l: [...string], labels: [string]: string}").Replace(documentPet))
		if got := fmt.Sprint(create, " ", refresh, " ", remove); got != "refused error error" {
			t.Errorf("%s: %s (%v)", args, got, errs)
		}
	}
}

// TestRemediesForSigns: each of the remedies in the message is accepted by vet, and helps.
func TestRemediesForSigns(t *testing.T) {
	t.Parallel()
	snippets := regexp.MustCompile("`([^`]*)`")
	for _, tc := range []struct{ name, body, pet, remedy, args string }{
		{"a document", `{"next_page": "blue"}`, documentPet, `items: "${[body]}", paginate: {next: "${null}"}`, ""},
		{"a list", `{"l": [], "next": "x"}`, documentPet, `items: "${[body]}", paginate: {next: "${null}"}`, ""},
		{"a document with a type", `{"next_page": "blue"}`, documentPet, `returns`, `returns: #Doc`},
		{"rest", `{"items": [], "next": "x"}`, `rest: {path: "/pets", read: "list", unique: "name", items: "items"ARGS}`, `paginate: {next: "${null}"}`, ""},
		{"rest of a list with totals", `[]`, `rest: {path: "/pets", read: "list", unique: "name"ARGS}`, `paginate: {next: "${null}"}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			api := &fixedAPI{body: tc.body, header: map[string]string{"X-Has-More": map[bool]string{true: "true"}[tc.body == `[]`]}}
			pet := strings.Replace(tc.pet, "RETURNS", "{[string]: string}", 1)
			create, _, _, errs := api.lives(t, strings.ReplaceAll(pet, "ARGS", ""))
			if create != "refused" {
				t.Fatalf("made: %v", errs)
			}
			offered := false
			for _, m := range snippets.FindAllStringSubmatch(errs[0].Error(), -1) {
				offered = offered || m[1] == tc.remedy
			}
			if !offered {
				t.Errorf("%s is not offered: %v", tc.remedy, errs[0])
			}
			text := strings.ReplaceAll(pet, "ARGS", ", "+cmp.Or(tc.args, tc.remedy))
			checkVet(t, text)
			api.changes = nil
			if create, refresh, _, errs := api.lives(t, text); create != "made" || refresh != "gone" {
				t.Errorf("%s: %s %s (%v)", tc.remedy, create, refresh, errs)
			}
		})
	}
}

// checkVet fails the test if a part of a spec has mistakes.
func checkVet(t *testing.T, pet string) {
	t.Helper()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`
name: "pets"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Pet: {
	inputs: name: string @replace()
	` + pet + `
}`)})
	if len(diags) == 0 {
		_, diags = engine.Compile(doc.Provider, builtin.Families())
	}
	if diags.HasErrors() {
		t.Errorf("%s: %v", pet, diags)
	}
}

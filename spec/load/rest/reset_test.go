package rest_test

import (
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// settingsIn returns a spec in CUE whose singleton has further options.
func settingsIn(options string) string {
	return loadtest.Head + `wire: "snake_case"
#Look: {colour?: string, fontSize?: int}
resources: Settings: {
	inputs: {
		title?:       string
		postsPerPage: *10 | int
		size?:        int @wire(posts.size)
		count?:       int @wire(posts.count)
		look?:        #Look
		number?:      string @wire(type=int)
		either?:      string | int
		tags?: [...string]
		labels?: [string]: string
	}
	outputs: since: string
	rest: {path: "/settings", singleton: true, ` + options + `}
}
`
}

// TestReset shows which members of reset are reported, each at its place.
func TestReset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, reset string }{
		{"an input", `title: ""`},
		{"an expression", `title: "${id}"`},
		{"an expression for a number", `posts_per_page: "${5 + 5}"`},
		{"null", `title: null, posts_per_page: null, posts: null, look: null`},
		{"names on the wire", `posts_per_page: 10, posts: {size: 3, count: 1}`},
		{"an output", `since: "now"`},
		{"a member of a struct", `look: {colour: "red", font_size: 3}`},
		{"a struct by an expression", `look: "${{colour: 'red'}}"`},
		{"what is a number on the wire", `number: 0`},
		{"one of two kinds", `either: "a"`},
		{"collections", `tags: [], labels: {}`},
		{"entries of a map", `labels: {anything: "x"}`},
		{"a misspelt input", `«titel»: ""`},
		{"a declared name", `«postsPerPage»: 10`},
		{"a declared name of a member", `«size»: 3`},
		{"a misspelt container", `«post»: {size: 3}`},
		{"a misspelt member on the wire", `posts: {«sise»: 3}`},
		{"two members that are wrong", `posts: {«sise»: 3, «cuont»: 3}`},
		{"a misspelt member of a struct", `look: {«color»: "red"}`},
		{"another member", `«theme»: ""`},
		{"a text for a number", `posts_per_page: «"ten"»`},
		{"a number for a text", `title: «5»`},
		{"a text for what is a number on the wire", `number: «"0"»`},
		{"a boolean for a list", `tags: «false»`},
		{"a list for a struct", `look: «[]»`},
		{"a text for a member of a struct", `look: {font_size: «"3"»}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", settingsIn("reset: {"+c.reset+"}"), source.CodeResetMember)
		})
	}
	for _, open := range []string{`reset: {theme: "", look: {colour: "red"}}, returns: #Site`, `delete: "DELETE"`} {
		loadtest.Model(t, load.Source{Path: "-", Format: "cue", Stdin: []byte(settingsIn(open) + "#Site: {title?: string, ...}\n")})
	}
}

// TestReplacedSettings shows which requests are reported because a PUT removes what the program does not set.
func TestReplacedSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, options, inputs string }{
		{"by PUT", `update: «"PUT"»`, `a?: string`},
		{"by PUT with another path", `update: «"PUT /save"»`, `a?: string`},
		{"created by PUT", `create: «"PUT"»`, `a?: string`},
		{"created by PUT, with a patch", `create: «"PUT"», update: "PATCH", patch: "merge"`, `a?: string`},
		{"a hidden one", `update: «"PUT"»`, `a?: string @noRead()`},
		{"one that cannot change", `update: «"PUT"»`, `a?: string @replace()`},
		{"by PATCH", `patch: "merge"`, `a?: string`},
		{"by POST", `update: "POST"`, `a?: string`},
		{"required", `update: "PUT"`, `a: string`},
		{"with a default", `update: "PUT"`, `a: string | *""`},
		{"rewritten", `update: "PUT"`, `a?: string @normalised()`},
		{"kept by the API", `update: "PUT", patch: "changes"`, `a?: string`},
		{"meant", `update: "PUT", patch: "all"`, `a?: string`},
		{"created by PUT, kept", `create: "PUT", update: "PATCH", patch: "changes"`, `a?: string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", loadtest.Head+"resources: Settings: {\n\tinputs: {b: string, "+c.inputs+"}\n\trest: {path: \"/settings\", singleton: true, "+c.options+"}\n}\n", source.CodeReplacedSettings)
		})
	}
	own := `create: http: {method: "PUT", path: "/settings", json: "${inputs}"}
	update: http: {method: "PUT", path: "/settings", json: "${inputs}"}`
	loadtest.Model(t, load.Source{Path: "-", Format: "cue", Stdin: []byte(loadtest.Head + "resources: Settings: {\n\tinputs: a?: string\n\trest: {path: \"/settings\", singleton: true}\n\t" + own + "\n}\n")})
	loadtest.Model(t, load.Source{Path: "-", Format: "cue", Stdin: []byte(loadtest.Head + "resources: Thing: {\n\tinputs: a?: string\n\trest: {path: \"/things\", update: \"PUT\"}\n}\n")})
}

// TestSharedReset shows which deletes are reported because they reset what another resource sets.
func TestSharedReset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, second string }{
		{"the same member", `path: "/s/${inputs.of}", reset: «{title: ""}»`, `path: "/s/${inputs.of}"`},
		{"a member of another one's container", `path: "/s", reset: «{posts: {size: 1}}»`, `path: "/s"`},
		{"both", `path: "/s", reset: «{title: ""}»`, `path: "/s", reset: «{title: "x"}»`},
		{"all", `path: "/s", delete: «"DELETE"»`, `path: "/s"`},
		{"all by PUT", `path: "/s", update: "PUT", patch: "all", reset: «{motto: ""}»`, `path: "/s"`},
		{"another member", `path: "/s", reset: {motto: ""}`, `path: "/s"`},
		{"another path", `path: "/s", reset: {title: ""}`, `path: "/t"`},
		{"nothing", `path: "/s"`, `path: "/s"`},
		{"by another request", `path: "/s", delete: "POST /reset"`, `path: "/s"`},
		{"another member by a PUT that merges", `path: "/s", update: "PUT", patch: "changes", reset: {motto: ""}`, `path: "/s"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", loadtest.Head+`resources: First: {
	inputs: {of: string @replace(), title?: string, motto?: string, size?: int @wire(posts.size)}
	rest: {singleton: true, `+c.first+`}
}
resources: Second: {
	inputs: {of: string @replace(), title?: string, size?: int @wire(posts.size)}
	rest: {singleton: true, `+c.second+`}
}
`, source.CodeSharedReset)
		})
	}
}

// TestBodiesOfPatches shows where a default for further members of bodies is reported, because a JSON Patch has none.
func TestBodiesOfPatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, defaults, rest string }{
		{"of settings", `body: kind: "k"`, `rest: {path: "/s", singleton: true, patch: «"json"»}`},
		{"of settings, all by default", `{body: kind: "k", patch: «"json"»}`, `rest: {path: "/s", singleton: true}`},
		{"of an own create", `body: kind: "k"`, `rest: {path: "/s", id: "uuid", patch: «"json"»}
	create: http: {method: "POST", path: "/s", json: "${inputs}"}`},
		{"removed", `body: kind: "k"`, `rest: {path: "/s", singleton: true, patch: "json", body: null}`},
		{"sent by the create", `body: kind: "k"`, `rest: {path: "/s", patch: "json"}`},
		{"sent by the create of settings", `body: kind: "k"`, `rest: {path: "/s", singleton: true, create: "POST", update: "PATCH", patch: "json"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defaults := c.defaults
			if defaults[0] != '{' {
				defaults = "{" + defaults + "}"
			}
			loadtest.Mistake(t, "cue", loadtest.Head+"rest: "+defaults+`
resources: Thing: {
	inputs: title?: string
	`+c.rest+`
}
resources: Other: {
	inputs: title?: string
	rest: {path: "/others", update: "PUT"}
}
`, source.CodeMisplacedKey)
		})
	}
}

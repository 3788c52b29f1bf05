package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestLocatedBy: the settings that say where an object is are those that read and delete name it by, in every family and in each
// argument, and no others.
func TestLocatedBy(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ defaults, read, remove, rest, want string }{
		"the base of the URL": {defaults: `http: baseURL: "${config.url}"`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`, want: "url"},
		"a path":              {defaults: `http: baseURL: "https://example.com"`, read: `http: path: "/${config.tenant}/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`, want: "tenant"},
		"only in delete":      {defaults: `http: baseURL: "https://example.com"`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${config.tenant}/${id}"}`, want: "tenant"},
		"a whole URL":         {defaults: `permissions: hosts: ["${config.url}"]`, read: `http: url: "${config.url}/${id}"`, remove: `http: {method: "DELETE", url: "${config.url}/${id}"}`, want: "url"},
		"a parameter":         {defaults: `http: {baseURL: "https://example.com", query: tenant: "${config.tenant}"}`, read: `http: {path: "/${id}", query: a: "b"}`, remove: `http: {method: "DELETE", path: "/${id}"}`, want: "tenant"},
		"a header":            {defaults: `http: {baseURL: "https://example.com", headers: "X-Tenant": "${config.tenant}"}`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`, want: "tenant"},
		"a query in GraphQL":  {defaults: `http: baseURL: "https://example.com"`, read: `http: {method: "POST", path: "/", effect: "none", graphql: {query: "query($t: ID) { a(t: $t) { b } }", variables: t: "${config.tenant + id}"}}`, remove: `http: {method: "POST", idempotent: true, path: "/", json: {tenant: "${config.tenant}", id: "${id}"}}`, want: "tenant"},
		"a command":           {read: `exec: {command: ["show", "--tenant", "${config.tenant}", "${id}"], effect: "none"}`, remove: `exec: command: ["drop", "${id}"]`, want: "tenant"},
		"the program":         {read: `exec: {command: ["${config.url}", "show", "${id}"], effect: "none"}`, remove: `exec: {command: ["drop", "${config.tenant}${id}"], interpreter: ["${config.limit}"]}`, want: "tenant"},
		"a variable, standard input": {
			read:   `exec: {command: ["show", "${id}"], effect: "none", env: PLACE: "${config.url}", stdout: "json"}`,
			remove: `exec: {command: ["drop"], stdin: "${config.tenant} ${id}"}`, want: "tenant url",
		},
		"a machine":                  {defaults: `exec: ssh: {host: "${config.url}", user: "a", hostKey: "ssh-ed25519 AAAA", password: "${config.password ?? ''}"}`, read: `exec: {command: ["show", "${id}"], effect: "none"}`, remove: `exec: command: ["drop", "${id}"]`, want: "url"},
		"a folder":                   {defaults: `file: root: "${config.url}"`, read: `file: read: {path: "${id}"}`, remove: `file: delete: {path: "${id}"}`, want: "url"},
		"a database":                 {defaults: `sql: {driver: "postgres", url: "postgres://${config.url}/a", user: "b", password: "${config.password ?? ''}"}`, read: `sql: query: {statement: "select 1 as size where {n} = {m}", params: {n: "${id}", m: "${config.tenant}"}}`, remove: `sql: exec: {statement: "delete from t where n = {n}", params: n: "${id}", idempotent: true}`, want: "tenant url"},
		"credentials and limits":     {defaults: `http: {baseURL: "https://example.com", auth: basic: {username: "${config.tenant}", password: "${config.password ?? ''}"}, timeout: "${config.limit}"}`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`},
		"only in create":             {defaults: `http: baseURL: "https://example.com"`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`, rest: `create: http: {method: "PUT", ifNoneMatch: true, path: "/${inputs.name}", json: region: "${config.tenant}"}`},
		"one that leads to the same": {defaults: `http: baseURL: "${config.moving}"`, read: `http: path: "/${id}"`, remove: `http: {method: "DELETE", path: "/${id}"}`},
		"a type that refers to itself": {defaults: `#T: {host: string, of?: #T}
config: tree: #T`, read: `exec: {command: ["show", "${id}"], effect: "none", env: ALL: "${jsonencode(config.tree)} ${config.tree.of?.of?.host ?? ''}"}`, remove: `exec: command: ["drop", "${id}"]`, want: "tree.host tree.of tree.of.of.host"},
		"all settings": {read: `exec: {command: ["show", "${id}"], effect: "none", env: ALL: "${toJSON(config)}"}`, remove: `exec: command: ["drop", "${id}"]`, want: "limit server.host server.path tenant url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			create := row.rest
			if create == "" {
				create = strings.NewReplacer(`"DELETE"`, `"PUT", ifNoneMatch: true`, "${id}", "${inputs.name}").Replace("create: " + row.remove)
			}
			if strings.HasPrefix(row.remove, "file: ") {
				create = `create: file: write: {path: "${inputs.name}", content: ""}`
			}
			p, diags := program(t, `name: "test"
version: "1.0.0"
config: {server: {host: string, path: string, old: string @replace(false), password: string @secret()}, url: string, tenant: string, limit: string, moving: string @replace(false), password?: string @secret()}
`+row.defaults+`
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	`+create+`
	read: `+row.read+`
	delete: `+row.remove+`
}`)
			if diags.HasErrors() {
				t.Fatalf("%+v", diags)
			}
			res, err := p.Resource("Thing")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, strings.Join(res.LocatedBy, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// located is the spec of the tests below: `place` is in the address of read and delete, `kept` too, but leads to the same objects, and
// `quiet` is only in create.
const located = `name: "test"
version: "1.0.0"
config: {place?: string, kept: string | *"k" @replace(false), quiet: string | *"q", key?: string @secret()}
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	outputs: uid: string @stable()
	id: "7"
	create: world: send: {what: "make", with: "${config.quiet} ${inputs.name} ${inputs.size} ${config.key ?? ''}"}
	read: world: ask: {what: "get ${config.place ?? ''} ${config.kept}", with: "${config.key ?? ''}"}
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: {what: "remove ${config.place ?? ''}"}
	methods: ping: world: do: {what: "ping ${id}"}
}`

// TestMovedObjects: with another value of a setting that says where an object is, nothing is sent about it before a refresh, which
// takes what it finds only if nothing says that it is another object.
func TestMovedObjects(t *testing.T) {
	t.Parallel()
	settings := func(pairs ...any) property.Map { return object(pairs...) }
	same := answers(members("name", "n", "size", 1, "uid", "u"))
	for name, row := range map[string]struct {
		then, now property.Map
		moved     bool
	}{
		"the same":                        {settings("place", "a"), settings("place", "a"), false},
		"another":                         {settings("place", "a"), settings("place", "b"), true},
		"none":                            {settings("place", "a"), settings(), true},
		"one for none":                    {settings(), settings("place", "b"), true},
		"not known yet":                   {settings("place", "a"), settings("place", property.New(property.Computed)), false},
		"one that leads to the same":      {settings("kept", "a"), settings("kept", "b"), false},
		"one of create":                   {settings("quiet", "a"), settings("quiet", "b"), false},
		"a secret":                        {settings("key", "a"), settings("key", "b"), false},
		"a slash":                         {settings("place", "https://a.example.com"), settings("place", "https://A.example.com:443/"), false},
		"another user":                    {settings("place", "https://u:p@a.example.com/x"), settings("place", "https://v@a.example.com/x"), false},
		"another scheme":                  {settings("place", "http://a.example.com"), settings("place", "https://a.example.com"), true},
		"another port":                    {settings("place", "https://a.example.com"), settings("place", "https://a.example.com:80"), true},
		"another path":                    {settings("place", "https://a.example.com/a"), settings("place", "https://a.example.com/A"), true},
		"a default, and what it says":     {settings(), settings("quiet", "q", "kept", "k"), false},
		"a folder, and the root of all":   {settings("place", "/"), settings("place", ""), true},
		"a folder with and without a /":   {settings("place", "/data/"), settings("place", "/data"), false},
		"two, of which one leads to it":   {settings("place", "a", "kept", "a"), settings("place", "b", "kept", "b"), true},
		"a space, an equals sign, quotes": {settings("place", `a b="c"`), settings("place", `a b="d"`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			for _, config := range []property.Map{row.then, row.now} {
				place, kept := "", "k"
				if v := config.Get("place"); v.IsString() {
					place = v.AsString()
				}
				if v := config.Get("kept"); v.IsString() {
					kept = v.AsString()
				}
				w.on("get "+place+" "+kept, same)
			}
			before, _ := w.engineWith(t, located, row.then)
			made := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "n", "size", 1)})
			if made.State == nil || made.Err != nil {
				t.Fatalf("%+v", made)
			}
			now, _ := w.engineWith(t, located, row.now)
			unknown := row.now.Get("place").IsComputed()
			update := func(s engine.State, preview bool) engine.Result {
				return now.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: s, Inputs: object("name", "n", "size", 2), Preview: preview})
			}
			w.log()
			for size, fails := range map[int]bool{1: false, 2: row.moved} {
				diff, err := now.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: object("name", "n", "size", size)})
				if (err != nil) != fails || err == nil && (diff.Moved != nil) != row.moved {
					t.Errorf("a diff to size %d: %+v, %v", size, diff, err)
				}
			}
			if out := update(*made.State, true); (out.Err != nil) != row.moved {
				t.Errorf("the preview of an update: %v", out.Err)
			}
			if unknown {
				return // there is only a preview
			}
			if !row.moved {
				if out := update(*made.State, false); out.Err != nil {
					t.Errorf("an update: %v", out.Err)
				}
				if err := now.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *made.State}); err != nil {
					t.Errorf("a delete: %v", err)
				}
				return
			}
			if out := update(*made.State, false); out.Err == nil || out.State != nil {
				t.Errorf("an update: %+v", out)
			}
			if err := now.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *made.State}); err == nil {
				t.Error("it was deleted")
			}
			if _, err := now.CallMethod(t.Context(), engine.MethodRequest{Ref: ref("Thing"), Method: "ping", State: *made.State}); err == nil {
				t.Error("a method was called")
			}
			if calls := w.log(); calls != nil {
				t.Errorf("before a refresh: %q", calls)
			}
			read := now.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
			if read.State == nil || read.Err != nil {
				t.Fatalf("the refresh: %+v", read)
			}
			out := update(*read.State, false)
			if out.State == nil || out.Err != nil {
				t.Fatalf("an update after the refresh: %+v", out)
			}
			if err := now.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Errorf("a delete after the update: %v", err)
			}
			if err := before.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err == nil {
				t.Error("it was deleted where it was before")
			}
		})
	}
}

// TestRefreshesOfMovedObjects: what a refresh after a move finds is taken for the object unless its id, or what never changes, says that
// it is another one; then the state stays as it is, so that nothing is sent later either. What it does not find is removed from the
// state, as by any refresh. What cannot be read stays refused.
func TestRefreshesOfMovedObjects(t *testing.T) {
	t.Parallel()
	spec := strings.Replace(located, "uid: string @stable()", "uid?: string @stable()", 1)
	unread := strings.Replace(spec, "\tread: world", "\tmethods: look: world", 1)
	sought := strings.Replace(strings.Replace(spec, "@replace(), size", ", size", 1), "\tread: ", "\tfind: world: ask: what: \"find ${inputs.name}\"\n\tread: ", 1)
	named := strings.Replace(spec, `id: "7"`, `id: "${result.body.nr}"`, 1)
	for name, row := range map[string]struct {
		spec string
		at   actions.Outcome
		want string // "taken", "refused" or "gone"
	}{
		"the same":                          {spec, answers(members("name", "n", "size", 1, "uid", "u")), "taken"},
		"another value":                     {spec, answers(members("name", "n", "size", 5, "uid", "u")), "taken"},
		"it does not say":                   {spec, answers(members("name", "n", "size", 1)), "taken"},
		"another stable output":             {spec, answers(members("name", "n", "size", 1, "uid", "v")), "refused"},
		"another @replace() input":          {spec, answers(members("name", "m", "size", 1, "uid", "u")), "refused"},
		"nothing":                           {spec, gone("it"), "gone"},
		"an error":                          {spec, refused("not now"), "refused"},
		"no read":                           {unread, gone("it"), "refused"},
		"another name that find looks for":  {sought, answers(members("name", "m", "size", 1, "uid", "u")), "refused"},
		"the same name that find looks for": {sought, answers(members("name", "n", "size", 2, "uid", "u")), "taken"},
		"the same id":                       {named, answers(members("nr", "7", "name", "n", "size", 1, "uid", "u")), "taken"},
		"another id":                        {named, answers(members("nr", "8", "name", "n", "size", 1, "uid", "u")), "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("make", answers(members("nr", "7", "uid", "u"))).on("get a k", answers(members("nr", "7", "name", "n", "size", 1, "uid", "u"))).on("get b k", row.at).on("find n", gone("it"))
			before, _ := w.engineWith(t, row.spec, object("place", "a"))
			made := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "n", "size", 1)})
			if made.State == nil || made.Err != nil {
				t.Fatalf("%+v", made)
			}
			now, _ := w.engineWith(t, row.spec, object("place", "b"))
			read := now.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
			got := "taken"
			switch {
			case read.Gone:
				got = "gone"
			case read.Err != nil && read.State == nil:
				got = "refused"
			case read.State == nil || read.Err != nil:
				t.Fatalf("%+v", read)
			}
			if got != row.want {
				t.Errorf("it is %s, want %s: %v", got, row.want, read.Err)
			}
			state := made.State
			if read.State != nil {
				state = read.State
			}
			if err := now.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state}); (err == nil) != (got == "taken") {
				t.Errorf("the delete after it: %v", err)
			}
			if err := before.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *made.State}); got == "refused" && err != nil {
				t.Errorf("the delete where it was: %v", err)
			}
		})
	}
}

// TestStatesWithoutALocation: states of older versions, imports and lookups have no former place, and get the present one.
func TestStatesWithoutALocation(t *testing.T) {
	t.Parallel()
	w := newWorld().on("get a k", answers(members("name", "n", "size", 1, "uid", "u"))).on("get b k", answers(members("name", "n", "size", 1, "uid", "v")))
	a, _ := w.engineWith(t, located, object("place", "a"))
	b, _ := w.engineWith(t, located, object("place", "b"))
	old := engine.State{ID: "7", Inputs: object("name", "n", "size", 1), Outputs: object("name", "n", "size", 1, "uid", "u")}
	out := b.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: old, Inputs: object("name", "n", "size", 2)})
	if out.State == nil || out.Err != nil {
		t.Fatalf("an update of an old state: %+v", out)
	}
	if err := a.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err == nil {
		t.Error("its location was not recorded")
	}
	imported := a.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Import})
	if imported.State == nil || imported.Err != nil {
		t.Fatalf("the import: %+v", imported)
	}
	if err := b.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *imported.State}); err == nil {
		t.Error("the location of the import was not recorded")
	}
	seen := a.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Lookup})
	if seen.State == nil || seen.Err != nil {
		t.Fatalf("the lookup: %+v", seen)
	}
	if again := b.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *seen.State, Reason: engine.Refresh}); again.Err != nil || again.State == nil {
		t.Errorf("the refresh of a lookup: %+v", again)
	}
}

// TestLocationsHoldNoSecrets: what is secret, by its declaration or by the program, is neither in a location nor in a hash.
func TestLocationsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const spec = `name: "test"
version: "1.0.0"
config: {place: string, server: {host: string, inner: {port: int, password: string @secret()}}, whole: {[string]: string}}
configure: {world: ask: what: "me", return: {account: "${result.body.account}", key: "${result.body.key}"}}
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: world: do: {what: "make ${inputs.name}"}
	read: world: ask: {what: "get ${config.place} ${session.account}", with: "${config.server.inner.password} ${config.server.inner.port} ${config.server.host} ${config.whole.a ?? ''}"}
	delete: world: do: {what: "remove"}
}`
	me := func(account string) actions.Outcome { return answers(members("account", account, "key", "k")) }
	config := func(place property.Value, password, inner string) property.Map {
		return object("place", place, "whole", object("a", property.New(inner).WithSecret(true)), "server", object("host", "h", "inner", object("port", 1, "password", password)))
	}
	w := newWorld().on("me", me("7"), me("7"), me("8"))
	before, _ := w.engineWith(t, spec, config(property.New("p").WithSecret(true), "one", "x"))
	made := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "n")})
	if made.State == nil || made.Err != nil {
		t.Fatalf("%+v", made)
	}
	var names []string
	for _, text := range strings.Fields(made.State.Private.Location) {
		name, _, _ := strings.Cut(text, "=")
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"server.host", "server.inner.port", "session.account"}, names); diff != "" {
		t.Errorf("recorded (-want +got)\n%s", diff)
	}
	now, _ := w.engineWith(t, spec, config(property.New("q").WithSecret(true), "two", "y"))
	if diff, err := now.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: object("name", "n")}); err != nil || diff.Moved != nil {
		t.Errorf("with other secrets: %+v, %v", diff, err)
	}
	other, _ := w.engineWith(t, spec, config(property.New("p").WithSecret(true), "one", "x"))
	if err := other.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *made.State}); err == nil {
		t.Error("it was deleted in another account")
	}
}

// TestMovedHalfMade: what has stopped halfway is completed where it began.
func TestMovedHalfMade(t *testing.T) {
	t.Parallel()
	spec := strings.Replace(located, `create: world: send: {what: "make", with: "${config.quiet} ${inputs.name} ${inputs.size} ${config.key ?? ''}"}`,
		`create: steps: [{as: "it", world: send: {what: "make", with: "${config.quiet} ${inputs.name} ${inputs.size} ${config.key ?? ''}"}}, {world: do: {what: "rest"}}]`, 1)
	w := newWorld().on("rest", refused("not yet")).on("get b k", answers(members("name", "n", "size", 1, "uid", "u")))
	before, _ := w.engineWith(t, spec, object("place", "a"))
	made := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "n", "size", 1)})
	if made.State == nil || made.Err == nil || made.State.Private.Failed == nil {
		t.Fatalf("%+v", made)
	}
	now, _ := w.engineWith(t, spec, object("place", "b"))
	w.log()
	if out := now.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh}); out.Err == nil || out.State != nil || out.Gone {
		t.Errorf("the refresh: %+v", out)
	}
	if out := now.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "n", "size", 1)}); out.Err == nil {
		t.Errorf("the create goes on elsewhere: %+v", out)
	}
	if calls := w.log(); calls != nil {
		t.Errorf("sent: %q", calls)
	}
}

package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

const deployment = `
#Deployment: {
	uid:       string @wire(metadata.uid)
	image?:    string @wire(spec.template.image)
	pullFrom?: string @wire(spec.template."pull.from")
	count?:    int    @wire(spec.count)
	...
}
resources: Deployment: {
	wire: "snake_case"
	inputs: {
		name:      string @replace() @wire(metadata.name)
		image?:    string @wire(spec.template.image)
		pullFrom?: string @wire(spec.template."pull.from")
		replicaCount?: int
		label?:    string @wire("my.label")
		rule?:     {port: int @wire(match.port), path?: string @wire(match.path)}
	}
	outputs: {uid: string @wire(metadata.uid), ready?: int @wire(status.ready)}
	id: "${inputs.name}"
	create: world: send: {what: "make", with: "${inputs}"}
	read: world: ask: what: "get"
	update: world: send: {what: "patch", with: "${changes}"}
	delete: world: do: what: "remove"
}
functions: getDeployment: {
	outputs: {uid: string, image?: string, pullFrom?: string, count?: int, rest: _}
	world: typed: {what: "typed", returns: #Deployment}
	return: "${merge(result.body, {rest: omit(result.body, 'uid', 'image', 'pullFrom', 'count')})}"
}`

// A flat property may be a member of a member on the wire, in what is sent and in what
// is read. Parents are made only where one of their members is set.
func TestWirePaths(t *testing.T) {
	w := newWorld().on("get", answers(members(
		"metadata", members("name", "a", "uid", "u-1", "labels", members("x", "y")),
		"spec", members("template", members("image", "i:2", "pull.from", "hub")), "replica_count", int64(3), "my.label", "l",
		"rule", members("match", members("port", int64(80))), "status", nil,
	)))
	e, _ := w.engine(t, deployment)
	state := created(t, e, "Deployment", object("name", "a", "image", "i:1", "label", "l", "rule", object("port", 80)))
	if diff := cmp.Diff([]string{"make map[metadata:map[name:a] my.label:l rule:map[match:map[port:80]] spec:map[template:map[image:i:1]]]", "get"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := state.Outputs.Get("uid").AsString(); got != "u-1" {
		t.Errorf("uid is %q", got)
	}
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Deployment"), State: state})
	if read.Err != nil {
		t.Fatal(read.Err)
	}
	want := object("name", "a", "image", "i:2", "pullFrom", "hub", "replicaCount", 3, "label", "l", "rule", object("port", 80))
	if diff := cmp.Diff(want, read.State.Inputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.log()
	out := e.Update(t.Context(), engine.UpdateRequest{
		Ref: ref("Deployment"), State: *read.State, Inputs: check(t, e, "Deployment", object("name", "a", "pullFrom", "other", "replicaCount", 3, "label", "l", "rule", object("port", 80))),
	})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff("patch map[spec:map[template:map[image:<nil> pull.from:other]]]", w.log()[0]); diff != "" {
		t.Errorf("what was removed is null where it stands (-want +got):\n%s", diff)
	}
}

// Typed responses have such members, too; what is left of their parents stays with an
// open struct.
func TestWirePathsOfReturns(t *testing.T) {
	w := newWorld().on("typed", answers(members("metadata", members("uid", "u-1", "name", "a"), "spec", members("count", int64(2)))))
	e, _ := w.engine(t, deployment)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getDeployment"})
	want := object("uid", "u-1", "count", 2, "rest", object("metadata", object("name", "a")))
	if diff := cmp.Diff(want, out.Return, values); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, tc := range map[string]struct {
		came any
		want engine.MisfitError
	}{
		"missing":       {members("metadata", members("name", "a")), engine.MisfitError{Path: "body.uid", Wire: "body.metadata.uid", Expected: "a string", Got: "nothing"}},
		"no parent":     {members(), engine.MisfitError{Path: "body.uid", Wire: "body.metadata.uid", Expected: "a string", Got: "nothing"}},
		"respelt":       {members("metadata", members("UID", "a")), engine.MisfitError{Path: "body.uid", Wire: "body.metadata.uid", Expected: "a string", Got: "nothing", Hint: `the response has "UID": write @wire(metadata.UID)`}},
		"another kind":  {members("metadata", members("uid", true)), engine.MisfitError{Path: "body.uid", Wire: "body.metadata.uid", Expected: "a string", Got: "a boolean"}},
		"a quoted name": {members("metadata", members("uid", "u"), "spec", members("template", members("pull.from", true))), engine.MisfitError{Path: "body.pullFrom", Wire: `body.spec.template["pull.from"]`, Expected: "a string", Got: "a boolean"}},
		"within a list": {members("metadata", []any{members("uid", "u")}), engine.MisfitError{Path: "body.uid", Wire: "body.metadata.uid", Expected: `an object at "metadata"`, Got: "a list"}},
	} {
		w.on("typed", answers(tc.came))
		_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getDeployment"})
		var got *engine.MisfitError
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(&tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

const post = `
#Post: {
	postId: string @wire(id)
	tags?:  [...string] @wire(labels[].name)
	roles?: [...string] @wire(roles.name)
}
resources: Post: {
	wire: "snake_case"
	inputs: {
		tags?:     [...string] @set() @wire(labels[].name)
		authorIds: [...int] @wire(meta.authors[].user.id)
		parts?:    null | [...{partName: string}] @wire(parts[].part)
	}
	outputs: postId: string @wire(id)
	id: "p1"
	create: world: send: {what: "make", with: "${inputs}"}
	read: world: ask: what: "get"
	update: world: send: {what: "patch", with: "${changes}"}
	delete: world: do: what: "remove"
}
functions: getPost: {
	outputs: tags?: [...string]
	world: typed: {what: "typed", returns: #Post}
	return: tags: "${result.body.tags}"
}`

// The items of a list may be members of objects on the wire, in what is sent and in what is read.
func TestWireItems(t *testing.T) {
	labels := func(names ...string) []any {
		var list []any
		for i, name := range names {
			list = append(list, members("key", int64(i), "name", name))
		}
		return list
	}
	authors := members("authors", []any{members("user", members("id", int64(7), "name", "Ada"))})
	w := newWorld().on("get", answers(members("id", "p1", "labels", labels("b", "a"), "meta", authors, "parts", []any{members("part", members("part_name", "x"))})))
	e, _ := w.engine(t, post)
	state := created(t, e, "Post", object("tags", value([]any{"a", "b"}), "authorIds", value([]any{7}), "parts", value([]any{object("partName", "x")})))
	want := "make map[labels:[map[name:a] map[name:b]] meta:map[authors:[map[user:map[id:7]]]] parts:[map[part:map[part_name:x]]]]"
	if diff := cmp.Diff([]string{want, "get"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Post"), State: state, Reason: engine.Refresh})
	if read.Err != nil {
		t.Fatal(read.Err)
	}
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Post"), State: *read.State, New: check(t, e, "Post", object("tags", value([]any{"a", "b"}), "authorIds", value([]any{7}), "parts", value([]any{object("partName", "x")})))})
	if err != nil || len(diff.Changes) > 0 {
		t.Errorf("%v, changes %v", err, diff.Changes)
	}
	w.log()
	next := check(t, e, "Post", object("authorIds", value([]any{}), "parts", property.Value{}))
	if out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Post"), State: *read.State, Inputs: next}); out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff("patch map[labels:<nil> meta:map[authors:[]] parts:<nil>]", w.log()[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Typed responses have such lists, too.
func TestWireItemsOfReturns(t *testing.T) {
	w := newWorld().on("typed", answers(members("id", "p1", "labels", []any{members("name", "x"), "y"})))
	e, _ := w.engine(t, post)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getPost"})
	if diff := cmp.Diff(object("tags", value([]any{"x", "y"})), out.Return, values); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, tc := range map[string]struct {
		came  any
		roles any
		want  engine.MisfitError
	}{
		"no [] in the attribute": {nil, []any{members("name", "x")}, engine.MisfitError{Path: "body.roles", Wire: "body.roles.name", Expected: `an object at "roles"`, Got: "a list", Hint: "the items are in objects: write @wire(roles[].name)"}},
		"no list":                {members("name", "x"), nil, engine.MisfitError{Path: "body.tags", Wire: "body.labels", Expected: "a list of string", Got: "an object"}},
		"no member":              {[]any{members("title", "x")}, nil, engine.MisfitError{Path: "body.tags[0]", Wire: "body.labels[0].name", Expected: "a string", Got: "an object"}},
		"another kind":           {[]any{members("name", "x"), members("name", true)}, nil, engine.MisfitError{Path: "body.tags[1]", Wire: "body.labels[1].name", Expected: "a string", Got: "a boolean"}},
	} {
		w.on("typed", answers(members("id", "p1", "labels", tc.came, "roles", tc.roles)))
		_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getPost"})
		var got *engine.MisfitError
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(&tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Two properties have no place in common on the wire, by whatever rule.
func TestWireConflicts(t *testing.T) {
	resource := func(rule, inputs string) string {
		return rule + ` resources: Thing: {inputs: {name: string, ` + inputs + `}, id: "${inputs.name}", create: world: do: what: "make", delete: world: do: what: "remove"}`
	}
	for text, code := range map[string]string{
		resource("", `a: int @wire(x), b: int @wire(x)`):                              "duplicate-name",
		resource("", `a: int @wire(x), b: int @wire(x.y)`):                            "duplicate-name",
		resource("", `a: int @wire(x.y.z), b: int @wire(x.y)`):                        "duplicate-name",
		resource("", `a: int @wire(x.y), b: int @wire("x.y")`):                        "",
		resource("", `a: int @wire(x.y), b: int @wire(x.z)`):                          "",
		resource("", `petId: int, pet_id: int`):                                       "",
		resource(`wire: "snake_case",`, `petId: int, pet_id: int`):                    "duplicate-name",
		resource(`wire: "snake_case",`, `petId: int, b: int @wire(pet_id.x)`):         "duplicate-name",
		resource(`wire: "kebab-case",`, `petId: int, b: int @wire(petId)`):            "",
		resource("#T: {petId: int, pet_id: int} @wire(snake_case),", `t: #T`):         "duplicate-name",
		resource("", `a: int @wire(x.)`):                                              "bad-attribute",
		resource("", `a: int @wire(.x)`):                                              "bad-attribute",
		resource("", `a: int @wire("x"y)`):                                            "bad-attribute",
		resource("", `a: int @wire()`):                                                "bad-attribute",
		resource("", `a: int @wire(x, y)`):                                            "bad-attribute",
		resource("", `a: int @wire(x[].y)`):                                           "bad-attribute",
		resource("", `a: [...int] @wire(x[])`):                                        "bad-attribute",
		resource("", `a: [...int] @wire(x[0].y)`):                                     "bad-attribute",
		resource("", `a: [...int] @wire([].y)`):                                       "bad-attribute",
		resource("", `a: [...int] @wire(x[].y[].z)`):                                  "bad-attribute",
		resource("", `a: [...int] @wire(x[]y)`):                                       "bad-attribute",
		resource("", `a: null | [...int] @wire("x.z"[].y."z")`):                       "",
		resource("", `a: [...int] @wire(x[].y), b: [...int] @wire(x[].z)`):            "duplicate-name",
		resource("", `a: [...int] @wire(x[].y), b: int @wire(x.z)`):                   "duplicate-name",
		resource("", `a: {b: int @wire(x.y), c: int @wire(x)}`):                       "duplicate-name",
		resource("", `a: {b: int @wire(x.y)} | string @wire(x.y), c: int @wire(x.z)`): "",
	} {
		_, diags := newWorld().compile(t, text)
		got := ""
		if diags.HasErrors() {
			got = diags[0].Code
		}
		if got != code {
			t.Errorf("%s: %q, not %q: %+v", text, got, code, diags)
		}
	}
}

// A response of an open type has members that the type does not declare. They have their names on the
// wire, and outputs and inputs find them there, also below others.
func TestWirePathsOfOpenTypes(t *testing.T) {
	spec := func(returned string) string {
		return `
#Thing: {` + returned + `...}
resources: Thing: {
	wire: "snake_case"
	inputs: {name: string, tagNames?: [...string] @wire(meta.tags[].name)}
	outputs: {owner: string @wire(owner.username), createdAt: string}
	id: "${inputs.name}"
	create: world: send: {what: "make", with: "${inputs}"}
	read: world: typed: {what: "get", returns: #Thing}
	update: world: send: {what: "patch", with: "${changes}"}
	delete: world: do: what: "remove"
}`
	}
	for _, returned := range []string{"", "name: string, ", "name: string, createdAt: string, "} {
		came := members("name", "a", "created_at", "now", "owner", members("username", "ada", "id", int64(1)), "meta", members("tags", []any{members("name", "x")}))
		w := newWorld().on("get", answers(came))
		e, _ := w.engine(t, spec(returned))
		state := created(t, e, "Thing", object("name", "a", "tagNames", value([]any{"x"})))
		if got := state.Outputs.Get("owner"); !got.IsString() || got.AsString() != "ada" {
			t.Errorf("with %q, the owner is %v", returned, got)
		}
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if read.Err != nil {
			t.Fatal(read.Err)
		}
		if diff := cmp.Diff(object("name", "a", "tagNames", value([]any{"x"})), read.State.Inputs, values); diff != "" {
			t.Errorf("with %q (-want +got):\n%s", returned, diff)
		}
	}
}

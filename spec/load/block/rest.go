package block

import (
	"strings"

	"github.com/declprov/declprov/spec"
)

// Rest is the shorthand for the operations of a conventional REST resource.
var Rest = &Block{
	Name: "Rest", What: "rest", Doc: "The operations of a conventional REST resource; `rest: \"/pets\"` is short for `rest: path: \"/pets\"`.",
	Keys: []Key{
		{Name: "path", Kind: Template, Required: true, CUE: "string", Example: `path: "/pets"`, Into: to(func(r *spec.Rest) any { return &r.Path }), Doc: "The path of the collection, or of a `singleton`. The path of an object is this path and the id of the object. If the path ends in a slash, the paths of objects do, too."},
		{Name: "singleton", Kind: Bool, Into: to(func(r *spec.Rest) any { return &r.Singleton }), Doc: "true if there is one object, which always exists, such as settings. `path` is its own path; a create updates it, and a delete sends nothing."},
		{
			Name: "reset", Kind: Body, CUE: "string | {...}", Remedy: "Write what the delete sends, by the names on the wire: `reset: title: \"\"`.",
			Into: to(func(r *spec.Rest) any { return &r.Reset }), Doc: "With `singleton`: the members that a delete sends, by the request of an update: `{title: \"\"}`.",
		},
		{Name: "object", Kind: Template, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.Object }), Doc: "The path of an object, if it is not the path of the collection and the id: `\"/tasks/${id}\"`."},
		{Name: "create", Kind: Template, CUE: oneOf(RestCreates) + ` | "PATCH" | ` + requestOf(RestSends), Into: to(func(r *spec.Rest) any { return &r.Create }), Doc: "The method of the create. POST, the default, sends to the path of the collection. PUT sends to the path of the object, and requires an `id` such as `\"${inputs.name}\"`. If the path is another one, write both: `\"POST /pets/${inputs.name}\"`. Inputs in the path are not in the body. PATCH is for a `singleton`."},
		{Name: "id", Kind: Template, Null: true, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.ID }), Doc: "The member of an object that is its id, as a name or path on the wire; `id` by default. A number becomes text. If the program chooses the name of an object: the name as a template, `\"${inputs.name}\"`."},
		{Name: "update", Kind: Template, CUE: oneOf(RestUpdates) + " | " + requestOf(RestSends), Into: to(func(r *spec.Rest) any { return &r.Update }), Doc: "The method of updates. PATCH (the default, unless the create is a PUT) and POST send the changes, with null for removed members. PUT sends all inputs and, with `patch: \"merge\"`, null for what was removed. With `patch: \"object\"`, PUT is the default and sends the whole object. With \"none\", every change replaces the resource. If the path is another one, write both: `\"PUT /pets/${id}/name\"`."},
		{Name: "patch", Kind: Text, Null: true, CUE: oneOf(RestPatches), Into: to(func(r *spec.Rest) any { return &r.Patch }), Doc: "\"all\" if the API requires all members in an update: updates send all inputs, and null for what the program has removed. \"merge\" if the API merges an update with the object, also within structs and maps: updates send null for what the program has removed, at any depth, and PATCH has the type application/merge-patch+json. \"changes\" if PUT sends the changes only. \"json\" if PATCH sends a JSON Patch (RFC 6902). \"object\" if the API replaces the whole object and removes what is not sent: an update reads the object, changes in it what the program has changed, and sends it back."},
		{
			Name: "form", Kind: Data, Null: true, CUE: "true | " + oneOf(RestForms), Into: to(func(r *spec.Rest) any { return &r.Form }),
			Doc: "Bodies are forms (application/x-www-form-urlencoded) instead of JSON. The value says how lists and maps are written: \"brackets\" (`a[]=1`, `a[b]=2`), \"indices\" (`a[0]=1`, `a[b]=2`), \"repeat\" (`a=1&a=2`, no maps), \"member.N\" or \"N\"; with true, as the argument `lists` of the defaults of http says. A create leaves out null; an update sends it as an empty value, which removes the member.",
		},
		{Name: "omit", Kind: Data, Null: true, CUE: "string | [...string]", Into: to(func(r *spec.Rest) any { return &r.Omit }), Doc: "With `patch: \"object\"`: members of the object that are not sent back, because the API refuses them, as names or paths on the wire: `[\"updated_at\"]`."},
		{Name: "read", Kind: Template, CUE: oneOf(RestReads) + " | " + requestOf(RestGets), Into: to(func(r *spec.Rest) any { return &r.Read }), Doc: "\"list\" if the API has no request for one object: `read` looks for the object in the list. Or the request for one object: `\"GET /pet/${id}\"`."},
		{Name: "delete", Kind: Template, CUE: oneOf(RestDeletes) + " | " + requestOf(RestDeletes), Into: to(func(r *spec.Rest) any { return &r.Delete }), Doc: "The method of the delete, DELETE by default, or its method and path: `\"POST /pets/${id}/retire\"`."},
		{Name: "find", Kind: Template, CUE: requestOf(RestGets), Into: to(func(r *spec.Rest) any { return &r.Find }), Doc: "The request that looks for an object by the inputs, before a create: `\"GET /pets/named/${inputs.name}\"`. With `unique`, its response is a list."},
		{Name: "gone", Kind: Condition, Null: true, CUE: "bool | string", Into: to(func(r *spec.Rest) any { return &r.Gone }), Doc: "If the status for an object that does not exist is not 404: a condition that recognizes the response, `\"${status == 400}\"`."},
		{Name: "unwrap", Kind: Text, Null: true, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.Unwrap }), Doc: "The member of a response that contains the object, as a name or path on the wire: `data`. With a question mark, `data?`, a response without the member is the object itself."},
		{Name: "wrap", Kind: Text, Null: true, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.Wrap }), Doc: "The member of the body of a create or update in which the inputs are sent, as a name or path on the wire: `data`."},
		{Name: "query", Kind: Body, Null: true, CUE: "{...}", Into: to(func(r *spec.Rest) any { return &r.Query }), Doc: "Members of the query of each request: `{expand: \"all\"}`."},
		{
			Name: "body", Kind: Body, Null: true, CUE: "string | {...}", Remedy: "Write the members: `body: type: \"user\"`, or an expression for a map.",
			Into: to(func(r *spec.Rest) any { return &r.Body }), Doc: "Further members of the bodies of creates and updates, in addition to the inputs: `{type: \"user\"}`. A member that refers to `${id}` is in those of updates only.",
		},
		{Name: "parent", Kind: Template, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.Parent }), Doc: "The path of the object that contains the collection: `\"/stores/${inputs.store}\"`. It is requested before an object in the collection is read or deleted. If the parent does not exist, the object does not exist either."},
		{Name: "items", Kind: Text, Null: true, CUE: "string", Into: to(func(r *spec.Rest) any { return &r.Items }), Doc: "The member of the list's response that contains the objects, as a name or path on the wire. A name that ends with a question mark, `results?`, may be absent or null: then there are none. The default is `unwrap`, or the whole body, which must then be an array."},
		{Name: "response", Kind: Text, Null: true, CUE: `"none"`, Into: to(func(r *spec.Rest) any { return &r.Response }), Doc: "\"none\" if the response to the create does not contain the object. The id then comes from the first of these that has it: the input that `id` names; the header Location, from the segment in the place of ${id} in the path of an object; the object that `find` or `unique` finds."},
		{
			Name: "wait", Kind: Struct, Of: RestWait, Null: true, CUE: "#RestWait", Part: true, Into: to(func(r *spec.Rest) any { return &r.Wait }),
			Doc: "If the API responds before it has done what was asked: when the object is ready. Creates and updates wait until then, and deletes until the object does not exist.",
		},
		{
			Name: "paginate", Kind: Body, Null: true, CUE: "{...}", Remedy: "Say how the next page is found: `paginate: link: true`, `paginate: page: {param: \"page\"}` or `paginate: cursor: {param: \"after\", next: \"${body.next}\"}`.",
			Into: to(func(r *spec.Rest) any { return &r.Paginate }), Doc: "How to get all pages of the list, like the argument `paginate` of an http request.",
		},
		{Name: "list", Kind: Template, CUE: oneOf(RestLists) + " | " + requestOf(RestListings), Into: to(func(r *spec.Rest) any { return &r.List }), Doc: "\"none\" if the API cannot list the objects. If the request is not GET with the path of the collection, its method and path: `\"GET /pets?store=${inputs.store}\"`, `\"POST /pets/search\"`."},
		{Name: "returns", Kind: Data, Doc: "The type of an object in the responses: a definition."},
		{Name: "ifNoneMatch", Kind: Data, Null: true, CUE: "bool", Into: to(func(r *spec.Rest) any { return &r.IfNoneMatch }), Doc: "With `create: \"PUT\"`: true lets the server refuse a create if the object exists, like the argument of an http request."},
		{Name: "ifMatch", Kind: Data, Null: true, CUE: "bool", Into: to(func(r *spec.Rest) any { return &r.IfMatch }), Doc: "true sends the ETag of the last read with updates and deletes, so that the server refuses them if somebody else has changed the object since."},
		{Name: "idempotencyKey", Kind: Data, Null: true, CUE: "bool | {...}", Into: to(func(r *spec.Rest) any { return &r.IdempotencyKey }), Doc: "Send a key by which the server recognizes a repeated create."},
		{Name: "idempotent", Kind: Data, Null: true, CUE: "bool", Into: to(func(r *spec.Rest) any { return &r.Idempotent }), Doc: "Whether sending the create twice has the same effect as sending it once. false says that you know that a lost response may lead to two objects."},
		{Name: "unique", Kind: Data, CUE: "string | [...string]", Into: to(func(r *spec.Rest) any { return &r.Unique }), Doc: "The input, or the list of inputs, whose values identify an object in the list (with `find`: in the response to that request). It adds a `find` that looks for the object there."},
		{Name: "under", Kind: Body, CUE: "[string]: string", Into: to(func(r *spec.Rest) any { return &r.Under }), Doc: "Other names for the parents in the path: with `shop: \"${inputs.store}\"`, the path may contain `${shop}`."},
	},
}

// RestWait says when an object is ready. Its keys are those of the step that waits.
var RestWait = &Block{
	Name: "RestWait", What: "wait", Doc: "When an object is ready.",
	Keys: []Key{
		{Name: "until", Kind: Condition, Required: true, CUE: "bool | string", Into: Step.Key("until").Into, Doc: "Requests the object until this is true: `\"${body.status != 'PENDING'}\"`. A delete waits until the object does not exist instead."},
		{Name: "fail", Kind: Template, Into: Step.Key("fail").Into, Doc: "A message if the create or update has failed, or else null: `\"${body.status == 'ERROR' ? body.reason : null}\"`."},
		*Step.Key("every"),
		{Name: "timeout", Kind: Duration, Into: Step.Key("timeout").Into, Doc: "How long to wait at most: `\"30m\"`."},
		*Step.Key("progress"),
	},
}

// RestDefaults are the options of `rest` for all resources that have it. Those that only concern the paths and inputs of one
// resource have no default.
var RestDefaults = &Block{
	Name: "RestDefaults", What: "a block of defaults for rest", Doc: "Options for each `rest` that does not set them; null there removes one.",
	Keys: restDefaults(),
}

func restDefaults() []Key {
	words := map[string][]string{"create": RestCreates, "read": RestReads, "update": RestUpdates, "delete": RestDeletes, "list": RestLists}
	var keys []Key
	for _, k := range Rest.Keys {
		if known := words[k.Name]; known != nil {
			k.CUE = oneOf(known)
		} else if !k.Null {
			continue
		}
		k.Null = false
		keys = append(keys, k)
	}
	return keys
}

// RestCreates are the values of `create` in `rest`.
var RestCreates = []string{"POST", "PUT"}

// RestReads are the values of `read` in `rest`.
var RestReads = []string{"list"}

// RestLists are the values of `list` in `rest`, and RestListings the methods of a list with a path.
var RestLists, RestListings = []string{"none"}, []string{"GET", "POST"}

// RestUpdates are the values of `update` in `rest`.
var RestUpdates = []string{"PATCH", "PUT", "POST", "none"}

// RestPatches are the values of `patch` in `rest`.
var RestPatches = []string{"merge", "all", "changes", "json", "object"}

// RestForms are the rules by which `form` in `rest` writes lists and maps: those of the argument `lists` of http.
var RestForms = []string{"repeat", "brackets", "indices", "member.N", "N"}

// RestDeletes are the values of `delete` in `rest`, and the methods of a delete with a path.
var RestDeletes = []string{"DELETE", "POST", "PUT", "PATCH"}

// RestSends are the methods of a create and an update with a path, and RestGets those of a read and
// a find.
var RestSends, RestGets = []string{"POST", "PUT", "PATCH"}, []string{"GET"}

// requestOf returns the definition, in CUE, of a method and a path.
func requestOf(methods []string) string { return `=~"^(` + strings.Join(methods, "|") + `) +[/$]"` }

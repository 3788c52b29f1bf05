package http

import "github.com/declprov/declprov/actions"

// examples are executed by a test, each against a server with the given responses.
func examples() []actions.Example {
	return []actions.Example{
		{
			Summary: "Read an object", Spec: `http: path: "/pets/7"`,
			Responses: map[string]actions.Response{"GET /pets/7": {Body: `{"id": 7, "name": "Rex"}`}},
		},
		{
			Summary:   "Create an object, with an idempotency key",
			Spec:      `http: {path: "/pets", json: {name: "Rex", kind: "dog"}, expect: [201], idempotencyKey: true}`,
			Responses: map[string]actions.Response{"POST /pets": {Status: 201, Body: `{"id": 7}`}},
		},
		{
			Summary:   "Change an object only if nobody else changed it",
			Spec:      `http: {method: "PATCH", path: "/pets/7", json: {name: "Max"}, ifMatch: true, headers: "Content-Type": "application/merge-patch+json"}`,
			Responses: map[string]actions.Response{"PATCH /pets/7": {Status: 204}},
		},
		{
			Summary:   "Change an object by a JSON Patch",
			Spec:      `http: {method: "PATCH", path: "/pets/7", jsonPatch: {old: {name: "Rex", tags: {a: 1}}, new: {name: "Max", tags: {b: 2}}}}`,
			Responses: map[string]actions.Response{"PATCH /pets/7": {Status: 204}},
		},
		{
			Summary:   "Replace an object by what was read before, with changes",
			Spec:      `http: {method: "PUT", path: "/pets/7", jsonUpdate: {object: {name: "Rex", age: 3, tags: {a: 1}}, changes: {name: "Max", tags: {b: 2}}}}`,
			Responses: map[string]actions.Response{"PUT /pets/7": {Status: 204}},
		},
		{
			Summary: "Fetch all pages of a list",
			Spec:    `http: {path: "/pets", query: kind: "dog", paginate: cursor: {param: "after", next: "${body.next}"}, items: "${body.pets}"}`,
			Responses: map[string]actions.Response{
				"GET /pets?kind=dog":         {Body: `{"pets": [{"id": 1}], "next": "b"}`},
				"GET /pets?kind=dog&after=b": {Body: `{"pets": [{"id": 2}], "next": null}`},
			},
		},
		{
			Summary: "Fetch all pages of a list by the URLs in its responses",
			Spec:    `http: {path: "/owners", paginate: next: "${body.nextLink}", items: "${body.value}"}`,
			Responses: map[string]actions.Response{
				"GET /owners":        {Body: `{"value": [{"id": 1}], "nextLink": "/owners?skip=1"}`},
				"GET /owners?skip=1": {Body: `{"value": [{"id": 2}]}`},
			},
		},
		{
			Summary:   "Search with a POST that changes nothing",
			Spec:      `http: {path: "/search", json: {name: "Rex"}, effect: "none", items: "${body.hits}"}`,
			Responses: map[string]actions.Response{"POST /search": {Body: `{"hits": []}`}},
		},
		{
			Summary: "Log in to get a token",
			Spec: `http: {path: "/pets/7", auth: login: {
	http: {path: "/login", form: {user: "me", password: "secret"}}
	token: "${body.token}", expires: "${body.expires_in}", as: {header: "X-Session"}
}}`,
			Responses: map[string]actions.Response{
				"POST /login": {Body: `{"token": "t", "expires_in": 3600}`}, "GET /pets/7": {Body: `{"id": 7}`},
			},
		},
		{
			Summary: "Send a GraphQL query", Spec: `http: {path: "/graphql", graphql: {query: "query Pet($id: ID!) { pet(id: $id) { name } }", variables: id: "7"}}`,
			Responses: map[string]actions.Response{"POST /graphql": {Body: `{"data": {"pet": {"name": "Rex"}}}`}},
		},
		{
			Summary:   "Read lines of JSON while they arrive",
			Spec:      `http: {path: "/builds/7/log", stream: "lines"}`,
			Responses: map[string]actions.Response{"GET /builds/7/log": {Body: "{\"percent\": 50}\n{\"percent\": 100}\n"}},
		},
		{
			Summary: "Upload a file as a form", Spec: `http: {path: "/pets/7/photo", multipart: [{name: "title", value: "Rex"}, {name: "photo", value: "…", filename: "rex.txt", contentType: "text/plain"}]}`,
			Responses: map[string]actions.Response{"POST /pets/7/photo": {Status: 204}},
		},
	}
}

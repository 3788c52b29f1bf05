package specgen

import (
	"encoding/json"

	"github.com/declprov/declprov/actions"
)

// Features are the language keys that the model uses where this version has
// them. A cell that cannot be written without one is counted as waiting for it.
type Features struct {
	FindFirst, IfNoneMatch, Refused, GroupRetry, RefusedCodes bool
}

// Probe asks the compiler which keys there are.
func Probe(families []*actions.Family) Features {
	has := func(resource Object) bool {
		text := resourceSpec(resource)
		_, found := compile(text, families)
		return !found.HasErrors()
	}
	base := func(create, more Object) Object {
		res := Object{
			"inputs": Object{"name": "string @replace()"}, "id": "${inputs.name}", "create": create,
			"read": Object{"http": Object{"path": "/things/${id}"}}, "delete": Object{"http": Object{"method": "DELETE", "path": "/things/${id}"}},
		}
		for k, v := range more {
			res[k] = v
		}
		return res
	}
	post := Object{"method": "POST", "path": "/things", "json": "${inputs}"}
	put := Object{"method": "PUT", "path": "/things/${inputs.name}", "json": "${inputs}"}
	with := func(o Object, name string, v any) Object {
		out := Object{name: v}
		for k, v := range o {
			out[k] = v
		}
		return out
	}
	return Features{
		FindFirst:    has(base(Object{"http": post}, Object{"find": Object{"http": Object{"path": "/things/${inputs.name}"}, "first": false}})),
		IfNoneMatch:  has(base(Object{"http": with(put, "ifNoneMatch", true)}, nil)),
		Refused:      has(base(Object{"http": post, "refused": "${body.error}"}, nil)),
		GroupRetry:   has(base(Object{"retry": Object{"on": []any{409}}, "steps": []Object{{"http": put}}}, nil)),
		RefusedCodes: has(base(Object{"exec": Object{"command": []any{"true"}, "exitCodes": Object{"refused": []any{9}}}}, nil)),
	}
}

// resourceSpec is a spec with one resource.
func resourceSpec(resource Object) string {
	return marshal(Object{
		"name": "probe", "version": "0.1.0", "http": Object{"baseURL": "https://api.example.com"}, "resources": Object{"Thing": resource},
	})
}

// marshal is a tree of maps, lists and texts as JSON.
func marshal(tree Object) string {
	text, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		panic(err) // nothing else is in it
	}
	return string(text)
}

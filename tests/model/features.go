package model

import (
	"encoding/json"

	"github.com/declprov/declprov/actions"
)

// Features are the language keys that the model uses where this version has
// them. A cell that cannot be written without one is counted as waiting for it.
type Features struct {
	FindFirst, IfNoneMatch, Refused, GroupRetry, RefusedCodes bool
}

// probe asks the compiler which keys there are.
func probe(families []*actions.Family) Features {
	has := func(resource object) bool {
		text := resourceSpec(resource)
		_, found := compile(text, families)
		return !found.HasErrors()
	}
	base := func(create, more object) object {
		res := object{
			"inputs": object{"name": "string @replace()"}, "id": "${inputs.name}", "create": create,
			"read": object{"http": object{"path": "/things/${id}"}}, "delete": object{"http": object{"method": "DELETE", "path": "/things/${id}"}},
		}
		for k, v := range more {
			res[k] = v
		}
		return res
	}
	post := object{"method": "POST", "path": "/things", "json": "${inputs}"}
	put := object{"method": "PUT", "path": "/things/${inputs.name}", "json": "${inputs}"}
	with := func(o object, name string, v any) object {
		out := object{name: v}
		for k, v := range o {
			out[k] = v
		}
		return out
	}
	return Features{
		FindFirst:    has(base(object{"http": post}, object{"find": object{"http": object{"path": "/things/${inputs.name}"}, "first": false}})),
		IfNoneMatch:  has(base(object{"http": with(put, "ifNoneMatch", true)}, nil)),
		Refused:      has(base(object{"http": post, "refused": "${body.error}"}, nil)),
		GroupRetry:   has(base(object{"retry": object{"on": []any{409}}, "steps": []object{{"http": put}}}, nil)),
		RefusedCodes: has(base(object{"exec": object{"command": []any{"true"}, "exitCodes": object{"refused": []any{9}}}}, nil)),
	}
}

// resourceSpec is a spec with one resource.
func resourceSpec(resource object) string {
	return marshal(object{
		"name": "probe", "version": "0.1.0", "http": object{"baseURL": "https://api.example.com"}, "resources": object{"Thing": resource},
	})
}

// marshal is a tree of maps, lists and texts as JSON.
func marshal(tree object) string {
	text, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		panic(err) // nothing else is in it
	}
	return string(text)
}

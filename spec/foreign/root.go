package foreign

import (
	"strings"
	"sync"
)

// roots are the names that expressions begin with elsewhere, and names of the language that mean another
// one at places where they are not available. What is recorded of an object is `state` in operations, and
// `old` in upgrades; `result` is what a step has yielded, and of an opened value it is recorded as well. The element of a loop is
// `each.value`.
var roots = sync.OnceValue(func() map[string][]string {
	config, inputs, recorded := []string{"config"}, []string{"inputs"}, []string{"state", "old"}
	result, element, steps := []string{"result"}, []string{"each.value"}, []string{"steps"}
	return map[string][]string{
		"var": config, "vars": config, "settings": config, "cfg": config, "provider": config, "conf": config,
		"params": inputs, "parameters": inputs, "args": inputs, "props": inputs, "properties": inputs, "input": inputs, "spec": inputs, "values": inputs,
		"data": inputs, "request": inputs, "resource": inputs, "changes": inputs,
		"new": inputs, "news": inputs, "newinputs": inputs, "after": inputs, "planned": inputs, "plan": inputs, "desired": inputs,
		"self": {"state", "old", "inputs"}, "this": {"state", "old", "inputs"},
		"old": recorded, "olds": recorded, "oldinputs": recorded, "prior": recorded, "priorstate": recorded, "previous": recorded, "prev": recorded, "before": recorded,
		"current": recorded, "existing": recorded, "oldstate": recorded, "state": {"old", "result", "inputs"},
		"outputs": {"state", "old", "result"}, "output": {"result", "state", "old"},
		"response": result, "resp": result, "res": result, "ret": result, "result": recorded, "item": element, "element": element, "elem": element, "it": element, "loop": {"each"},
		"step": steps, "job": steps,
	}
})

// Roots returns the names of the language that a name may stand for at the beginning of an
// expression, the most likely first.
func Roots(name string) []string { return roots()[strings.ToLower(strings.ReplaceAll(name, "_", ""))] }

// IsLocal reports whether a name stands for the local names of a block elsewhere.
func IsLocal(name string) bool {
	switch name {
	case "local", "locals", "let", "lets", "var", "vars", "variables":
		return true
	default:
		return false
	}
}

// FieldPath translates a path of Crossplane to what was given, such as spec.forProvider.title.
func FieldPath(path string) (reference string, ok bool) {
	rest, ok := strings.CutPrefix(path, "spec.")
	for _, within := range []string{"forProvider.", "parameters.", "parameters.forProvider."} {
		if inner, is := strings.CutPrefix(rest, within); is {
			rest = inner
		}
	}
	return "inputs." + rest, ok
}

package secrets

import (
	"slices"
	"strings"
)

// The names of the holders.
const (
	resource  = "resource"
	function  = "function"
	ephemeral = "ephemeral"
	method    = "method"
	component = "component"
	update    = "update"
	read      = "read"
	remove    = "delete"
	search    = "find"
	listing   = "list"
)

// outputs are those of every cell.
const outputs = `outputs: {shown?: string, hidden?: string @secret()}`

func holders() []holder {
	looks := func(s shape, k sink) bool { return !k.changes && !k.of && !strings.Contains(s.before, "file: write") }
	return []holder{
		{
			name: resource, block: "resources", prefix: "Made", shapes: shapes, cue: cell.made,
			can: func(s shape, k sink) bool { return !strings.HasPrefix(k.beside, "checks") || s.before == "" },
		},
		{name: function, block: "functions", prefix: "asked", shapes: shapes, can: looks, cue: cell.asked},
		{
			name: ephemeral, block: "ephemerals", prefix: "Opened", shapes: shapes, can: looks,
			cue: func(c cell) string {
				return "inputs: {" + c.shape.declares(c.declared) + "}\n" + outputs + "\nopen: {\n" + c.looking() + "\n" + c.yield() + "}"
			},
		},
		{
			name: method, block: "resources: Held: methods", prefix: "called", cue: cell.asked,
			shapes: func() []shape { return append(shapes(), recorded()...) },
			can:    func(s shape, k sink) bool { return !k.of },
		},
		{
			name: component, block: "components", prefix: "Built", cue: cell.built,
			shapes: func() []shape { return slices.DeleteFunc(shapes(), func(s shape) bool { return s.before != "" }) },
			can:    func(s shape, k sink) bool { return !k.never },
		},
		later(update, "Changed"), later(read, "Seen"), later(remove, "Removed"),
		{
			name: search, block: "resources", prefix: "Found", shapes: single, cue: cell.searched,
			can: func(s shape, k sink) bool { return looks(s, k) && k.beside == "" },
		},
		{
			name: listing, block: "resources", prefix: "Listed", shapes: single, cue: cell.listed,
			can: func(s shape, k sink) bool { return looks(s, k) && k.beside == "" && !strings.Contains(k.step, "if:") },
		},
	}
}

// single are the shapes of what has one step, which others do not come before.
func single() []shape {
	return slices.DeleteFunc(shapes(), func(s shape) bool { return s.before != "" || s.forEach != "" })
}

// later is what is done with a resource that is there.
func later(operation, prefix string) holder {
	return holder{
		name: operation, block: "resources", prefix: prefix, cue: cell.later,
		shapes: func() []shape {
			one := shapes()[0].given
			all := []shape{
				{name: "an input", inputs: `pin: string @ @noRead()`, given: one, each: `(inputs.pin ?? '')`},
				{name: "what is recorded", inputs: `pin: string @ @noRead()`, given: one, each: `(state.pin ?? '')`},
				{name: "an output", inputs: `x?: string @noRead()`, given: nothing, each: `(state.secretive ?? '')`, typed: true},
			}
			if operation == update {
				all = append(all, shape{name: "a change", inputs: `pin?: string @ @noRead()`, given: one, each: `(changes.pin ?? '')`})
			}
			return all
		},
		can: func(s shape, k sink) bool {
			return !k.of && (operation == update || !k.changes) && (operation != remove || k.beside == "")
		},
	}
}

// recorded are the shapes of a method's resource: an output that is declared secret, and
// an input that the program made so.
func recorded() []shape {
	return []shape{
		{name: "a recorded output", inputs: `x?: string`, given: nothing, each: `(state.secretive ?? '')`, typed: true},
		{name: "a recorded input", inputs: `x?: string`, given: nothing, each: `state.note`, typed: true, unseen: true},
	}
}

// made is a resource whose create has the steps.
func (c cell) made() string {
	beside, within := c.beside(), ""
	if strings.HasPrefix(beside, "return") {
		beside, within = "", beside
	}
	if !strings.HasPrefix(beside, "id") {
		beside = "id: \"it\"\n" + beside
	}
	return "inputs: {" + c.shape.declares(c.declared) + "}\n" + outputs + "\n" + beside + "\ncreate: {" +
		c.steps(`{http: {method: "POST", path: "/done", json: {}, idempotencyKey: true}}`) + "\n" + within + "}"
}

// asked is a function, or a method.
func (c cell) asked() string {
	steps := c.looking()
	if c.holder.name == method {
		steps = c.steps(`{http: path: "/done"}`)
	}
	return "inputs: {" + c.shape.declares(c.declared) + "}\n" + outputs + "\n" + steps + "\n" + c.yield()
}

// later is a resource of which an operation has the steps.
func (c cell) later() string {
	within := c.steps(`{http: {method: "POST", path: "/done", json: {}, idempotent: true}}`)
	switch c.holder.name {
	case update:
		within += "\n" + c.beside()
	case read:
		within = c.looking() + "\n" + c.yield()
	}
	return "inputs: {" + c.shape.declares(c.declared) + ", n?: int @noRead()}\n" +
		`outputs: {shown?: string, hidden?: string @secret(), secretive?: string @secret()}` + "\nid: \"it\"\n" +
		`create: http: {method: "POST", path: "/done", json: {}, idempotencyKey: true}` + "\n" + c.holder.name + ": {" + within + "}"
}

// searched is a resource that is looked for by the step before it is made.
func (c cell) searched() string {
	return "inputs: {" + c.shape.declares(c.declared) + "}\n" + outputs + "\nid: \"it\"\n" +
		`create: http: {method: "POST", path: "/done", json: {}}` + "\nfind: {" + c.steps("") + `, return: null}`
}

// listed is a resource that is listed by the step.
func (c cell) listed() string {
	return "inputs: x?: string @noRead()\nid: \"it\"\n" + `create: http: {method: "POST", path: "/done", json: {}, idempotencyKey: true}` +
		"\nlist: {inputs: {" + c.shape.declares(c.declared) + "}\n" + strings.TrimSuffix(strings.TrimPrefix(c.sink.at(c.shape.each), "{"), "}") +
		"\nitems: \"${['it']}\", id: \"${each.value}\"}"
}

// looking are the steps of what may change nothing.
func (c cell) looking() string {
	return strings.ReplaceAll(c.steps(`{http: path: "/done"}`), "idempotent: true", `effect: "none"`)
}

// yield is the `return` of what must have one.
func (c cell) yield() string {
	if c.sink.beside == "" {
		return `return: shown: "done"`
	}
	return c.beside()
}

// built is a component, whose child has the sink.
func (c cell) built() string {
	child, forEach := "children.c", ""
	if c.shape.forEach != "" {
		forEach = "forEach: " + c.shape.forEach + "\n"
		child = "(values(children.c)[0])"
		if !strings.Contains(c.shape.inputs, "[string]") {
			child = "children.c[0]"
		}
	}
	return "inputs: {" + c.shape.declares(c.declared) + "}\n" + outputs +
		"\nchildren: c: {type: \"" + c.child().name + "\", " + forEach + ` inputs: pin: "${` + c.shape.each + "}\"}\n" +
		`return: {shown: "${` + child + `.shown}", hidden: "${` + child + `.hidden}"}`
}

// child is the cell that a component puts its secret into: a resource, which is told
// nothing of it.
func (c cell) child() cell {
	k := slices.IndexFunc(sinks(), func(k sink) bool { return k.name == c.sink.name })
	return newCell(holders()[0], 0, k, false)
}

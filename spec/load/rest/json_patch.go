package rest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
)

// jsonPatch returns the argument with a JSON Patch.
func jsonPatch(x *expansion, old, changed *spec.Node) spec.Field {
	patch := object(changed.Range, field("old", old), field("new", changed))
	if pointers := containerPointers(x); pointers != nil {
		patch.Fields = append(patch.Fields, field("partial", texts(pointers, changed.Range)))
	}
	if x.wrap != nil {
		patch.Fields = append(patch.Fields, field("at", text(pointerTo(x.wrap), x.s.Wrap.Range)))
	}
	return field("jsonPatch", patch)
}

// recordedObject returns the object of a JSON Patch as it is. The API does not show inputs with @noRead(), so they may be missing:
// one that an update sets is no part of it, but one that it removes is.
func recordedObject(x *expansion) *spec.Node {
	return recordedWithout(x, func(p *spec.Property) string {
		name := strconv.Quote(p.Name)
		if p.Optional() {
			return "changes." + p.Name + ` != null ? ` + name + ` : ""`
		}
		return name
	})
}

// recordedAtReset is like recordedObject, for the delete that sends `reset`.
func recordedAtReset(x *expansion) *spec.Node {
	return recordedWithout(x, func(p *spec.Property) string {
		n := x.s.Reset
		for _, name := range p.WirePath(x.rule) {
			if n != nil {
				n = n.Get(name)
			}
		}
		if n == nil || n.Kind == spec.NullNode {
			return ""
		}
		return strconv.Quote(p.Name)
	})
}

// recordedWithout returns the state without inputs that the API does not show, each by an expression for its name or "".
func recordedWithout(x *expansion, name func(*spec.Property) string) *spec.Node {
	var hidden []string
	for _, p := range x.r.Inputs.Fields {
		if !p.NoRead {
			continue
		}
		if n := name(p); n != "" {
			hidden = append(hidden, n)
		}
	}
	state := "state"
	if hidden != nil {
		state = "omit(state, " + strings.Join(hidden, ", ") + ")"
	}
	if containers(x) != nil {
		state = "merge(restContainers, " + state + ")"
	}
	return text("${"+state+"}", cmp.Or(x.s.Patch, x.s.Path).Range)
}

// containers returns the objects of a singleton that contain inputs, such as posts for `@wire(posts.size)`, or nil. They have other
// members as well, so a JSON Patch must not add them as a whole, also if read shows none of the inputs in them.
func containers(x *expansion) *spec.Node {
	all := object(x.s.Path.Range)
	if !x.s.Singleton {
		return nil
	}
	for _, p := range x.r.Inputs.Fields {
		at := all
		for _, name := range p.WireParents {
			if at.Get(name) == nil {
				at.Fields = append(at.Fields, field(name, object(all.Range)))
			}
			at = at.Get(name)
		}
	}
	if all.Fields == nil {
		return nil
	}
	return all
}

// containerPointers returns the JSON Pointers of the objects that contain inputs, such as /posts for `@wire(posts.size)`. An update has
// only the inputs that change, and the others in the same object must stay, as what the spec does not know.
func containerPointers(x *expansion) (out []string) {
	for _, p := range x.r.Inputs.Fields {
		for i := range p.WireParents {
			if pointer := pointerTo(p.WireParents[:i+1]); !slices.Contains(out, pointer) {
				out = append(out, pointer)
			}
		}
	}
	return out
}

// withContainers returns local names with the one that recordedObject uses.
func withContainers(x *expansion, let *spec.Node) *spec.Node {
	n := containers(x)
	if n == nil {
		return let
	}
	if let == nil {
		let = object(n.Range)
	}
	let.Fields = append(slices.Clone(let.Fields), field("restContainers", n))
	return let
}

// sendsBody reports whether a request sends the further members of bodies. A JSON Patch has none.
func sendsBody(x *options) bool {
	patches := x.patch == "json"
	creates := !x.own["create"] && (!patches || !x.s.Singleton || x.create.method != "PATCH")
	return creates || !x.own["update"] && x.update.method != "none" && !patches
}

// dropsBody reports whether no request sends the further members of bodies, because all are JSON Patches.
func dropsBody(x *options) bool {
	requests := !x.own["create"] || !x.own["update"] && x.update.method != "none"
	return x.s.Body != nil && x.patch == "json" && requests && !sendsBody(x)
}

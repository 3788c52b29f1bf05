package rest

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
)

// jsonPatch returns the argument with a JSON Patch.
func jsonPatch(x *expansion, old, changed *spec.Node) spec.Field {
	patch := object(changed.Range, field("old", old), field("new", changed))
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
	return text("${"+state+"}", cmp.Or(x.s.Patch, x.s.Path).Range)
}

// recordedUnseen returns what is recorded of the inputs that the API does not show, or nil if there are none.
func recordedUnseen(x *expansion) *spec.Node {
	var names []string
	for _, p := range x.r.Inputs.Fields {
		if p.NoRead {
			names = append(names, strconv.Quote(p.Name))
		}
	}
	if names == nil {
		return nil
	}
	return text("${pick(state, "+strings.Join(names, ", ")+")}", x.s.Patch.Range)
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

package http

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec/types"
)

// checkParameters reports members of `query` and `form` that cannot be written by the rule `lists`: maps, and lists of maps or lists.
func checkParameters(s actions.Static, fail reporter) {
	if s.Given("nulls") && !s.Given("form") {
		fail("nulls", "", "nulls has no effect without form", "It says how a form writes null. Remove it.")
	}
	if n := s.Nodes["lists"]; n != nil && s.Literals["lists"] != string(request.Repeat) {
		return // it writes all, or is not known
	}
	for _, argument := range []string{"query", "form"} {
		t := s.Types[argument]
		if t == nil {
			continue
		}
		for _, p := range types.Resolve(t, s.Named).Fields {
			kind := ""
			if len(p.WireParents) > 0 {
				kind = "a member of a map"
			} else {
				kind = s.Named.Composite(p.Type)
			}
			if kind != "" {
				fail(argument, p.Name, fmt.Sprintf("%s is %s, which the rule \"repeat\" cannot write", p.Name, kind),
					"Write how the server names what is in it: `lists: \"brackets\"` for `a[b]=1` and `a[]=1`, `\"indices\"` for `a[0]=1`, `\"N\"` for `a.1=1`; in rest, `form: \"brackets\"`. If it is sent as JSON, write `jsonencode(…)`.")
			}
		}
	}
}

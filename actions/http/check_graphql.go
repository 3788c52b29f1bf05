package http

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/graphql"
	"github.com/declprov/declprov/spec"
)

// checkGraphQL compares a GraphQL document with the variables that are sent and with the declared
// type of the data, as far as both are known.
func checkGraphQL(s actions.Static, fail reporter) {
	node := s.Nodes["graphql"]
	query, literal := node.Get("query").Plain().(string)
	if !literal {
		return
	}
	r := graphql.Request{Query: query, Variables: map[string]*spec.Type{}, Returns: s.Types["returns"], Types: s.Named, Wire: s.Wire}
	if name := node.Get("operationName"); name != nil {
		if r.OperationName, literal = literalText(name); !literal {
			return
		}
	}
	setVariables(&r, s, node.Get("variables"))
	for _, m := range r.Check() {
		if m.Part == "returns" {
			fail("returns", "", m.Summary, m.Remedy)
		} else {
			fail("graphql", m.Part, m.Summary, m.Remedy)
		}
	}
}

// setVariables sets what is known about the variables that are sent, by the names that the author
// wrote or by the type of the value.
func setVariables(r *graphql.Request, s actions.Static, variables *spec.Node) {
	r.Written = variables != nil && variables.Kind == spec.MapNode
	r.Given = variables == nil || r.Written
	if r.Written {
		for _, f := range variables.Fields {
			r.Variables[f.Name] = &spec.Type{}
		}
	}
	field := s.Types["graphql"].Field("variables")
	if field == nil {
		return
	}
	t := s.Named.Resolve(field.Type)
	r.Given = r.Given || t.Kind == spec.Object && !t.Open
	for _, p := range t.Fields {
		value := p.Type
		if !p.Required && p.Default == nil && !r.Written {
			optional := *value
			optional.Nullable, value = true, &optional
		}
		r.Variables[p.WirePath(s.Wire)[0]] = value
	}
}

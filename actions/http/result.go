package http

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// resultType is the type of what a request yields.
func resultType(s actions.Static) *spec.Type {
	fields := answerMembers(bodyType(s))
	items := declare.Field("items", declare.List(declare.Any()), "The items of all pages; fetched only where it is referred to.")
	if s.Given("items") {
		items.Required = true
		if t := s.Types["items"]; t != nil && t.Kind == spec.List {
			items.Type = declare.List(t.Elem)
		}
	}
	return declare.Object(append(fields, items,
		declare.Member("url", declare.Text(), "Where the answer came from, without the query."),
		declare.Member("attempts", declare.Int(), "How often the request was sent."))...)
}

func answerMembers(body *spec.Type) []*spec.Property {
	content := declare.Member("body", body, "The body; null where there is none. Of several pages, the last one's.")
	content.Required = body.Kind != spec.Any || body.Ref != ""
	return []*spec.Property{
		declare.Member("status", declare.Int(), "The status."),
		declare.Member("headers", declare.Map(declare.Text()), "Headers, by their names in lower case. Several of a name are joined by a comma, cookies by a line end."),
		content,
	}
}

// bodyType is what `returns` names, or anything.
func bodyType(s actions.Static) *spec.Type {
	if t := s.Types["returns"]; t != nil {
		if expectsErrors(s) {
			nullable := *t
			nullable.Nullable = true
			return &nullable
		}
		return t
	}
	switch s.Literals["response"] {
	case "text", "bytes":
		return &spec.Type{Kind: spec.String, Nullable: true}
	default:
		return declare.Any()
	}
}

// expectsErrors reports whether `expect` has statuses whose responses say something
// else than those of success.
func expectsErrors(s actions.Static) bool {
	expect := s.Nodes["expect"]
	if expect == nil {
		return false
	}
	list, ok := s.Literals["expect"].([]any)
	return !ok || slices.ContainsFunc(list, func(status any) bool {
		text, err := actions.TextOf(status)
		return err != nil || text >= "300"
	})
}

// limited is at most the first items of the list that are wanted.
func limited(list []any, limit int) []any {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

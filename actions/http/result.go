package http

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/spec"
)

// resultType returns the type of the result of a request.
func resultType(s actions.Static) *spec.Type {
	fields := responseMembers(bodyType(s))
	if s.Given("graphql") {
		fields = append(fields, errorsMember())
	}
	if s.Given("stream") {
		fields = append(fields, declare.Member("event", declare.Text(), "Name of the event of a stream; empty if it has none."))
	}
	items := declare.Field("items", declare.List(declare.Any()), "The items of all pages; only fetched if the spec refers to it.")
	if s.Given("items") {
		items.Required = true
		if t := s.Types["items"]; t != nil && t.Kind == spec.List {
			items.Type = declare.List(t.Elem)
		}
	}
	return declare.Object(append(fields, items,
		declare.Member("url", declare.Text(), "URL of the response, without the query."),
		declare.Member("attempts", declare.Int(), "How often the request was sent."))...)
}

func responseMembers(body *spec.Type) []*spec.Property {
	content := declare.Member("body", body, "The body; null if there is none. For several pages, that of the last one.")
	content.Required = body.Kind != spec.Any || body.Ref != ""
	return []*spec.Property{
		declare.Member("status", declare.Int(), "The status."),
		declare.Member("headers", declare.Headers(), "Headers, by their names in lower case. Repeated headers are joined by commas, cookies by line breaks."),
		content,
	}
}

// errorsMember returns the errors in a response of GraphQL (its specification, 7.1.2). An error may
// have members of the server's own.
func errorsMember() *spec.Property {
	step := declare.Either(declare.Text(), declare.Int())
	e := declare.Object(
		declare.Member("message", declare.Text(), "What went wrong."),
		declare.Field("path", declare.List(step), "The member of the data that is wrong."),
		declare.Field("extensions", declare.Map(declare.Any()), "What the server adds, such as `code`."),
	)
	e.Open = true
	return declare.Member("errors", declare.List(e), "The errors in a response of GraphQL; empty if there are none.")
}

// bodyType returns the type of `returns`, or any.
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

// expectsErrors reports whether `expect` contains statuses whose responses may not have the
// type of a success.
func expectsErrors(s actions.Static) bool {
	expect := s.Nodes["expect"]
	if expect == nil {
		return false
	}
	list, ok := s.Literals["expect"].([]any)
	return !ok || slices.ContainsFunc(list, func(status any) bool {
		text, err := actions.TextOf(status)
		return status != verdict.Partial && (err != nil || text >= "300")
	})
}

// truncate returns the first items of the list, at most limit; 0 means all.
func truncate(list []any, limit int) []any {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

package openapi

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// usualIDs are the usual names of members that identify an object, the likely ones first.
var usualIDs = []string{"id", "uuid", "_id", "uid", "guid", "gid"}

// identifier is what a path calls the id of its objects.
type identifier struct {
	// param is the parameter, kind the kind of its values, and resource the name of the resource.
	param, kind, resource string
}

// names reports whether the parameter stands for a name, and not for an id that the server has chosen.
func (id identifier) names() bool { return id.kind == stringKind && canBeChosen(id.param) }

// withoutLookup returns the name of a parameter without the comparison that Django REST framework appends to it: code of
// code__iexact.
func withoutLookup(param string) string {
	for _, lookup := range []string{"__exact", "__iexact"} {
		if name, ok := strings.CutSuffix(param, lookup); ok && name != "" {
			return name
		}
	}
	return param
}

// member returns the member of an object that the parameter stands for, or nil: the one of the same name, the one whose name
// ends the parameter's (id of petId, gid of task_gid), the one that is named after the resource, or one with a usual name.
func (id identifier) member(v view) *member {
	of := words(id.param)
	tries := []func(name string) bool{
		func(name string) bool { return spec.SameSpelling(name, id.param) },
		func(name string) bool {
			w := words(name)
			return len(w) < len(of) && slices.Equal(of[len(of)-len(w):], w)
		},
		func(name string) bool {
			return isName(name) && strings.HasSuffix(strings.ToLower(id.param), strings.ToLower(name))
		}, // secretname
		func(name string) bool { return spec.SameSpelling(name, id.resource+"Id") },
	}
	for _, usual := range usualIDs {
		tries = append(tries, func(name string) bool { return name == usual })
	}
	for _, is := range tries {
		for i, m := range v.members {
			if of := viewOf(m.schema); is(m.name) && scalar(of) && !(id.names() && of.kind == integerKind) {
				return &v.members[i]
			}
		}
	}
	if id.names() && (isName(id.param) || strings.HasSuffix(strings.ToLower(id.resource), strings.ToLower(strings.ReplaceAll(id.param, "_", "")))) {
		if m := nameMember(v); m != nil {
			return m // /repos/{owner}/{repo}
		}
	}
	return memberEndingIn(v, of)
}

// memberEndingIn returns the only member whose name ends in words, such as rule_name in name, or nil.
func memberEndingIn(v view, of []string) *member {
	var found *member
	for i, m := range v.members {
		w := words(m.name)
		if len(w) <= len(of) || !slices.Equal(w[len(w)-len(of):], of) || !scalar(viewOf(m.schema)) || viewOf(m.schema).deprecated {
			continue
		}
		if found != nil {
			return nil
		}
		found = &v.members[i]
	}
	return found
}

// nameMember returns the member of an object that is its name, or nil.
func nameMember(v view) *member {
	for _, name := range []string{"name", "slug", "login", "username", "key"} {
		if m := v.member(name); m != nil && viewOf(m.schema).kind == stringKind {
			return m
		}
	}
	return nil
}

func scalar(v view) bool {
	return v.kind == stringKind || v.kind == integerKind || v.kind == anyKind && v.variants == nil
}

// opened returns the object in a response, and the member that contains it, or "". An object that has the id itself is not in a member,
// and neither is one whose other members are sent in a body.
func (id identifier) opened(v, body view) (view, string) {
	if id.member(v) != nil {
		return v, ""
	}
	inner := ""
	for _, m := range v.members {
		of := viewOf(m.schema)
		if of.kind == objectKind && id.member(of) != nil && (inner == "" || m.name == "data") {
			inner = m.name
		}
	}
	if inner == "" || slices.ContainsFunc(v.members, func(m member) bool { return m.name != inner && body.member(m.name) != nil }) {
		return v, ""
	}
	return viewOf(v.member(inner).schema), inner
}

// itemsOf returns the member of a list's response that contains the objects, "" if the response is an array, and ok if either is so.
func itemsOf(ref part) (name string, ok bool) {
	if !ref.exists() {
		return "", false
	}
	v := viewOf(ref)
	if v.kind == arrayKind {
		return "", true
	}
	var lists []string
	for _, m := range v.members {
		of := viewOf(m.schema)
		if of.kind != arrayKind {
			continue
		}
		if items := viewOf(of.items); items.kind == objectKind || items.kind == anyKind {
			lists = append(lists, m.name)
		}
	}
	for _, usual := range []string{"data", "items", "results", "objects", "value"} {
		if slices.Contains(lists, usual) {
			return usual, true
		}
	}
	if len(lists) != 1 {
		return "", false
	}
	return lists[0], true
}

// pagesOf returns how to get all pages of a list, as a value of `paginate` in CUE, or "".
func pagesOf(o part, response view) string {
	next := func(names ...string) string {
		for _, name := range names {
			if m := response.member(name); m != nil && viewOf(m.schema).kind != integerKind {
				return name
			}
		}
		return ""
	}
	param := func(names ...string) string {
		for _, p := range o.get("parameters").list() {
			if name := p.get("name").text(); p.get("in").text() == "query" && slices.Contains(names, name) {
				return name
			}
		}
		return ""
	}
	cursor, following := param("cursor", "after", "page_token", "pageToken", "next_token", "nextToken", "continuationToken", "starting_after"),
		next("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "continuationToken")
	switch {
	case cursor != "" && following != "":
		return "{cursor: {param: " + literalOf(cursor) + ", next: " + literalOf("${body."+following+"}") + "}}"
	case next("next", "next_url", "nextLink", "next_page_url") != "":
		return "{next: " + literalOf("${body."+next("next", "next_url", "nextLink", "next_page_url")+"}") + "}"
	case param("page", "page_number", "pageNumber", "_page") != "":
		return "{page: {param: " + literalOf(param("page", "page_number", "pageNumber", "_page")) + "}}"
	case param("offset", "skip", "_start") != "":
		return "{offset: {param: " + literalOf(param("offset", "skip", "_start")) + "}}"
	}
	return ""
}

package openapi

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// usualIDs are the usual names of members that identify an object, the likely ones first.
var usualIDs = []string{"id", "uuid", "_id", "uid", "guid", "gid"}

// idMember returns the member of an object that a parameter of a path stands for, or nil: the one of the same name, the one whose name
// ends the parameter's (id of petId, gid of task_gid), the one that is named after the resource, or one with a usual name.
func idMember(v view, param, resource string) *member {
	first := func(is func(name string) bool) *member {
		i := slices.IndexFunc(v.members, func(m member) bool { return is(m.name) && scalar(viewOf(m.schema)) })
		if i < 0 {
			return nil
		}
		return &v.members[i]
	}
	of := words(param)
	tries := []func(name string) bool{
		func(name string) bool { return spec.SameSpelling(name, param) },
		func(name string) bool {
			w := words(name)
			return len(w) < len(of) && slices.Equal(of[len(of)-len(w):], w)
		},
		func(name string) bool { return spec.SameSpelling(name, resource+"Id") },
	}
	for _, usual := range usualIDs {
		tries = append(tries, func(name string) bool { return name == usual })
	}
	for _, is := range tries {
		if m := first(is); m != nil {
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
func opened(v, body view, param, resource string) (view, string) {
	if idMember(v, param, resource) != nil {
		return v, ""
	}
	inner := ""
	for _, m := range v.members {
		of := viewOf(m.schema)
		if of.kind == objectKind && idMember(of, param, resource) != nil && (inner == "" || m.name == "data") {
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

package openapi

import (
	"net/http"
	"slices"
	"strings"
)

// findCreate finds the request that makes an object, or changes settings.
func (b *builder) findCreate() string {
	switch {
	case b.collection == "":
		b.create = b.update
	case has(b.objects, "post"):
		b.create = operationOf(b.objects, http.MethodPost)
		b.chosen = b.elsewhere["create"].path == b.item
	case !b.putCreates():
		return "it has no POST that creates an object, and PUT may only change one"
	default:
		b.create = operationOf(b.endpoint.object, http.MethodPut)
		b.chosen = true
	}
	if !b.create.exists() {
		return "the document does not say what a change sends"
	}
	ref := bodyOf(b.create.part)
	if isMembership(b) {
		b.body = view{kind: objectKind}
		return ""
	}
	if !ref.exists() {
		return "the body of " + b.create.method + " is neither JSON nor a form, or has no schema"
	}
	b.body = objectOf(ref)
	if b.body.kind != objectKind || len(b.body.members) == 0 {
		return "the body of " + b.create.method + " has no members in the document"
	}
	return ""
}

// putCreates reports whether PUT creates an object that does not exist: the document says so, by the status 201 or in words, or the program
// can choose the name in the path.
func (b *builder) putCreates() bool {
	put := b.endpoint.object.get("put")
	switch verb := verbOf(put); {
	case put.get("responses").get("201").exists(), slices.Contains(creating, verb):
		return true
	case slices.Contains(changing, verb) && !has(b.endpoint.object, "delete"):
		return false
	case hasNoBody(put) && has(b.endpoint.object, "delete"):
		return true
	}
	return canBeChosen(b.param)
}

// isMembership reports whether an object is that something belongs to another object: PUT sends nothing, and DELETE ends it.
func isMembership(b *builder) bool {
	return b.chosen && hasNoBody(b.create.part) && has(b.endpoint.object, "delete")
}

// hasNoBody reports whether an operation sends no body.
func hasNoBody(o part) bool {
	return !o.get("requestBody").exists() && !slices.ContainsFunc(parametersOf(o), func(p part) bool {
		return slices.Contains([]string{"body", "formData"}, p.get("in").text()) || p.get("in").text() == "query" && p.get("required").isTrue()
	})
}

// canBeChosen reports whether a parameter of a path may be a name that the program chooses.
func canBeChosen(param string) bool {
	of := words(param)
	return !slices.Contains(usualIDs, of[len(of)-1])
}

// hasLocation reports whether the response to a create has a header Location.
func hasLocation(o part) bool {
	found := false
	o.get("responses").each(func(_ string, r part) {
		r.get("headers").each(func(name string, _ part) { found = found || strings.EqualFold(name, "Location") })
	})
	return found
}

// isOwnNumber reports whether the id is called so: id, or petId of a Pet. Servers number their objects themselves; a principalId of a
// RoleMapping is somebody else's.
func isOwnNumber(b *builder) bool {
	of := words(b.id.name)
	own := strings.Join(of[:len(of)-1], "")
	return slices.Contains(usualIDs, of[len(of)-1]) && (own == "" || strings.HasSuffix(strings.ToLower(b.name), own))
}

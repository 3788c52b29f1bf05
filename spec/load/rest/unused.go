package rest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
)

// option is an option of the shorthand. replaced is what the author has written in the place of what
// the option is for; used reports whether something is left.
type option struct {
	name, replaced string
	given          *spec.Node
	used           bool
}

// checkUnused reports options that have no effect, because the operations that they are
// for are written next to the shorthand.
func (x *options) checkUnused() (used []*spec.Node) {
	if x.defaults[x.s.Body] != "" && dropsBody(x) {
		x.Report(source.CodeMisplacedKey, cmp.Or(x.s.Patch, x.s.Path).Range, x.placeOf(cmp.Or(x.s.Patch, x.s.Path).Range, "patch"), "a JSON Patch has no further members, and `body` is a default",
			"No request of the resource would send them. Write `body: null` in its rest if the API needs none, or remove `patch`.")
	}
	for _, o := range append(x.optionsOfObjects(), x.optionsOfLists()...) {
		if o.used {
			used = append(used, o.given)
		}
		if o.given == nil || o.used || x.defaults[o.given] != "" {
			continue
		}
		detail := fmt.Sprintf("The resource has its own %s. Remove `%s` from rest.", o.replaced, o.name)
		if !x.lists() && !x.own["list"] && !x.own[o.replaced] && !x.s.Singleton {
			detail = fmt.Sprintf("With `list: \"none\"`, nothing is listed. Remove `%s` from rest.", o.name)
		}
		if o.name == "body" && x.patch == "json" {
			detail = "A JSON Patch has no further members. Remove `body`, or `patch`."
		}
		if o.name == "object" {
			detail = "Each request for an object has a path of its own, or is written next to rest. Remove `object` from rest."
		}
		x.fail(source.CodeMisplacedKey, o.given.Range, o.name, fmt.Sprintf("%s has no effect", o.name), detail).Suggest(x.s.Without[o.name]...)
	}
	return used
}

// optionsOfObjects returns the options for requests for one object.
func (x *options) optionsOfObjects() []option {
	creates, updates := !x.own["create"], !x.own["update"]
	gets, deletes := !x.own["read"] && !x.requests.readsList(), !x.own["delete"]
	sends := updates && x.update.method != "none"
	replaces := replacesSettings(x, creates, deletes)
	at := func(own requestLine) bool { return own.path == nil }
	locates := creates || !x.own["id"] && !x.named // also the id of an author's create
	return []option{
		{"ifNoneMatch", "create", x.s.IfNoneMatch, creates},
		{"response", "create and id", x.s.Response, locates},
		{"idempotencyKey", "create", x.s.IdempotencyKey, creates},
		{"idempotent", "create", x.s.Idempotent, creates},
		{"ifMatch", "update and delete", x.s.IfMatch, sends || deletes},
		{"parent", "read and delete", x.s.Parent, !x.own["read"] || deletes},
		{"create", "create", x.s.Create, creates || at(x.create)},
		{"update", "update", x.s.Update, updates},
		{"delete", "delete", x.s.Delete, deletes},
		{"reset", "delete", x.s.Reset, deletes},
		{"patch", "update", x.s.Patch, updates || replaces},
		{"omit", "update", x.s.Omit, sends || replaces},
		{"wrap", "create and update", x.s.Wrap, creates || sends},
		{"form", "create and update", x.s.Form, sendsForm(x, creates || sends, deletes)},
		{"body", "create and update", x.s.Body, sendsBody(x)},
		{"object", "read, update and delete", x.s.Object, gets && at(x.read) || sends && at(x.update) || deletes && at(x.delete) || x.named || x.bodiless && locates}, // of a Location
		{"gone", "read and delete", x.s.Gone, gets || deletes},
		{"wait", "create, update and delete", x.s.Wait, creates || sends || deletes},
	}
}

// sendsForm reports whether a request has a body: that of a create or update, a reset, or a search.
func sendsForm(x *options, sends, deletes bool) bool {
	return sends || deletes && x.s.Reset != nil || x.list.method == "POST"
}

// replacesSettings reports whether a create or delete of settings sends them as a whole.
func replacesSettings(x *options, creates, deletes bool) bool {
	return patchesObject(x.s) && x.s.Singleton && (creates || deletes && x.s.Reset != nil)
}

// optionsOfLists returns the options for requests for a list, and those for objects in both.
func (x *options) optionsOfLists() []option {
	searches := !x.own["find"] && x.s.Unique != nil && x.find.path == nil || !x.own["read"] && x.requests.readsList()
	lists := !x.own["list"] && x.lists() || searches || !x.own["find"] && x.s.Unique != nil
	objects := !x.own["create"] || !x.own["read"] || !x.own["id"]
	return []option{
		{"read", "read", x.s.Read, !x.own["read"]},
		{"unique", "find", x.s.Unique, !x.own["find"]},
		{"find", "find", x.s.Find, !x.own["find"]},
		{"list", "list", x.s.List, !x.own["list"] || x.list.path != nil && searches},
		{"items", "list", x.s.Items, lists},
		{"query", "create, read, update and delete", x.s.Query, objects || lists || !x.own["update"] || !x.own["delete"]},
		{"paginate", "list", x.s.Paginate, lists},
		{"unwrap", "create and read", x.s.Unwrap, objects || !x.own["update"] || lists},
		{"returns", "create and read", x.s.Returns, objects || lists},
		{"id", "id", x.s.ID, !x.own["id"] || lists},
	}
}

// checkReturn warns of a `return` of the resource that does not apply to the read of rest, whose result is an item of a list.
func checkReturn(x *options) {
	if !x.own["return"] || x.own["read"] || !x.requests.readsList() || x.r.Return == nil {
		return
	}
	x.Warn(source.CodeReturnNotRead, x.r.Return.Range, source.Place{Context: x.place.Context, Path: strings.TrimSuffix(x.place.Path, ".rest") + ".return"}, "return has no effect on read, which returns the item of the list",
		"A refresh would lose what only this `return` provides. Describe the item by `returns` and @wire; or write the `read` that looks for it, with a `return` of its own, next to rest. "+
			"If only the responses to creates and updates differ, write this `return` in operations of these.")
}

// checkEnvelope warns of a read next to rest that returns the response as it is, although the object
// is in one of its members: it would find none of the inputs.
func (x *options) checkEnvelope() {
	op := x.r.Read
	if x.unwrap == nil || !x.own["read"] || x.own["return"] || op == nil || op.Return != nil || len(op.Steps) == 0 {
		return
	}
	last := op.Steps[len(op.Steps)-1]
	if len(last.Actions) != 1 || last.Actions[0].Name != family || declaresResponse(op) {
		return // another response, or one whose type says what it contains
	}
	value := "${" + (&expansion{x}).objectIn("body") + "}"
	d := x.Warn(source.CodeNotUnwrapped, last.Actions[0].NameRange, source.Place{Context: x.place.Context, Path: strings.TrimSuffix(x.place.Path, ".rest") + ".read"}, "read does not unwrap the response",
		fmt.Sprintf("`unwrap` only applies to the operations of rest, so this read finds none of the inputs in the response. Add `return: %q`.", value))
	if !op.Listed {
		d.Suggest(last.WithMember("return", value)...)
	}
}

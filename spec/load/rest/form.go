package rest

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// With `form`, the bodies of requests are forms. A form has no null, so an update sends an empty value for what the program has removed.

// nested is the rule by which most APIs name what is in maps and structs.
const nested = "brackets"

// checkForm reads and checks the option `form`.
func checkForm(x *options) {
	n := x.s.Form
	switch {
	case n == nil || n.Kind == 0:
		return
	case n.Kind == spec.BoolNode && n.Text == "false":
		x.fail(source.CodeBadValue, n.Range, "form", "false is not a value of form", "Without `form`, bodies are JSON. Remove it.").Suggest(x.s.Without["form"]...)
		x.formRule = nested
	case n.Kind != spec.BoolNode:
		x.formRule = x.oneOf(n, "form", nested, block.RestForms...)
	}
	checkComposites(x)
	if x.patch == "json" || x.patch == patchObject {
		remedy := "A form has the members that an update sets. Remove `patch`, or `form` if the update sends JSON."
		if x.defaults[n] != "" {
			remedy = "`form` is a default of rest. If requests of this resource send JSON, write `form: null`, else remove `patch`."
		}
		x.fail(source.CodeBadValue, x.s.Patch.Range, "patch", "patch: \""+x.patch+"\" sends JSON, and form a form", remedy).Suggest(x.s.Without["patch"]...)
		x.patch = ""
	}
}

// checkComposites reports a rule that cannot write the inputs.
func checkComposites(x *options) {
	what := ""
	if x.wrap != nil {
		what = "`wrap` puts the inputs into a struct"
	}
	for _, p := range x.r.Inputs.Fields {
		kind := x.provider.Types.Composite(p.Type)
		if len(p.WireParents) > 0 {
			kind = "in a struct"
		}
		if kind != "" && what == "" {
			what = fmt.Sprintf("%s is %s", p.Name, kind)
		}
	}
	ofDefaults := x.formRule == "" && slices.ContainsFunc(x.provider.Families, func(f spec.Field) bool { return f.Name == family && f.Value.Get("lists") != nil })
	if what == "" || ofDefaults || x.formRule != "" && x.formRule != block.RestForms[0] {
		return
	}
	n := x.s.Form
	old := n.Text
	d := x.fail(source.CodeBadValue, n.Range, "form", what+", and form does not say how its members are named",
		"Most APIs write `a[b]=1` and `a[]=1`: `form: \"brackets\"`. With \"indices\", an item of a list is `a[0]=1`; with \"N\", it is `a.1=1`.")
	if n.Kind == spec.StringNode {
		d.Replace(old, nested)
	}
	x.formRule = nested
}

// bodyArgument returns the argument with the body of a request, as JSON or as a form.
func bodyArgument(x *options, body *spec.Node) spec.Field {
	if x.s.Form != nil {
		return field("form", body)
	}
	return field("json", body)
}

// nullsOf returns the argument by which a request that changes an object sends null in a form.
func nullsOf(x *options) spec.Field {
	if x.s.Form == nil {
		return spec.Field{}
	}
	return field("nulls", text("empty", x.s.Form.Range))
}

// listsOf returns the argument that says how the form among the arguments of a request writes lists and maps.
func listsOf(x *options, arguments []spec.Field) spec.Field {
	sendsForm := slices.ContainsFunc(arguments, func(f spec.Field) bool { return f.Name == "form" && f.Value != nil })
	if !sendsForm || x.formRule == "" {
		return spec.Field{}
	}
	return field("lists", text(x.formRule, x.s.Form.Range))
}

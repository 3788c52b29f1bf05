package check

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/types"
)

// unknownName reports a name that the scope does not have, with what it probably means.
type unknownName struct {
	translator
	name string
	at   parse.Extent
	// after is the name of the member that follows, or "".
	after string
}

// translate reports the name if it means something in another language, or is a member of a name of the
// scope, as the name of a step is of `steps`. available are the names of the scope.
func (u unknownName) translate(available []string) (TypedPart, bool) {
	if own, ok := foreign.Literal(u.name); ok {
		return u.replaceBy(own), true
	}
	if o, ok := referenceAt(u.translator, u.name, u.at); ok && o.isMeant(u.name, available) {
		return o.failReference(CodeUnknownName, u.at, "unknown name %q", u.name), true
	}
	holder, isTypo := u.holder(u.name), diag.DidYouMean(u.name, available) != ""
	if out, ok := u.ofItem(holder, isTypo); ok {
		return out, true
	}
	if holder == "steps" || holder != "" && !isTypo {
		return u.replaceBy(holder + "." + u.name), true
	}
	if isTypo {
		return TypedPart{}, false
	}
	if foreign.IsLocal(u.name) && slices.Contains(u.place.Node.Locals, u.after) {
		return u.replaceWithMember(u.after, fmt.Sprintf("A local name is written alone: write %s.", u.after)), true
	}
	if root := u.rootOf(u.name, u.after, available); root != "" {
		return u.meant(root), true
	}
	if u.after != "" && foreign.IsLocal(u.name) {
		return u.fail(fmt.Sprintf("The resource has no local name %s. Declare it by `let: %[1]s: …`, and write it alone: %[1]s.", u.after)), true
	}
	if remedy := foreign.NameRemedy(u.name); remedy != "" {
		return u.fail(remedy), true
	}
	if foreign.IsEnvironment(u.name) {
		return u.fail("A spec reads the environment by its settings: declare `config: token: string @env(TOKEN)`, and write config.token."), true
	}
	return TypedPart{}, false
}

// ofItem reports a name in a predicate that may be a member of the item: `name` in map(pets, name). holder is the name of the scope
// that has a member of this name, or "".
func (u unknownName) ofItem(holder string, isTypo bool) (TypedPart, bool) {
	if len(u.items) == 0 {
		return TypedPart{}, false
	}
	item := types.Resolve(u.items[len(u.items)-1].val.T, u.Types)
	switch {
	case item.Kind == spec.Object && item.Field(u.name) != nil:
		return u.replaceBy("." + u.name), true
	case isTypo, !types.IsAny(item):
		return TypedPart{}, false
	case holder != "":
		return u.fail(fmt.Sprintf("Write .%s for the member of the item, or %s.%[1]s.", u.name, holder)), true
	default:
		return u.fail(fmt.Sprintf("Write .%s if it is a member of the item.", u.name)), true
	}
}

// meant reports a name that stands for root, which is a name of the scope.
func (u unknownName) meant(root string) TypedPart {
	if u.after == "id" && u.scope.Available("id") != nil && !u.has(root, "id") {
		return u.replaceWithMember("id", "Write id.")
	}
	if own := foreign.ResultMember(u.after); root == "result" && own != "" && u.has(root, own) && !u.has(root, u.after) {
		return u.replaceWithMember("result."+own, fmt.Sprintf("Write result.%s.", own))
	}
	if remedy := u.undeclared(root, u.after); remedy != "" {
		return u.fail(remedy)
	}
	return u.replaceBy(root)
}

func (u unknownName) fail(remedy string) TypedPart {
	return u.Fail(CodeUnknownName, u.at, remedy, "unknown name %q", u.name)
}

// replaceBy reports the name, with the edit that replaces it.
func (u unknownName) replaceBy(own string) TypedPart {
	out := u.fail(fmt.Sprintf("Write %s.", own))
	u.replaceName(u.name, own, u.at)
	return out
}

// replaceWithMember reports the name, with the edit that replaces it and the member after it.
func (u unknownName) replaceWithMember(own, remedy string) TypedPart {
	out := u.fail(remedy)
	whole := parse.Extent{From: u.at.From, To: u.at.To + 1 + len([]rune(u.after))}
	u.last().Suggest(diag.Edit{At: u.place.At(whole), Old: u.name + "." + u.after, Text: own})
	return out
}

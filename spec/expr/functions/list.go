package functions

import (
	"slices"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// listFunctions operate on lists.
func listFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "len(v: any) int", "The number of characters of a string, items of a list, or entries of a map.", `len("é")`, `1`, fnLen).withType(typeOfLen),
		def(eval.Flat, "first(items: list) any?", "The first item, or null if the list is empty.", `first([1, 2])`, `1`, fnFirst).withType(itemOrNull),
		def(eval.Flat, "last(items: list) any?", "The last item, or null if the list is empty.", `last([1, 2])`, `2`, fnLast).withType(itemOrNull),
		def(eval.Metered, "get(v: any?, key: any) any?", "An item of a list, or a member of a map or struct; null if there is none.", `get([1, 2], 5)`, `null`, nil).runs(eval.OpMember).withType(typeOfGet),
		def(eval.Flat, "take(items: list, count: int) list", "The first `count` items.", `take([1, 2, 3], 2)`, `[1,2]`, fnTake).withType(sameItems),
		def(eval.OfItems, "reverse(items: list) list", "The items in reverse order.", `reverse([1, 2])`, `[2,1]`, fnReverse).withType(sameItems),
		def(eval.Metered, "uniq(items: list) list", "The items without duplicates.", `uniq([1, 2, 1])`, `[1,2]`, fnUniq).withType(sameItems),
		def(eval.Metered, "concat(items...: list) list", "The items of several lists in one.", `concat([1], [2, 3])`, `[1,2,3]`, fnConcat).withType(typeOfConcat),
		def(eval.Metered, "flatten(items: list) list", "The items of nested lists, at any depth, in one list.", `flatten([1, [2, [3]]])`, `[1,2,3]`, fnFlatten).withType(typeOfFlatten),
		def(eval.Metered, "sort(items: list, order?: string) list", `Numbers or strings in order, "asc" or "desc".`, `sort([3, 1, 2], "desc")`, `[3,2,1]`, fnSort).withType(typeOfSort),
	}
}

func fnLen(r *eval.Run, a args) (any, error) {
	switch v := a[0].(type) {
	case string:
		return int64(utf8.RuneCountInString(v)), r.Read(v)
	case []any:
		return int64(len(v)), nil
	case map[string]any:
		return int64(len(v)), nil
	default:
		return nil, eval.Faultf("len requires a string, a list or a map, got %s", eval.DescribeKind(v))
	}
}

func typeOfLen(cl *check.Call) check.TypedPart {
	t := types.Resolve(cl.Args[0].T, cl.Types)
	switch {
	case types.IsAny(t), types.IsString(t), t.Kind == spec.List, t.Kind == spec.Map, t.Kind == spec.Object, t.Kind == spec.Union:
	default:
		cl.Fail(check.CodeWrongArgument, cl.Args[0].At, "", "len: argument 1 must be a string, a list or a map, got %s", types.Describe(t))
	}
	return check.TypedPart{T: types.Int()}
}

func fnFirst(_ *eval.Run, a args) (any, error) {
	if list := a.list(0); len(list) > 0 {
		return list[0], nil
	}
	return nil, nil
}

func fnLast(_ *eval.Run, a args) (any, error) {
	if list := a.list(0); len(list) > 0 {
		return list[len(list)-1], nil
	}
	return nil, nil
}

// itemType returns the type of the items of an argument.
func itemType(cl *check.Call, v check.TypedPart) *spec.Type {
	t := types.Resolve(v.T, cl.Types)
	if t.Kind == spec.List {
		return types.Elem(t)
	}
	return types.Lossy(types.Any(), cl.Types, t)
}

func itemOrNull(cl *check.Call) check.TypedPart {
	item := itemType(cl, cl.Args[0])
	if list := types.Resolve(cl.Args[0].T, cl.Types); list.MinLen == 0 && !types.IsAny(list) {
		item = types.Nullable(item)
	}
	return check.TypedPart{T: item, Origin: check.Extend(cl.Args[0].Origin, "*")}
}

func sameItems(cl *check.Call) check.TypedPart {
	return check.TypedPart{T: types.ListOf(itemType(cl, cl.Args[0])), Origin: cl.Args[0].Origin, Shuffled: true}
}

// typeOfGet returns the type of a member, or null.
func typeOfGet(cl *check.Call) check.TypedPart {
	t := types.Resolve(types.Present(cl.Args[0].T, cl.Types), cl.Types)
	key, isName := cl.Node[1].(*ast.StringNode)
	switch {
	case types.IsAny(t):
		cl.Trust(cl.Args[0].At)
		name := ""
		if isName {
			name = key.Value
		}
		return check.TypedPart{T: types.MemberOfUntyped(t, name, cl.Types)}
	case t.Kind == spec.List:
		return check.TypedPart{T: types.Nullable(types.Elem(t))}
	case isName && t.Kind == spec.Map && !cl.CheckKey(cl.Args[1].At, t, key.Value):
	case isName:
		if member, ok := types.Member(t, key.Value); ok {
			return check.TypedPart{T: types.Nullable(member)}
		}
		if t.Kind == spec.Object {
			cl.UnknownMember(cl.Args[1].At, t, key.Value, cl.Args[0])
		}
	}
	return check.TypedPart{T: types.Any()}
}

func fnTake(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	n := a.whole(1, 0)
	return slices.Clip(list[:max(min(n, int64(len(list))), 0)]), nil
}

func fnReverse(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	if err := r.Items(len(list)); err != nil {
		return nil, err
	}
	out := slices.Clone(list)
	slices.Reverse(out)
	return out, nil
}

func fnUniq(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	out := []any{}
	texts, others := map[string]bool{}, []any{}
	for _, item := range list {
		if s, ok := item.(string); ok {
			if err := r.Spend(4 + len(s)>>4); err != nil {
				return nil, err
			}
			if !texts[s] {
				texts[s], out = true, append(out, item)
			}
			continue
		}
		known, err := eval.OpIn(r, []any{item, others})
		if err != nil {
			return nil, err
		}
		if known == false {
			out, others = append(out, item), append(others, item)
		}
	}
	return out, nil
}

func fnConcat(r *eval.Run, a args) (any, error) {
	out := []any{}
	for i := range a {
		list := a.list(i)
		if r.TooMany(len(out) + len(list)) {
			return nil, r.Size()
		}
		if err := r.Items(len(list)); err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// maxFlatten is the maximum nesting depth of lists that are flattened.
const maxFlatten = 1000

func typeOfConcat(cl *check.Call) check.TypedPart {
	item := types.Never()
	for _, a := range cl.Args {
		item = types.Join(item, itemType(cl, a), cl.Types)
	}
	return check.TypedPart{T: types.ListOf(item)}
}

func fnFlatten(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	return flatten(r, list, []any{}, 0)
}

func flatten(r *eval.Run, list, into []any, depth int) ([]any, error) {
	if depth > maxFlatten {
		return nil, eval.Faultf("flatten: the lists nest too deeply")
	}
	for _, item := range list {
		if err := r.Spend(1); err != nil {
			return nil, err
		}
		inner, ok := item.([]any)
		if !ok {
			if err := r.Items(1); err != nil {
				return nil, err
			}
			if into = append(into, item); r.TooMany(len(into)) {
				return nil, r.Size()
			}
			continue
		}
		var err error
		if into, err = flatten(r, inner, into, depth+1); err != nil {
			return nil, err
		}
	}
	return into, nil
}

func typeOfFlatten(cl *check.Call) check.TypedPart {
	item := itemType(cl, cl.Args[0])
	for range maxFlatten {
		t := types.Resolve(item, cl.Types)
		if t.Kind != spec.List {
			if t.Kind == spec.Union {
				return check.TypedPart{T: types.ListOf(types.Lossy(types.Any(), cl.Types, item))}
			}
			return check.TypedPart{T: types.ListOf(item)}
		}
		item = types.Elem(t)
	}
	return check.TypedPart{T: types.ListOf(types.Any())}
}

func fnSort(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	direction := any("asc")
	if len(a) > 1 {
		direction = a[1]
	}
	return eval.OpSortBy(r, []any{list, list, direction})
}

func typeOfSort(cl *check.Call) check.TypedPart {
	item := itemType(cl, cl.Args[0])
	cl.Sortable("sort", check.TypedPart{T: item, At: cl.Args[0].At})
	if len(cl.Args) > 1 {
		if s, ok := cl.Node[1].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" {
			cl.Fail(check.CodeWrongArgument, cl.Args[1].At, "", "the order must be \"asc\" or \"desc\"")
		}
	}
	return check.TypedPart{T: types.ListOf(item), Origin: cl.Args[0].Origin, Shuffled: true}
}

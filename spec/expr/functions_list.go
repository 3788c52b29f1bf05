package expr

import (
	"slices"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// listFunctions work on lists.
func listFunctions() []*Function {
	return []*Function{
		def("len(v: any) int", "How many characters a string has, or items a list, or entries a map.", `len("é")`, `1`, fnLen).withType(typeOfLen),
		def("first(items: list) any?", "The first item, or null of none.", `first([1, 2])`, `1`, fnFirst).withType(itemOrNull),
		def("last(items: list) any?", "The last item, or null of none.", `last([1, 2])`, `2`, fnLast).withType(itemOrNull),
		def("get(v: any?, key: any) any?", "An item of a list, or a member of a map or struct; null where there is none.", `get([1, 2], 5)`, `null`, opMember).withType(typeOfGet),
		def("take(items: list, count: int) list", "The first so many items.", `take([1, 2, 3], 2)`, `[1,2]`, fnTake).withType(sameItems),
		def("reverse(items: list) list", "The items from the last to the first.", `reverse([1, 2])`, `[2,1]`, fnReverse).withType(sameItems),
		def("uniq(items: list) list", "The items, each once.", `uniq([1, 2, 1])`, `[1,2]`, fnUniq).withType(sameItems),
		def("concat(items...: list) list", "The items of several lists in one.", `concat([1], [2, 3])`, `[1,2,3]`, fnConcat).withType(typeOfConcat),
		def("flatten(items: list) list", "The items of lists in the list, however deep.", `flatten([1, [2, [3]]])`, `[1,2,3]`, fnFlatten).withType(typeOfFlatten),
		def("sort(items: list, order?: string) list", `Numbers or strings in order: "asc" or "desc".`, `sort([3, 1, 2], "desc")`, `[3,2,1]`, fnSort).withType(typeOfSort),
	}
}

func fnLen(r *run, a []any) (any, error) {
	switch v := a[0].(type) {
	case string:
		return int64(utf8.RuneCountInString(v)), r.read(v)
	case []any:
		return int64(len(v)), nil
	case map[string]any:
		return int64(len(v)), nil
	default:
		return nil, faultf("len needs a string, a list or a map, and has %s", describeKind(v))
	}
}

func typeOfLen(cl *call) typed {
	t := types.Resolve(cl.args[0].t, cl.types)
	switch {
	case types.IsAny(t), types.IsString(t), t.Kind == spec.List, t.Kind == spec.Map, t.Kind == spec.Object, t.Kind == spec.Union:
	default:
		cl.fail(CodeWrongArgument, cl.args[0].at, "", "len: argument 1 is %s, and a string, a list or a map is wanted", types.Describe(t))
	}
	return typed{t: types.Int()}
}

func fnFirst(_ *run, a []any) (any, error) {
	list, err := listArg("first", a, 0)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

func fnLast(_ *run, a []any) (any, error) {
	list, err := listArg("last", a, 0)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[len(list)-1], nil
}

// itemType is the type of the items of an argument.
func itemType(cl *call, v typed) *spec.Type {
	if t := types.Resolve(v.t, cl.types); t.Kind == spec.List {
		return types.Elem(t)
	}
	return types.Any()
}

func itemOrNull(cl *call) typed {
	item := itemType(cl, cl.args[0])
	if list := types.Resolve(cl.args[0].t, cl.types); list.MinLen == 0 && !types.IsAny(list) {
		item = types.Nullable(item)
	}
	return typed{t: item, origin: extend(cl.args[0].origin, "*")}
}

func sameItems(cl *call) typed {
	return typed{t: types.ListOf(itemType(cl, cl.args[0])), origin: cl.args[0].origin, shuffled: true}
}

// typeOfGet is the type of a member, null too.
func typeOfGet(cl *call) typed {
	t := types.Resolve(types.Present(cl.args[0].t, cl.types), cl.types)
	key, isName := cl.node[1].(*ast.StringNode)
	switch {
	case types.IsAny(t):
		cl.trust(cl.args[0].at)
		return typed{t: types.Any()}
	case t.Kind == spec.List:
		return typed{t: types.Nullable(types.Elem(t))}
	case isName:
		if member, ok := memberOf(t, key.Value); ok {
			return typed{t: types.Nullable(member)}
		}
		if t.Kind == spec.Object {
			cl.unknownMember(cl.args[1].at, t, key.Value, cl.args[0])
		}
	}
	return typed{t: types.Any()}
}

func fnTake(r *run, a []any) (any, error) {
	list, err := listArg("take", a, 0)
	if err != nil {
		return nil, err
	}
	n, err := intArg("take", a, 1, 0)
	if err != nil {
		return nil, err
	}
	return slices.Clip(list[:max(min(n, int64(len(list))), 0)]), nil
}

func fnReverse(r *run, a []any) (any, error) {
	list, err := listArg("reverse", a, 0)
	if err != nil {
		return nil, err
	}
	if err := r.items(len(list)); err != nil {
		return nil, err
	}
	out := slices.Clone(list)
	slices.Reverse(out)
	return out, nil
}

func fnUniq(r *run, a []any) (any, error) {
	list, err := listArg("uniq", a, 0)
	if err != nil {
		return nil, err
	}
	out := []any{}
	texts, others := map[string]bool{}, []any{}
	for _, item := range list {
		if s, ok := item.(string); ok {
			if err := r.spend(4 + len(s)>>4); err != nil {
				return nil, err
			}
			if !texts[s] {
				texts[s], out = true, append(out, item)
			}
			continue
		}
		known, err := opIn(r, []any{item, others})
		if err != nil {
			return nil, err
		}
		if known == false {
			out, others = append(out, item), append(others, item)
		}
	}
	return out, nil
}

func fnConcat(r *run, a []any) (any, error) {
	out := []any{}
	for i := range a {
		list, err := listArg("concat", a, i)
		if err != nil {
			return nil, err
		}
		if r.tooMany(len(out) + len(list)) {
			return nil, r.size()
		}
		if err := r.items(len(list)); err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// maxFlatten is how deep lists nest that are made flat.
const maxFlatten = 1000

func typeOfConcat(cl *call) typed {
	item := types.Never()
	for _, a := range cl.args {
		item = types.Join(item, itemType(cl, a), cl.types)
	}
	return typed{t: types.ListOf(item)}
}

func fnFlatten(r *run, a []any) (any, error) {
	list, err := listArg("flatten", a, 0)
	if err != nil {
		return nil, err
	}
	return flatten(r, list, []any{}, 0)
}

func flatten(r *run, list, into []any, depth int) ([]any, error) {
	if depth > maxFlatten {
		return nil, faultf("flatten: the lists nest too deeply")
	}
	for _, item := range list {
		if err := r.spend(1); err != nil {
			return nil, err
		}
		inner, ok := item.([]any)
		if !ok {
			if err := r.items(1); err != nil {
				return nil, err
			}
			if into = append(into, item); r.tooMany(len(into)) {
				return nil, r.size()
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

func typeOfFlatten(cl *call) typed {
	item := itemType(cl, cl.args[0])
	for range maxFlatten {
		t := types.Resolve(item, cl.types)
		if t.Kind != spec.List {
			if t.Kind == spec.Union {
				return typed{t: types.ListOf(types.Any())}
			}
			return typed{t: types.ListOf(item)}
		}
		item = types.Elem(t)
	}
	return typed{t: types.ListOf(types.Any())}
}

func fnSort(r *run, a []any) (any, error) {
	list, err := listArg("sort", a, 0)
	if err != nil {
		return nil, err
	}
	direction := any("asc")
	if len(a) > 1 {
		direction = a[1]
	}
	return opSortBy(r, []any{list, list, direction})
}

func typeOfSort(cl *call) typed {
	item := itemType(cl, cl.args[0])
	cl.sortable("sort", typed{t: item, at: cl.args[0].at})
	if len(cl.args) > 1 {
		if s, ok := cl.node[1].(*ast.StringNode); ok && s.Value != "asc" && s.Value != "desc" {
			cl.fail(CodeWrongArgument, cl.args[1].at, "", "the order is \"asc\" or \"desc\"")
		}
	}
	return typed{t: types.ListOf(item), origin: cl.args[0].origin, shuffled: true}
}

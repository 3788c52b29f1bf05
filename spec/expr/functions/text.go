package functions

import (
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// textFunctions operate on strings.
func textFunctions() []*Function {
	return []*Function{
		def(eval.Metered, "string(v: any?) string", "A scalar as a string; lists and maps as JSON; null as the empty string.", `string(1.5)`, `"1.5"`, fnString).withType(typeOfString),
		def(eval.OfPairs, "trim(s: string, chars?: string) string", "The string without white space, or without the characters in `chars`, at both ends.", `trim("  a ")`, `"a"`, fnTrim),
		def(eval.OfText, "trimPrefix(s: string, prefix: string) string", "The string without `prefix`, if it begins with it.", `trimPrefix("v1.2", "v")`, `"1.2"`, mapStrings(strings.TrimPrefix)),
		def(eval.OfText, "trimSuffix(s: string, suffix: string) string", "The string without `suffix`, if it ends with it.", `trimSuffix("a.txt", ".txt")`, `"a"`, mapStrings(strings.TrimSuffix)),
		def(eval.OfTextTimes(4), "upper(s: string) string", "The string in upper case.", `upper("aé")`, `"AÉ"`, mapString(strings.ToUpper)),
		def(eval.OfTextTimes(4), "lower(s: string) string", "The string in lower case.", `lower("AÉ")`, `"aé"`, mapString(strings.ToLower)),
		def(eval.Metered, "split(s: string, by: string, most?: int) [string]", "The parts between separators; at most `most` parts, of which the last one has the rest.", `split("a,b,c", ",", 2)`, `["a","b,c"]`, splitWith(strings.SplitN)),
		def(eval.Metered, "splitAfter(s: string, by: string, most?: int) [string]", "As split, but each part keeps the separator after it.", `splitAfter("a,b", ",")`, `["a,","b"]`, splitWith(strings.SplitAfterN)),
		def(eval.Metered, "replace(s: string, old: string, new: string, count?: int) string", "The string with all occurrences of `old`, or the first `count`, replaced by `new`.", `replace("a-b-c", "-", "+")`, `"a+b+c"`, fnReplace),
		def(eval.Metered, "repeat(s: string, times: int) string", "The string repeated `times` times.", `repeat("ab", 3)`, `"ababab"`, fnRepeat),
		def(eval.Metered, "join(items: list, by?: string) string", "The items, which must be scalars, with a separator between them.", `join(["a", 1], "-")`, `"a-1"`, fnJoin).withType(typeOfJoin),
		def(eval.OfText, "indexOf(s: string, part: string) int", "The index of the first occurrence of `part`, in characters from 0, or -1.", `indexOf("éa", "a")`, `1`, indexWith(strings.Index)),
		def(eval.OfText, "lastIndexOf(s: string, part: string) int", "The index of the last occurrence of `part`, or -1.", `lastIndexOf("abab", "b")`, `3`, indexWith(strings.LastIndex)),
		def(eval.OfText, "hasPrefix(s: string, prefix: string) bool", "Whether the string begins with `prefix`.", `hasPrefix("abc", "ab")`, `true`, nil).runs(eval.Textual("hasPrefix", strings.HasPrefix)),
		def(eval.OfText, "hasSuffix(s: string, suffix: string) bool", "Whether the string ends with `suffix`.", `hasSuffix("abc", "bc")`, `true`, nil).runs(eval.Textual("hasSuffix", strings.HasSuffix)),
		def(eval.Metered, "capture(s: string, re: regexp) {string}?", "The matches of the named groups of a regular expression; null if it does not match.", "capture(\"v1.2\", `v(?P<major>\\d+)\\.(?P<minor>\\d+)`)", `{"major":"1","minor":"2"}`, fnCapture).withType(typeOfCapture),
		def(eval.OfText, "segments(s: string) [string]", "The parts of a path between its slashes. In the `path` of an http request they stay separate segments: the slash of a/b is not escaped. A slash at the beginning or end gives an empty segment, which a request refuses.", `segments("a/b")`, `["a","b"]`, fnSegments),
	}
}

func mapString(f func(string) string) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		if err := r.Grow(len(s)); err != nil {
			return nil, err
		}
		return f(s), nil
	}
}

func mapStrings(f func(s, t string) string) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		t := a.text(1)
		return f(s, t), r.Read(s)
	}
}

// typeOfString returns the type of a value as a string, which is one of two for a boolean.
func typeOfString(cl *check.Call) check.TypedPart {
	t := types.Resolve(cl.Args[0].T, cl.Types)
	if t.Kind != spec.Bool || types.MayBeNull(t, cl.Types) || types.IsTime(t) {
		return check.TypedPart{T: types.String()}
	}
	return check.TypedPart{T: &spec.Type{Kind: spec.String, Enum: []any{"true", "false"}}}
}

func fnString(r *eval.Run, a args) (any, error) {
	switch a[0].(type) {
	case nil:
		return "", nil
	case []any, map[string]any:
		return EncodeJSON(r, a[0], "")
	case *spec.File:
		return nil, eval.Faultf("an asset cannot be converted to a string: pass it to an action as a whole")
	}
	return eval.ScalarText(a[0])
}

func fnTrim(r *eval.Run, a args) (any, error) {
	if len(a) == 1 {
		s := a.text(0)
		return strings.TrimSpace(s), r.Read(s)
	}
	s := a.text(0)
	return strings.Trim(s, a.text(1)), r.Read(s)
}

func splitWith(f func(s, by string, n int) []string) operation {
	return func(r *eval.Run, a args) (any, error) {
		s, by, n := a.text(0), a.text(1), a.whole(2, -1)
		if err := r.Items(strings.Count(s, by) + len(s)>>4); err != nil {
			return nil, err
		}
		return anyList(f(s, by, int(max(min(n, int64(r.Most)), -1)))), nil
	}
}

func anyList(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

func fnReplace(r *eval.Run, a args) (any, error) {
	s, from, to := a.text(0), a.text(1), a.text(2)
	count := int64(strings.Count(s, from))
	if n := a.whole(3, -1); n >= 0 {
		count = min(count, n)
	}
	if count > eval.MaxText {
		return nil, eval.ErrText
	}
	// The product of two numbers of 24 bits does not overflow.
	if err := r.Grow(len(s) + int(count)*max(len(to)-len(from), 0)); err != nil {
		return nil, err
	}
	return strings.Replace(s, from, to, int(count)), nil
}

func fnRepeat(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	n := a.whole(1, 0)
	switch {
	case n < 0:
		return nil, eval.Faultf("repeat requires a number of at least 0, got %s", eval.Quote(n))
	case len(s) > 0 && n > eval.MaxText/int64(len(s)):
		return nil, eval.ErrText
	case len(s) == 0:
		return "", nil
	}
	if err := r.Grow(len(s) * int(n)); err != nil {
		return nil, err
	}
	return strings.Repeat(s, int(n)), nil
}

func fnJoin(r *eval.Run, a args) (any, error) {
	list, by := a.list(0), ""
	if len(a) > 1 {
		by = a.text(1)
	}
	if err := r.Spend(2 * len(list)); err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	size := 0
	for i, item := range list {
		var err error
		if texts[i], err = eval.ScalarText(item); err != nil {
			return nil, eval.Faultf("join: item %d: %v", i, err)
		}
		size += len(texts[i]) + len(by)
		if size > eval.MaxText {
			return nil, eval.ErrText
		}
	}
	if err := r.Grow(size); err != nil {
		return nil, err
	}
	return strings.Join(texts, by), nil
}

// typeOfJoin reports items that are not scalars.
func typeOfJoin(cl *check.Call) check.TypedPart {
	if list := types.Resolve(cl.Args[0].T, cl.Types); list.Kind == spec.List {
		item := types.Resolve(types.Elem(list), cl.Types)
		switch {
		case types.MayBeNull(item, cl.Types) && !types.IsNever(item):
			cl.Fail(types.CodeNullUnguarded, cl.Args[0].At, "Remove nulls: filter(…, # != null).", "the items of %s may be null", cl.Text(cl.Args[0].At))
		case !types.IsScalar(item, cl.Types):
			cl.Fail(check.CodeWrongArgument, cl.Args[0].At, "Convert each item first: map(…, jsonencode(#)).", "join requires scalars, got items of type %s", types.Describe(item))
		}
	}
	return check.TypedPart{T: types.String()}
}

func indexWith(f func(s, part string) int) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		part := a.text(1)
		i := f(s, part)
		if i > 0 {
			i = utf8.RuneCountInString(s[:i])
		}
		return int64(i), r.Read(s)
	}
}

func fnCapture(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	re, err := r.RegexpArg(a[1])
	if err != nil {
		return nil, err
	}
	match, err := re.Find(&r.Budget, s)
	if err == budget.ErrSpent {
		err = eval.ErrWork
	}
	if match == nil || err != nil {
		return nil, err
	}
	out := map[string]any{}
	for i, name := range re.SubexpNames() {
		if name != "" {
			out[name] = match[i]
		}
	}
	return out, nil
}

// typeOfCapture determines the groups of a literal regular expression.
func typeOfCapture(cl *check.Call) check.TypedPart {
	lit := types.Literals(types.Resolve(cl.Args[1].T, cl.Types))
	if len(lit) != 1 {
		return check.TypedPart{T: cl.Fn.Result}
	}
	text, _ := lit[0].(string)
	re, err := types.Pattern(text)
	if err != nil {
		return check.TypedPart{T: types.Any()}
	}
	out := &spec.Type{Kind: spec.Object, Nullable: true}
	for _, name := range re.SubexpNames() {
		if name != "" {
			check.SetField(out, check.WrittenProperty(name, types.String(), false))
		}
	}
	if len(out.Fields) == 0 {
		cl.Fail(check.CodeWrongArgument, cl.Args[1].At, "Name the groups: (?P<name>…).", "this regular expression has no named group")
	}
	return check.TypedPart{T: out}
}

func fnSegments(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	if err := r.Items(strings.Count(s, "/")); err != nil {
		return nil, err
	}
	return anyList(strings.Split(s, "/")), nil
}

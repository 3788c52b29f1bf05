package request

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParameters writes lists and maps by each rule.
func TestParameters(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		value any
		// want is by rule; "!" is an error.
		want map[ListRule]string
	}{
		"a scalar": {int64(1), map[ListRule]string{Repeat: "a=1", Brackets: "a=1", Indices: "a=1", MemberN: "a=1", Number: "a=1"}},
		"null":     {nil, map[ListRule]string{Repeat: "", Brackets: "", Indices: "", MemberN: "", Number: ""}},
		"a list": {[]any{"x", nil, true}, map[ListRule]string{
			Repeat: "a=x a=true", Brackets: "a[]=x a[]=true", Indices: "a[0]=x a[1]=true", MemberN: "a.member.1=x a.member.2=true", Number: "a.1=x a.2=true",
		}},
		"an empty list": {[]any{}, map[ListRule]string{Repeat: "", Brackets: "", Indices: "", MemberN: "", Number: ""}},
		"a map": {object{"k": "v", "l": nil, "m": int64(2)}, map[ListRule]string{
			Repeat: "!", Brackets: "a[k]=v a[m]=2", Indices: "a[k]=v a[m]=2", MemberN: "a.k=v a.m=2", Number: "a.k=v a.m=2",
		}},
		"objects in a list": {[]any{object{"Key": "k", "Value": "v"}, object{"Key": "l"}}, map[ListRule]string{
			Repeat: "!", Brackets: "a[0][Key]=k a[0][Value]=v a[1][Key]=l", Indices: "a[0][Key]=k a[0][Value]=v a[1][Key]=l",
			MemberN: "a.member.1.Key=k a.member.1.Value=v a.member.2.Key=l", Number: "a.1.Key=k a.1.Value=v a.2.Key=l",
		}},
		"a list in a map": {object{"b": []any{"x", "y"}}, map[ListRule]string{
			Repeat: "!", Brackets: "a[b][]=x a[b][]=y", Indices: "a[b][0]=x a[b][1]=y", MemberN: "a.b.member.1=x a.b.member.2=y", Number: "a.b.1=x a.b.2=y",
		}},
		"a list in a list": {[]any{[]any{"x"}}, map[ListRule]string{Repeat: "!", Brackets: "a[0][]=x", Indices: "a[0][0]=x", MemberN: "a.member.1.member.1=x", Number: "a.1.1=x"}},
	} {
		for rule, want := range tc.want {
			pairs, err := Parameters("form", object{"a": tc.value}, rule)
			var got []string
			for _, p := range pairs {
				got = append(got, p.Name+"="+p.Value)
			}
			if want == "!" {
				if err == nil || !strings.Contains(err.Error(), "`lists`") {
					t.Errorf("%s, %s: %v, want an error", name, rule, err)
				}
				continue
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); err != nil || diff != "" {
				t.Errorf("%s, %s: %v\n%s", name, rule, err, diff)
			}
		}
	}
}

// TestNamesThatReadAsOthers refuses names in maps that a server would read as the name of another member, and items that are not written.
func TestNamesThatReadAsOthers(t *testing.T) {
	type object = map[string]any
	brackets, dots := []ListRule{Brackets, Indices}, []ListRule{MemberN, Number}
	all := slices.Concat(brackets, dots)
	for name, tc := range map[string]struct {
		value   any
		refused []ListRule
	}{
		"an opening bracket":           {object{"a[b": 1}, brackets},
		"a closing bracket":            {object{"a][b": 1}, brackets},
		"brackets deep within":         {object{"x": []any{object{"a[]": 1}}}, brackets},
		"a dot":                        {object{"a.b": 1}, dots},
		"an empty name":                {object{"": 1}, all},
		"a dot deep within":            {object{"x": object{"a.b": 1}}, dots},
		"an empty object in a list":    {[]any{object{}, object{"a": 1}}, all},
		"an object of nulls in a list": {[]any{object{"a": nil}}, all},
		"an empty list in a list":      {[]any{[]any{}}, all},
		"usual names":                  {object{"a-b": 1, "a b": 2, "&=": 3, "ä": 4}, nil},
	} {
		for _, rule := range all {
			for _, nulls := range []string{"", EmptyNulls} {
				_, err := formParameters(object{"m": tc.value}, rule, nulls)
				if refused := slices.Contains(tc.refused, rule); (err != nil) != refused {
					t.Errorf("%s, %s: got %v, refused: %t", name, rule, err, refused)
				}
			}
		}
	}
	for _, name := range []string{"filter[a]", "a.b", "expand[]"} { // the author wrote these
		if _, err := Parameters("query", object{name: "x"}, Brackets); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEmptyNulls writes what has no value as an empty value, but not within lists.
func TestEmptyNulls(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		value any
		rule  ListRule
		want  string
	}{
		"null":                 {nil, Repeat, "a="},
		"an empty list":        {[]any{}, Repeat, "a="},
		"a list of nulls":      {[]any{nil}, Repeat, "a="},
		"a list":               {[]any{"x", nil}, Repeat, "a=x"},
		"an empty map":         {object{}, Brackets, "a="},
		"a null in a map":      {object{"x": nil, "y": int64(1)}, Brackets, "a[x]= a[y]=1"},
		"an empty list in it":  {object{"x": []any{}}, Indices, "a[x]="},
		"a null far within":    {object{"x": object{"y": nil}}, Number, "a.x.y="},
		"a null within a list": {[]any{object{"x": nil, "y": int64(1)}}, Brackets, "a[0][y]=1"},
		"an empty text":        {"", Repeat, "a="},
	} {
		pairs, err := formParameters(object{"a": tc.value}, tc.rule, EmptyNulls)
		var got []string
		for _, p := range pairs {
			got = append(got, p.Name+"="+p.Value)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

package request

import (
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
		"a scalar": {int64(1), map[ListRule]string{Repeat: "a=1", Brackets: "a=1", MemberN: "a=1", Number: "a=1"}},
		"null":     {nil, map[ListRule]string{Repeat: "", Brackets: "", MemberN: "", Number: ""}},
		"a list": {[]any{"x", nil, true}, map[ListRule]string{
			Repeat: "a=x a=true", Brackets: "a[]=x a[]=true", MemberN: "a.member.1=x a.member.2=true", Number: "a.1=x a.2=true",
		}},
		"an empty list": {[]any{}, map[ListRule]string{Repeat: "", Brackets: "", MemberN: "", Number: ""}},
		"a map": {object{"k": "v", "l": nil, "m": int64(2)}, map[ListRule]string{
			Repeat: "!", Brackets: "a[k]=v a[m]=2", MemberN: "a.k=v a.m=2", Number: "a.k=v a.m=2",
		}},
		"objects in a list": {[]any{object{"Key": "k", "Value": "v"}, object{"Key": "l"}}, map[ListRule]string{
			Repeat: "!", Brackets: "a[0][Key]=k a[0][Value]=v a[1][Key]=l",
			MemberN: "a.member.1.Key=k a.member.1.Value=v a.member.2.Key=l", Number: "a.1.Key=k a.1.Value=v a.2.Key=l",
		}},
		"a list in a map": {object{"b": []any{"x", "y"}}, map[ListRule]string{
			Repeat: "!", Brackets: "a[b][]=x a[b][]=y", MemberN: "a.b.member.1=x a.b.member.2=y", Number: "a.b.1=x a.b.2=y",
		}},
		"a list in a list": {[]any{[]any{"x"}}, map[ListRule]string{Repeat: "!", Brackets: "a[0][]=x", MemberN: "a.member.1.member.1=x", Number: "a.1.1=x"}},
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

package lists_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/lists"
)

func TestMap(t *testing.T) {
	if diff := cmp.Diff([]string{"2", "1"}, lists.Map([]int{2, 1}, strconv.Itoa)); diff != "" {
		t.Error(diff)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("of an empty list: %#v, want nil", got)
	}
}

func TestFind(t *testing.T) {
	long := func(s string) bool { return len(s) > 1 }
	for _, tt := range []struct {
		list []string
		want string
	}{
		{nil, ""},
		{[]string{"a"}, ""},
		{[]string{"a", "bc", "de"}, "bc"},
	} {
		if got := lists.Find(tt.list, long); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.list, got, tt.want)
		}
	}
}

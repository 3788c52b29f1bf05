package order

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSort(t *testing.T) {
	tests := map[string]struct {
		keys   []string
		needs  map[string][]string
		sorted []string
		cycles [][]string
	}{
		"none":              {},
		"independent":       {keys: []string{"b", "a"}, sorted: []string{"b", "a"}},
		"chain":             {keys: []string{"a", "b", "c"}, needs: map[string][]string{"a": {"b"}, "b": {"c"}}, sorted: []string{"c", "b", "a"}},
		"diamond":           {keys: []string{"a", "b", "c", "d"}, needs: map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}, sorted: []string{"d", "b", "c", "a"}},
		"itself":            {keys: []string{"a"}, needs: map[string][]string{"a": {"a"}}, sorted: []string{"a"}, cycles: [][]string{{"a", "a"}}},
		"cycle behind a":    {keys: []string{"a", "b", "c"}, needs: map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}, sorted: []string{"c", "b", "a"}, cycles: [][]string{{"b", "c", "b"}}},
		"two through one":   {keys: []string{"a", "b", "c"}, needs: map[string][]string{"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}, sorted: []string{"b", "c", "a"}, cycles: [][]string{{"a", "b", "a"}, {"a", "c", "a"}}},
		"need outside keys": {keys: []string{"a"}, needs: map[string][]string{"a": {"z"}}, sorted: []string{"z", "a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var cycles [][]string
			sorted := Sort(test.keys, func(key string) []string { return test.needs[key] }, func(cycle []string) { cycles = append(cycles, cycle) })
			if diff := cmp.Diff(test.sorted, sorted); diff != "" {
				t.Errorf("sorted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.cycles, cycles); diff != "" {
				t.Errorf("cycles (-want +got):\n%s", diff)
			}
		})
	}
}

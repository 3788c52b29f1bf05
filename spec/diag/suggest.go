package diag

import (
	"fmt"
	"slices"
	"strings"
)

// DidYouMean returns the name in known that differs from given by a typing mistake,
// or the only name that begins with given. It returns "" if there is none. It never
// returns given itself.
func DidYouMean(given string, known []string) string {
	best, limit := "", max(1, len([]rune(given))/3)+1
	for _, name := range slices.Sorted(slices.Values(known)) { // of two that are equally near, always the same
		if name == given {
			continue
		}
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d < limit {
			best, limit = name, d
		}
	}
	if best == "" {
		best = completion(given, known)
	}
	return best
}

// completion returns the only name that begins with given, if given has at least
// three letters: snake_case for snake.
func completion(given string, known []string) string {
	const least = 3
	if len([]rune(given)) < least {
		return ""
	}
	best := ""
	for _, name := range known {
		switch {
		case name == given, !strings.HasPrefix(strings.ToLower(name), strings.ToLower(given)):
		case best != "":
			return ""
		default:
			best = name
		}
	}
	return best
}

// Remedy returns the last sentence of the detail for an unknown name: a suggestion,
// or the list of known names.
func Remedy(given string, known []string) string {
	if name := DidYouMean(given, known); name != "" {
		return fmt.Sprintf("Did you mean %q?", name)
	}
	if len(known) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(known))
	return "Available: " + strings.Join(sorted, ", ") + "."
}

// distance returns the number of insertions, deletions, substitutions and
// transpositions of adjacent letters that convert a to b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, prev, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(t)]
}

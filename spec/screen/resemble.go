package screen

import (
	"slices"
	"strings"
	"unicode"
)

// Resembles reports whether a text has a part in common with a secret: as many letters and digits in
// succession as the shortest secret that is masked has, whatever their case, and whatever stands
// between them, also backwards. It holds for a secret that was trimmed, cut or masked in part.
func (m *Mask) Resembles(text string) bool {
	if m == nil {
		return false
	}
	if m.Text(text) != text {
		return true
	}
	parts := runsOf(text)
	for ; m != nil; m = m.parent {
		for secret := range m.known {
			folded := lettersOf(secret)
			if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(folded, part) }) {
				return true
			}
		}
	}
	return false
}

// runsOf returns all runs of shortestMasked letters and digits of a text, forwards and backwards.
func runsOf(text string) (runs []string) {
	runes := []rune(lettersOf(text))
	for i := 0; i+shortestMasked <= len(runes); i++ {
		run := slices.Clone(runes[i : i+shortestMasked])
		runs = append(runs, string(run))
		slices.Reverse(run)
		runs = append(runs, string(run))
	}
	return runs
}

// lettersOf returns the letters and digits of a text, with case folded.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

package types

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// IsFree reports whether the value at a path may contain text that its type does not restrict,
// so that a program could interpret it: see interpreted.
func IsFree(t *spec.Type, path []string, named spec.Types) bool { return isFree(t, path, named, 0) }

func isFree(t *spec.Type, path []string, named spec.Types, depth int) bool {
	if t == nil || depth > maxAssignDepth {
		return true
	}
	if IsTime(t) {
		return false
	}
	t = Resolve(t, named)
	within := func(t *spec.Type, path []string) bool { return isFree(t, path, named, depth+1) }
	if t.Kind == spec.Union {
		return slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return within(v, path) })
	}
	if len(path) > 0 {
		if p := t.Field(path[0]); p != nil {
			return within(p.Type, path[1:])
		}
		return within(t.Elem, path[1:])
	}
	switch t.Kind {
	case spec.Bool, spec.Int, spec.Number:
		return false
	case spec.String:
		return len(t.Enum) == 0 && !slices.ContainsFunc(t.Patterns, func(p spec.Pattern) bool { return !p.Negated && restricts(p.Regexp) })
	case spec.List:
		return within(t.Elem, nil)
	case spec.Object:
		return t.Open || slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return within(p.Type, nil) })
	default: // a map, whose keys are text without restrictions, or any value
		return true
	}
}

// interpreted are the characters that a pattern must exclude, because a shell, SQL or another
// language interprets them, in quotes or outside.
const interpreted = "'\"`\\;$\n\r\t |&()<>*?[]{}!#"

// restricts reports whether a pattern is anchored at both ends, and has neither `.` nor a class
// that matches a character of interpreted. Literal characters in it do not count, because the
// author chose them.
func restricts(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) < 2 {
		return false
	}
	first, last := re.Sub[0].Op, re.Sub[len(re.Sub)-1].Op
	return first == syntax.OpBeginText && last == syntax.OpEndText && isHarmless(re)
}

func isHarmless(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpCharClass:
		return !strings.ContainsFunc(interpreted, func(c rune) bool {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= c && c <= re.Rune[i+1] {
					return true
				}
			}
			return false
		})
	default:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !isHarmless(sub) })
	}
}

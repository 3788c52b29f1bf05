package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

// scalar checks text, numbers, truth values, assets and archives.
func (c *checker) scalar(v property.Value, path string, f *findings) {
	if !c.kindFits(v) {
		f.add(path, "must be %s, not %s", describe(c.t), f.kindOf(v))
		return
	}
	if len(c.t.Enum) > 0 && !slices.ContainsFunc(c.t.Enum, func(l any) bool { return equalLiteral(v, l) }) {
		known := literals(c.t.Enum)
		f.add(path, "must be one of %s%s", enumerate(quoted(known)), f.suggestion(v, known))
		return
	}
	for _, l := range c.t.Not {
		if equalLiteral(v, l) {
			f.add(path, "must not be %s", quote(fmt.Sprint(l)))
		}
	}
	switch {
	case v.IsString():
		c.text(v.AsString(), path, f)
	case v.IsNumber():
		c.number(v.AsNumber(), path, f)
	}
}

func (c *checker) kindFits(v property.Value) bool {
	switch c.t.Kind {
	case spec.String:
		return v.IsString()
	case spec.Bool:
		return v.IsBool()
	case spec.Number:
		return v.IsNumber()
	case spec.Int:
		return v.IsNumber() && v.AsNumber() == math.Trunc(v.AsNumber())
	case spec.Asset:
		return v.IsAsset()
	case spec.Archive:
		return v.IsArchive()
	default:
		return true
	}
}

func (c *checker) text(s, path string, f *findings) {
	if c.t.MinLen > 0 || c.t.MaxLen != nil {
		c.length(utf8.RuneCountInString(s), "characters", path, f)
	}
	for i, p := range c.patterns {
		if f.matches(p, s, path) == c.t.Patterns[i].Negated && !f.over {
			not := ""
			if c.t.Patterns[i].Negated {
				not = "not "
			}
			f.add(path, "must %smatch %s", not, p)
		}
	}
	if b := c.t.Min; b != nil {
		if l, ok := b.Value.(string); ok && (s < l || b.Exclusive && s == l) {
			f.add(path, "must come after %s%s", orIs(b), quote(l))
		}
	}
	if b := c.t.Max; b != nil {
		if l, ok := b.Value.(string); ok && (s > l || b.Exclusive && s == l) {
			f.add(path, "must come before %s%s", orIs(b), quote(l))
		}
	}
}

func orIs(b *spec.Bound) string {
	if b.Exclusive {
		return ""
	}
	return "or be "
}

func (c *checker) number(n float64, path string, f *findings) {
	if n < c.min || c.t.Min != nil && c.t.Min.Exclusive && n == c.min {
		f.add(path, "must be %s %v", map[bool]string{true: "more than", false: "at least"}[c.t.Min.Exclusive], c.t.Min.Value)
	}
	if n > c.max || c.t.Max != nil && c.t.Max.Exclusive && n == c.max {
		f.add(path, "must be %s %v", map[bool]string{true: "less than", false: "at most"}[c.t.Max.Exclusive], c.t.Max.Value)
	}
	if c.t.MultipleOf != "" && !spec.IsMultiple(json.Number(strconv.FormatFloat(n, 'g', -1, 64)), c.t.MultipleOf) {
		f.add(path, "must be a multiple of %s", c.t.MultipleOf)
	}
}

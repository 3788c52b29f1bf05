package value

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// scalar checks text, numbers, truth values, assets and archives.
func (f *Findings) scalar(c *Type, v property.Value, path string) {
	if !c.kindFits(v) {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return
	}
	if len(c.Spec.Enum) > 0 && !slices.ContainsFunc(c.Spec.Enum, func(l any) bool { return equalLiteral(v, l) }) {
		known := literals(c.Spec.Enum)
		f.Add(path, "must be one of %s%s", diag.Or(quoted(known)), f.suggestion(v, known))
		return
	}
	for _, l := range c.Spec.Not {
		if equalLiteral(v, l) {
			f.Add(path, "must not be %s", Quote(fmt.Sprint(l)))
		}
	}
	switch {
	case v.IsString():
		f.text(c, v.AsString(), path)
	case v.IsNumber():
		f.number(c, v.AsNumber(), path)
	}
}

func (c *Type) kindFits(v property.Value) bool {
	switch c.Spec.Kind {
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

func (f *Findings) text(c *Type, s, path string) {
	if c.Spec.MinLen > 0 || c.Spec.MaxLen != nil {
		f.length(c, utf8.RuneCountInString(s), "characters", path)
	}
	for i, p := range c.patterns {
		if f.matches(p, s, path) == c.Spec.Patterns[i].Negated && !f.over {
			not := ""
			if c.Spec.Patterns[i].Negated {
				not = "not "
			}
			f.Add(path, "must %smatch %s", not, p)
		}
	}
	if b := c.Spec.Min; b != nil {
		if l, ok := b.Value.(string); ok && (s < l || b.Exclusive && s == l) {
			f.Add(path, "must come after %s%s", orIs(b), Quote(l))
		}
	}
	if b := c.Spec.Max; b != nil {
		if l, ok := b.Value.(string); ok && (s > l || b.Exclusive && s == l) {
			f.Add(path, "must come before %s%s", orIs(b), Quote(l))
		}
	}
}

func orIs(b *spec.Bound) string {
	if b.Exclusive {
		return ""
	}
	return "or be "
}

func (f *Findings) number(c *Type, n float64, path string) {
	if n < c.min || c.Spec.Min != nil && c.Spec.Min.Exclusive && n == c.min {
		f.Add(path, "must be %s %v", map[bool]string{true: "more than", false: "at least"}[c.Spec.Min.Exclusive], c.Spec.Min.Value)
	}
	if n > c.max || c.Spec.Max != nil && c.Spec.Max.Exclusive && n == c.max {
		f.Add(path, "must be %s %v", map[bool]string{true: "less than", false: "at most"}[c.Spec.Max.Exclusive], c.Spec.Max.Value)
	}
	if c.Spec.MultipleOf != "" && !types.IsMultiple(json.Number(strconv.FormatFloat(n, 'g', -1, 64)), c.Spec.MultipleOf) {
		f.Add(path, "must be a multiple of %s", c.Spec.MultipleOf)
	}
}

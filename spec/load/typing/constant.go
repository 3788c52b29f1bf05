package typing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/types"
)

// failConstant reports a @default with a constant, which is an alternative of the type with a star.
func (c *attrCall) failConstant(constant string) {
	kind := c.named.types.Resolve(c.prop.Type).Kind
	value, quoted := constant, strings.Contains(c.attr.Contents(), `"`)
	if kind == spec.String {
		value = strconv.Quote(constant)
	}
	written := c.Files.TextAt(c.Files.RangeOf(c.item.Expr))
	shown := cmp.Or(written, kind.String())
	d := c.fail("@default requires an expression", fmt.Sprintf("A constant is an alternative of the type, with a star: `*%s | %s`.", value, shown))
	if written == "" || hasStar(c.item.Expr) != nil || kind == spec.String && !quoted || types.Fits(literalOf(constant, kind), c.prop.Type, c.named.types) != nil {
		return
	}
	d.Suggest(c.markedEdits("*"+value+" | "+written, written)...)
	if f := c.item.Field; f != nil && f.Constraint == token.OPTION {
		label := c.Files.LabelRange(f.Label)
		label.Start = label.End
		label.End.Column++
		d.Suggest(diag.Edit{At: label, Old: "?"})
	}
}

// literalOf returns the value of a literal of a kind, or its text.
func literalOf(text string, kind spec.Kind) any {
	switch {
	case kind == spec.Bool && (text == "true" || text == "false"):
		return text == "true"
	case kind == spec.Int || kind == spec.Number:
		return json.Number(text)
	default:
		return text
	}
}

// markedEdits returns the edits that replace a type and remove the attribute. In YAML, a text that begins with a star requires quotes.
func (c *attrCall) markedEdits(marked, written string) []diag.Edit {
	at, attribute, before := c.Files.RangeOf(c.item.Expr), c.at, c.Files.RangeOf(c.item.Expr)
	attribute.Start.Column--
	before.End = before.Start
	before.Start.Column--
	inPlace := []diag.Edit{{At: at, Old: written, Text: marked}, {At: attribute, Old: c.Files.TextAt(attribute)}}
	quote := ""
	if before.Start.Column > 0 {
		quote = c.Files.TextAt(before)
	}
	switch {
	case !c.Raw || quote == "'" || quote == `"` && !strings.Contains(marked, `"`):
		return inPlace
	case quote == `"`:
		return nil
	}
	whole := at
	whole.End = c.at.End
	for longer := whole; ; whole = longer {
		if longer.End.Column++; c.Files.TextAt(longer) == "" {
			break
		}
	}
	text, comment, _ := strings.Cut(c.Files.TextAt(whole), " #")
	if comment != "" || strings.ContainsAny(text, "{},") {
		return nil
	}
	text = strings.Replace(strings.Replace(text, c.Files.TextAt(attribute), "", 1), written, marked, 1)
	return []diag.Edit{{At: whole, Text: foreign.YAMLString(text)}}
}

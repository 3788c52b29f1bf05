package try

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/screen"
)

// showLimit is the number of characters of a string that are shown.
const showLimit = 200

// show formats a value on one line. It does not show secrets.
func show(v property.Value) string {
	switch {
	case v.Secret() && !isEmpty(v):
		return "[secret]"
	case v.IsComputed():
		return "[unknown]"
	case v.IsNull():
		return "null"
	case v.IsString():
		return showText(v.AsString())
	case v.IsArray():
		var items []string
		for _, item := range v.AsArray().All {
			items = append(items, show(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.IsMap():
		var members []string
		for name, member := range v.AsMap().AllStable {
			members = append(members, screen.Exact(name)+": "+show(member))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case v.IsAsset():
		a := v.AsAsset()
		return fmt.Sprintf("asset %s%s", screen.Exact(a.Path+a.URI), textOf(a.Text))
	case v.IsArchive():
		a := v.AsArchive()
		return "archive " + screen.Exact(a.Path+a.URI)
	case v.IsBool():
		return fmt.Sprint(v.AsBool())
	case v.IsNumber():
		text, err := json.Marshal(v.AsNumber())
		if err != nil {
			return fmt.Sprint(v.AsNumber())
		}
		return string(text)
	default:
		return "[unsupported value]"
	}
}

// isEmpty reports whether a value is null, or a list or struct with nothing in it: it is marked
// because what it could contain is secret.
func isEmpty(v property.Value) bool {
	return v.IsNull() || v.IsArray() && v.AsArray().Len() == 0 || v.IsMap() && v.AsMap().Len() == 0
}

func textOf(text string) string {
	if text == "" {
		return ""
	}
	return showText(text)
}

func showText(text string) string {
	rest := ""
	if runes := []rune(text); len(runes) > showLimit {
		text, rest = string(runes[:showLimit]), fmt.Sprintf(" … (%d characters)", len(runes))
	}
	return screen.Visible(fmt.Sprintf("%q%s", text, rest))
}

// printer writes the output of a trial.
type printer struct {
	w     io.Writer
	color bool
}

// The attributes of a terminal's text (ECMA-48).
const (
	bold = "1"
	dim  = "2"
	red  = "1;31"
)

func (p printer) paint(attribute, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + attribute + "m" + s + "\x1b[0m"
}

// heading prints the heading of one call.
func (p printer) heading(verb, rest string) {
	if rest != "" {
		verb, rest = fmt.Sprintf("%-7s", verb), " "+rest
	}
	fmt.Fprintln(p.w, p.paint(bold, verb)+rest)
}

// values prints properties, one on each line, with their notes.
func (p printer) values(m property.Map, note func(name string) string) {
	wide := 0
	for name := range m.All {
		wide = max(wide, len(screen.Exact(name)))
	}
	for name, v := range m.AllStable {
		line := fmt.Sprintf("        %-*s  %s", wide, screen.Exact(name), show(v))
		if n := note(name); n != "" {
			line += "  " + p.paint(dim, n)
		}
		fmt.Fprintln(p.w, line)
	}
}

func (p printer) failure(format string, args ...any) {
	text := screen.Show(fmt.Sprintf(format, args...), nil).String()
	fmt.Fprintf(p.w, "        %s\n", p.paint(red, strings.ReplaceAll(text, "\n", "\n        ")))
}

func mapValue(m property.Map) property.Value { return property.New(m) }

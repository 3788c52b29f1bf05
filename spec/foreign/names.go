package foreign

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec/diag"
)

// Name is the translation of a name: the language's own, or "" if there is none, and the remedy, which may name others, too. A key that
// is one of another block here has the name Inner within the key Within. Flag is the remedy if it is a boolean elsewhere.
type Name struct{ Own, Remedy, Within, Inner, Flag string }

// namesText has the names of other tools by the block in which they occur (see block.Block.What): those for
// each name of the language, the remedies for names that stand for none, those for names that are booleans elsewhere, and
// names of keys elsewhere.
//
//go:embed names.json
var namesText []byte

// names are the names of namesText, without style (see PlainName).
var names = sync.OnceValue(func() map[string]map[string]Name {
	var blocks map[string]struct{ Names, Remedies, Flags, Elsewhere map[string]string }
	if err := json.Unmarshal(namesText, &blocks); err != nil {
		panic(err) // a test reads them all
	}
	out := map[string]map[string]Name{}
	for block, of := range blocks {
		out[block] = map[string]Name{}
		for own, foreign := range of.Names {
			for _, name := range strings.Fields(foreign) {
				out[block][name] = Name{Own: own, Flag: of.Flags[name]}
			}
		}
		for name, remedy := range of.Remedies {
			within, inner, _ := strings.Cut(of.Elsewhere[name], ".")
			out[block][name] = Name{Own: out[block][name].Own, Remedy: remedy, Within: within, Inner: inner}
		}
	}
	return out
})

// Attribute translates the name of an attribute.
func Attribute(name string) (Name, bool) {
	n, ok := names()["an attribute"][strings.ToLower(strings.ReplaceAll(name, "_", ""))]
	if ok && n.Remedy == "" {
		n.Remedy = fmt.Sprintf("Write @%s.", n.Own)
	}
	return n, ok
}

// IsComputed reports whether an attribute says elsewhere that the server sets a property, as it sets all outputs.
func IsComputed(attribute string) bool {
	switch PlainName(attribute) {
	case "computed", "readonly", "output", "out", "generated":
		return true
	default:
		return false
	}
}

// Suggest adds the remedy to a diagnostic, and the edit that writes the name.
func (n Name) Suggest(d *diag.Diagnostic, given string) {
	d.Detail = strings.TrimSpace(d.Detail + " " + n.Remedy)
	if n.Own != "" {
		d.Replace(given, n.Own)
	}
}

// Method returns the HTTP method that a name stands for.
func Method(name string) (string, bool) {
	switch upper := strings.ToUpper(name); upper {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD":
		return upper, true
	default:
		return "", false
	}
}

// Argument translates an argument with its value, or returns "". The value is in the notation of CUE and YAML; "" means that it stays.
func Argument(block, name, value string) (own, ownValue string) {
	if block == "exec" && PlainName(name) == "changedwhen" && (value == "false" || value == "no") {
		return "effect", `"none"`
	}
	if block == "http" && isText(block, name, value) {
		return "text", ""
	}
	return "", ""
}

// isText reports whether the body of a request is a text: not one template, which may give any value.
func isText(block, name, value string) bool {
	n, _ := Key(block, name)
	return n.Own == "json" && value != "" && !(strings.HasPrefix(value, "${") && strings.HasSuffix(value, "}") && strings.Count(value, "${") == 1)
}

// PlainName returns a name without its style.
func PlainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// IsRename reports whether the name stands for another one with the same value.
func (n Name) IsRename() bool {
	return n.Own != "" && n.Within == "" && n.Inner == "" && n.Remedy == fmt.Sprintf("Write `%s`.", n.Own)
}

// ResultMember translates a member of the response to a request, or returns "".
func ResultMember(name string) string {
	switch PlainName(name) {
	case "statuscode", "httpstatus", "code", "httpcode":
		return "status"
	case "data", "json", "content", "payload", "text":
		return "body"
	case "header":
		return "headers"
	default:
		return ""
	}
}

// Key translates a key of a block, which the noun for the block identifies: "a step", "http".
func Key(block, name string) (Name, bool) {
	plain := PlainName(name)
	n, ok := names()[block][plain]
	if !ok && strings.HasPrefix(block, "file.") {
		n, ok = names()["file.write"][plain]
	}
	if ok && n.Remedy == "" {
		n.Remedy = fmt.Sprintf("Write `%s`.", n.Own)
	}
	return n, ok
}

// IsHasKey reports whether a method says elsewhere whether a map has a key.
func IsHasKey(name string) bool {
	switch PlainName(name) {
	case "has", "haskey", "hasown", "hasownproperty", "containskey", "contains", "includes", "include", "exists":
		return true
	default:
		return false
	}
}

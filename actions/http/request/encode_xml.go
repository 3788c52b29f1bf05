package request

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/decode"
)

// XML as objects: a member is an element, a list several of its name, "@name"
// an attribute, "#text" the text beside attributes, "#children" a list of
// objects with one member each, where order matters.

// xmlSpace is the namespace of xml:lang, which needs no declaration.
const xmlSpace = "http://www.w3.org/XML/1998/namespace"

var xmlName = sync.OnceValue(func() *regexp.Regexp {
	// Compiled on first use: its classes of letters take 0.3 ms of a start that may write no XML.
	return regexp.MustCompile(`^[\pL_][\pL\pN._-]*(:[\pL_][\pL\pN._-]*)?$`)
})

// EncodeXML writes an object as a document.
func EncodeXML(v any) ([]byte, error) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return nil, errors.New("XML has one root: give an object with one member")
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	for name, root := range m {
		if _, isList := root.([]any); isList {
			return nil, errors.New("XML has one root, and this is a list of them")
		}
		if err := writeElement(&b, name, root, 0, ""); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// writeElement writes an element in a namespace that holds without a prefix: a name
// "{uri}local" changes it, for the element and what is below it.
func writeElement(b *bytes.Buffer, whole string, v any, depth int, space string) error {
	if depth > decode.MaxDepth {
		return decode.DepthError{}
	}
	name, own, err := nameIn(whole)
	if err != nil {
		return err
	}
	if !xmlName().MatchString(name) {
		return fmt.Errorf("%q is not a valid name of an element", actions.Clip(name, 80))
	}
	list, isList := v.([]any)
	if isList {
		for _, item := range list {
			if err := writeElement(b, whole, item, depth+1, space); err != nil {
				return err
			}
		}
		return nil
	}
	m, isMap := v.(map[string]any)
	if !isMap {
		m = map[string]any{"#text": v}
	}
	b.WriteString("<" + name)
	if space, err = writeSpace(b, m, name, own, space); err != nil {
		return err
	}
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if attr, ok := strings.CutPrefix(key, "@"); ok && m[key] != nil {
			if err := writeAttribute(b, attr, m[key], i); err != nil {
				return err
			}
		}
	}
	b.WriteString(">")
	if err := writeContent(b, m, depth, space); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.WriteString("</" + name + ">")
	return nil
}

// writeSpace writes the namespace of an element's own, which its name or @xmlns gives, and
// returns the one that holds below it.
func writeSpace(b *bytes.Buffer, m map[string]any, name, own, space string) (string, error) {
	written, given := m["@xmlns"].(string)
	switch {
	case given && own != "":
		return "", fmt.Errorf("%s: a namespace in the name, and @xmlns beside it: give one", name)
	case given:
		return written, nil
	case own != "" && own != space:
		return own, writeAttribute(b, "xmlns", own, 0)
	default:
		return space, nil
	}
}

// nameIn splits "{uri}local".
func nameIn(whole string) (local, space string, err error) {
	if !strings.HasPrefix(whole, "{") {
		return whole, "", nil
	}
	space, local, ok := strings.Cut(whole[1:], "}")
	if !ok || space == "" || strings.Contains(local, ":") {
		return "", "", fmt.Errorf("%q is not a valid name of an element: write {namespace}name, or a prefix that @xmlns:… declares", actions.Clip(whole, 80))
	}
	return local, space, nil
}

// writeAttribute writes an attribute, which is in no namespace without a prefix: number
// makes one that no other of its element has.
func writeAttribute(b *bytes.Buffer, whole string, v any, number int) error {
	name, space, err := nameIn(whole)
	if err != nil {
		return err
	}
	if space == xmlSpace {
		name = "xml:" + name
	} else if space != "" {
		prefix := "n" + strconv.Itoa(number)
		if err := writeAttribute(b, "xmlns:"+prefix, space, number); err != nil {
			return err
		}
		name = prefix + ":" + name
	}
	if !xmlName().MatchString(name) {
		return fmt.Errorf("%q is not a valid name of an attribute", actions.Clip(name, 80))
	}
	s, err := xmlText(v)
	if err != nil {
		return fmt.Errorf("@%s: %w", name, err)
	}
	b.WriteString(" " + name + `="` + s + `"`)
	return nil
}

func writeContent(b *bytes.Buffer, m map[string]any, depth int, space string) error {
	if v := m["#text"]; v != nil {
		s, err := xmlText(v)
		if err != nil {
			return err
		}
		b.WriteString(s)
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key[:min(1, len(key))] == "@" || key == "#text" || key == "#children" || m[key] == nil {
			continue
		}
		if err := writeElement(b, key, m[key], depth+1, space); err != nil {
			return err
		}
	}
	return writeChildren(b, m["#children"], depth, space)
}

// writeChildren writes the elements whose order matters.
func writeChildren(b *bytes.Buffer, v any, depth int, space string) error {
	children, ok := v.([]any)
	if !ok && v != nil {
		return errors.New("#children is a list of objects")
	}
	for _, child := range children {
		one, ok := child.(map[string]any)
		if !ok || len(one) != 1 {
			return errors.New("each of #children is an object with one member")
		}
		for key, v := range one {
			if err := writeElement(b, key, v, depth+1, space); err != nil {
				return err
			}
		}
	}
	return nil
}

// xmlText is a scalar, escaped. What XML 1.0 has no form for is refused.
func xmlText(v any) (string, error) {
	s, err := actions.TextOf(v)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(s) {
		return "", errors.New("a text is no valid UTF-8; write base64encode(…)")
	}
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return "", fmt.Errorf("a text holds the character U+%04X, which XML cannot carry; write base64encode(…)", r)
		}
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "", err
	}
	return b.String(), nil
}

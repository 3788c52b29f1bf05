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

// XML as objects: a member is an element, a list is several elements of the same name,
// "@name" is an attribute, "#text" is the text of an element with attributes, and "#children"
// is a list of objects with one member each, for elements whose order matters.

// xmlSpace is the namespace of xml:lang. Its prefix xml is predefined.
const xmlSpace = "http://www.w3.org/XML/1998/namespace"

var xmlName = sync.OnceValue(func() *regexp.Regexp {
	// Compiled on first use: it takes 0.3 ms, and most providers never write XML.
	return regexp.MustCompile(`^[\pL_][\pL\pN._-]*(:[\pL_][\pL\pN._-]*)?$`)
})

// EncodeXML encodes an object with one member as an XML document.
func EncodeXML(v any) ([]byte, error) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return nil, errors.New("expected an object with one member, the root element")
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	for name, root := range m {
		if _, isList := root.([]any); isList {
			return nil, errors.New("expected one root element, got a list")
		}
		if err := writeElement(&b, name, root, 0, ""); err != nil {
			return nil, err
		}
		if err := checkPrefixes(name, root, nil); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// writeElements writes a value as elements of a name: one for each item of a list, none for null.
func writeElements(b *bytes.Buffer, qualified string, v any, depth int, space string) error {
	if v == nil {
		return nil
	}
	list, isList := v.([]any)
	if !isList {
		return writeElement(b, qualified, v, depth, space)
	}
	if depth > decode.MaxDepth {
		return decode.DepthError{}
	}
	for _, item := range list {
		if err := writeElements(b, qualified, item, depth+1, space); err != nil {
			return err
		}
	}
	return nil
}

// writeElement writes an element. space is the default namespace at this place. A qualified
// name "{uri}local" changes the default namespace for the element and its content.
func writeElement(b *bytes.Buffer, qualified string, v any, depth int, space string) error {
	if depth > decode.MaxDepth {
		return decode.DepthError{}
	}
	name, own, err := splitName(qualified)
	if err != nil {
		return err
	}
	if !xmlName().MatchString(name) {
		return fmt.Errorf("%q is not a valid element name", actions.Clip(name, 80))
	}
	m, isMap := v.(map[string]any)
	if !isMap {
		m = map[string]any{"#text": v}
	}
	b.WriteString("<" + name)
	if space, err = writeNamespace(b, m, name, own, space); err != nil {
		return err
	}
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if attr, ok := strings.CutPrefix(key, "@"); ok && m[key] != nil {
			if err := writeAttribute(b, attr, m[key], i); err != nil { // i makes the namespace prefix unique
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

// checkPrefixes returns an error if an element or attribute has a prefix that no @xmlns:PREFIX around it
// declares: it would be in no namespace, and for parsers the document is broken. The depth was checked before.
func checkPrefixes(name string, v any, declared []string) error {
	if list, isList := v.([]any); isList {
		for _, item := range list {
			if err := checkPrefixes(name, item, declared); err != nil {
				return err
			}
		}
		return nil
	}
	if v == nil {
		return nil
	}
	m, _ := v.(map[string]any)
	declared = slices.Clip(declared)
	for key, uri := range m {
		if prefix, ok := strings.CutPrefix(key, "@xmlns:"); ok && uri != nil {
			declared = append(declared, prefix)
		}
	}
	if err := checkPrefix(name, declared); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		attribute, isAttribute := strings.CutPrefix(key, "@")
		var err error
		switch {
		case m[key] == nil || key == "#text":
		case isAttribute:
			err = checkPrefix(attribute, declared)
		case key == "#children":
			err = checkChildren(m[key], declared)
		default:
			err = checkPrefixes(key, m[key], declared)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkChildren checks the prefixes in "#children".
func checkChildren(v any, declared []string) error {
	list, _ := v.([]any)
	for _, child := range list {
		one, _ := child.(map[string]any)
		for name, v := range one {
			if err := checkPrefixes(name, v, declared); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPrefix checks the prefix of a name, if it has one.
func checkPrefix(name string, declared []string) error {
	prefix, _, ok := strings.Cut(name, ":")
	if !ok || strings.HasPrefix(name, "{") || prefix == "xml" || prefix == "xmlns" || slices.Contains(declared, prefix) {
		return nil
	}
	return fmt.Errorf("no @xmlns:%s declares the prefix of %q: add it to this element or to one around it, or write the namespace before the name: \"{URI}name\"", actions.Clip(prefix, 80), actions.Clip(name, 80))
}

// writeNamespace declares the namespace of an element, which is given by its name (own) or by
// @xmlns, and returns the default namespace of its content.
func writeNamespace(b *bytes.Buffer, m map[string]any, name, own, space string) (string, error) {
	written, given := m["@xmlns"].(string)
	switch {
	case given && own != "":
		return "", fmt.Errorf("%s: the namespace is given by the name and by @xmlns; remove one of them", name)
	case given:
		return written, nil
	case own != "" && own != space:
		return own, writeAttribute(b, "xmlns", own, 0)
	default:
		return space, nil
	}
}

// splitName splits a name "{uri}local".
func splitName(qualified string) (local, space string, err error) {
	if !strings.HasPrefix(qualified, "{") {
		return qualified, "", nil
	}
	space, local, ok := strings.Cut(qualified[1:], "}")
	if !ok || space == "" || strings.Contains(local, ":") {
		return "", "", fmt.Errorf("%q is not a valid element name: use {namespace}name, or a prefix that @xmlns:… declares", actions.Clip(qualified, 80))
	}
	return local, space, nil
}

// writeAttribute writes an attribute. Default namespaces do not apply to attributes, so a
// qualified name needs a prefix, which contains the number to be unique in the element.
func writeAttribute(b *bytes.Buffer, qualified string, v any, number int) error {
	name, space, err := splitName(qualified)
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
		return fmt.Errorf("%q is not a valid attribute name", actions.Clip(name, 80))
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
		if err := writeElements(b, key, m[key], depth+1, space); err != nil {
			return err
		}
	}
	return writeChildren(b, m["#children"], depth, space)
}

// writeChildren writes the elements of "#children" in their order.
func writeChildren(b *bytes.Buffer, v any, depth int, space string) error {
	children, ok := v.([]any)
	if !ok && v != nil {
		return errors.New("#children: expected a list of objects")
	}
	for _, child := range children {
		one, ok := child.(map[string]any)
		if !ok || len(one) != 1 {
			return errors.New("#children: expected objects with one member each")
		}
		for key, v := range one {
			if err := writeElements(b, key, v, depth+1, space); err != nil {
				return err
			}
		}
	}
	return nil
}

// xmlText returns an escaped scalar. Characters that XML 1.0 cannot represent are an error.
func xmlText(v any) (string, error) {
	s, err := actions.TextOf(v)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(s) {
		return "", errors.New("the value contains a string that is not valid UTF-8; use base64encode(…)")
	}
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return "", fmt.Errorf("the value contains the character U+%04X, which is not valid in XML; use base64encode(…)", r)
		}
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "", err
	}
	return b.String(), nil
}

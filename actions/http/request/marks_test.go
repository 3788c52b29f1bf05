package request

import (
	"strings"
	"testing"
)

// TestXMLPrefixes: each prefix must be declared, by the element itself or around it.
func TestXMLPrefixes(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		value object
		ok    bool
	}{
		"none":                          {object{"a": object{"b": "x", "@c": 1}}, true},
		"an element":                    {object{"a": object{"p:b": "x"}}, false},
		"the root":                      {object{"p:a": "x"}, false},
		"an attribute":                  {object{"a": object{"@p:b": "x"}}, false},
		"an element of a list":          {object{"a": object{"p:b": []any{"x", "y"}}}, false},
		"a child":                       {object{"a": object{"#children": []any{object{"p:b": "x"}}}}, false},
		"below a child":                 {object{"a": object{"#children": []any{object{"b": object{"p:c": "x"}}}}}, false},
		"declared at the root":          {object{"a": object{"@xmlns:p": "urn:p", "b": object{"p:c": "x", "@p:d": 1}}}, true},
		"declared by itself":            {object{"p:a": object{"@xmlns:p": "urn:p", "#text": "x"}}, true},
		"declared for children":         {object{"a": object{"@xmlns:p": "urn:p", "#children": []any{object{"p:b": "x"}}}}, true},
		"declared elsewhere":            {object{"a": object{"b": object{"@xmlns:p": "urn:p"}, "p:c": "x"}}, false},
		"another prefix declared":       {object{"a": object{"@xmlns:q": "urn:p", "p:c": "x"}}, false},
		"a declaration of null":         {object{"a": object{"@xmlns:p": nil, "p:c": "x"}}, false},
		"an undeclared element of null": {object{"a": object{"p:c": nil}}, true},
		"xml":                           {object{"a": object{"@xml:lang": "en"}}, true},
		"a namespace":                   {object{"{urn:p}a": object{"@{urn:q}b": "x", "{urn:p}c": "x"}}, true},
		"in a list in an object":        {object{"a": object{"b": []any{object{"c": "x"}, object{"p:c": "x"}}}}, false},
	} {
		_, err := EncodeXML(tc.value)
		if (err == nil) != tc.ok || err != nil && !strings.Contains(err.Error(), `no @xmlns:p declares the prefix of "p:`) {
			t.Errorf("%s: %v, want ok %v", name, err, tc.ok)
		}
	}
}

// TestControlCharactersInParts: none is sent in the header of a part.
func TestControlCharactersInParts(t *testing.T) {
	for c := range rune(0x120) {
		text := "a" + string(c) + "b"
		isControl := c < 0x20 || c >= 0x7f && c < 0xa0
		for _, member := range []string{"name", "filename", "contentType"} {
			part := map[string]any{"name": "n", "value": "x"}
			part[member] = text
			if _, _, err := partOf(part, assetEncoder{}); (err != nil) != isControl {
				t.Errorf("U+%04X in %s: %v", c, member, err)
			}
		}
	}
}

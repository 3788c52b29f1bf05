package statement

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Value is what a placeholder stands for.
type Value struct {
	kind  valueKind
	value any
	texts []string
}

type valueKind uint8

const (
	parameter valueKind = iota
	identifiers
	literal
	words
)

// Parameter returns a value that is sent separately from the statement.
func Parameter(v any) Value { return Value{value: v} }

// Identifiers returns names of objects, which the dialect quotes and separates by commas.
func Identifiers(names ...string) Value { return Value{kind: identifiers, texts: names} }

// Literal returns a text that stands in the statement as a quoted string.
func Literal(text string) Value { return Value{kind: literal, texts: []string{text}} }

// Number returns a number that stands in the statement.
func Number(n json.Number) Value { return Value{kind: words, texts: []string{n.String()}} }

// Bool returns a boolean that stands in the statement.
func Bool(b bool) Value { return Value{kind: words, texts: []string{strconv.FormatBool(b)}} }

// Null returns the null that stands in the statement.
func Null() Value { return Value{kind: words, texts: []string{"null"}} }

// Words returns words of the author, separated by commas.
func Words(texts ...string) Value { return Value{kind: words, texts: texts} }

// Fill returns the text of the statement with the dialect's own placeholders, and the
// parameters for them.
func (s *Statement) Fill(values map[string]Value) (text string, parameters []any, err error) {
	var b strings.Builder
	numbers := map[string]int{}
	for _, p := range s.parts {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		v, known := values[p.name]
		if !known {
			return "", nil, fmt.Errorf("the placeholder {%s} has no value", p.name)
		}
		if v.kind != parameter {
			filled, err := s.Dialect.fill(v)
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", p.name, err)
			}
			b.WriteString(filled)
			continue
		}
		if numbers[p.name] == 0 || s.Dialect != PostgreSQL {
			parameters = append(parameters, v.value)
			numbers[p.name] = len(parameters)
		}
		b.WriteString(s.Dialect.parameter(numbers[p.name]))
	}
	return b.String(), parameters, nil
}

// fill returns the text of a value that stands in the statement.
func (d Dialect) fill(v Value) (string, error) {
	switch v.kind {
	case literal:
		return d.Literal(v.texts[0])
	case words:
		return strings.Join(v.texts, ", "), nil
	}
	if len(v.texts) == 0 {
		return "", fmt.Errorf("the list of identifiers is empty")
	}
	quoted := make([]string, len(v.texts))
	for i, name := range v.texts {
		var err error
		if quoted[i], err = d.Identifier(name); err != nil {
			return "", err
		}
	}
	return strings.Join(quoted, ", "), nil
}

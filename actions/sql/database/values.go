package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sql/statement"
	"github.com/declprov/declprov/spec/encode"
)

// placeholders are the arguments that say what placeholders stand for.
type placeholders struct {
	Params   map[string]any `arg:"params"`
	Ident    map[string]any `arg:"ident"`
	Literals map[string]any `arg:"literals"`
	Words    map[string]any `arg:"words"`
	Hashed   map[string]any `arg:"hashed"`
}

// values returns what the placeholders of a statement stand for. A parameter that is not
// given is NULL: vet checks that each placeholder is declared.
func (p *placeholders) values(s *statement.Statement, b backend) (map[string]statement.Value, error) {
	out := map[string]statement.Value{}
	for _, name := range s.Names() {
		v, err := p.value(name, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

// value returns what one placeholder stands for.
func (p *placeholders) value(name string, b backend) (statement.Value, error) {
	if v, given := p.Ident[name]; given {
		names, err := texts(v)
		return statement.Identifiers(names...), err
	}
	if v, given := p.Literals[name]; given {
		return literal(v)
	}
	if v, given := p.Words[name]; given {
		allowed, err := chosen(v)
		return statement.Words(allowed...), err
	}
	if v, given := p.Hashed[name]; given {
		return hashed(v, b)
	}
	v, err := b.parameter(p.Params[name])
	return statement.Parameter(v), err
}

// literal returns a scalar that stands in a statement.
func literal(v any) (statement.Value, error) {
	switch v := v.(type) {
	case nil:
		return statement.Null(), nil
	case bool:
		return statement.Bool(v), nil
	case string:
		return statement.Literal(v), nil
	case int64, float64, json.Number:
		text, err := actions.TextOf(v)
		if err == nil && !json.Valid([]byte(text)) {
			err = fmt.Errorf("invalid number %q", text)
		}
		return statement.Number(json.Number(text)), err
	default:
		return statement.Value{}, fmt.Errorf("expected a string, number, boolean or null, got %s", actions.KindOf(v))
	}
}

// hashed returns what the server stores of a password.
func hashed(v any, b backend) (statement.Value, error) {
	if v == nil {
		return statement.Null(), nil
	}
	password, err := actions.TextOf(v)
	if err != nil {
		return statement.Value{}, err
	}
	hash, err := b.hash(password)
	return statement.Literal(hash), err
}

// texts returns a text, or a list of texts.
func texts(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("expected a string or a list of strings, got %s", actions.KindOf(item))
		}
		out[i] = text
	}
	return out, nil
}

// chosen returns the words that a value of `words` selects of those that the spec lists.
func chosen(v any) ([]string, error) {
	member, _ := v.(map[string]any)
	of, err := texts(member["of"])
	if err != nil {
		return nil, fmt.Errorf("of: %w", err)
	}
	is, err := texts(member["is"])
	if err != nil {
		return nil, fmt.Errorf("is: %w", err)
	}
	if len(is) == 0 {
		return nil, errors.New("is: the list of words is empty")
	}
	for _, word := range is {
		if !slices.Contains(of, word) {
			return nil, fmt.Errorf("is: %q is not one of the allowed words, %q", word, of)
		}
	}
	return is, nil
}

// jsonText returns a list or an object as JSON.
func jsonText(v any) (string, error) {
	data, err := encode.JSON(v)
	if err != nil {
		return "", errors.New("the value cannot be written as JSON")
	}
	return string(data), nil
}

// plainParameter returns a value as a parameter for a driver that takes numbers and strings.
func plainParameter(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case []any, map[string]any:
		return jsonText(v)
	default:
		return nil, fmt.Errorf("expected a string, number, boolean, list or object, got %s", actions.KindOf(v))
	}
}

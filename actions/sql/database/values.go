package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sql/statement"
)

// placeholders are the arguments that say what placeholders stand for.
type placeholders struct {
	Params map[string]any `arg:"params"`
	Ident  map[string]any `arg:"ident"`
	Quote  map[string]any `arg:"quote"`
	Words  map[string]any `arg:"words"`
	Hashed map[string]any `arg:"hashed"`
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

func (p *placeholders) value(name string, b backend) (statement.Value, error) {
	switch {
	case p.Ident[name] != nil:
		names, err := texts(p.Ident[name])
		return statement.Identifiers(names...), err
	case p.Quote[name] != nil:
		text, err := actions.TextOf(p.Quote[name])
		return statement.Literal(text), err
	case p.Words[name] != nil:
		allowed, err := chosen(p.Words[name])
		return statement.Words(allowed...), err
	case p.Hashed[name] != nil:
		password, err := actions.TextOf(p.Hashed[name])
		if err != nil {
			return statement.Value{}, err
		}
		hash, err := b.hash(password)
		return statement.Literal(hash), err
	}
	for _, other := range []map[string]any{p.Ident, p.Quote, p.Words, p.Hashed} {
		if _, given := other[name]; given {
			return statement.Value{}, errors.New("expected a value, got null")
		}
	}
	v, err := b.parameter(p.Params[name])
	return statement.Parameter(v), err
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
	data, err := json.Marshal(v)
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

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// Settings come as text: hosts pass those of default providers so, and so does the
// environment. They enter here, by their declared types.

// errOtherType reports a text that is none of the type; the checker says what is wrong
// with it.
var errOtherType = errors.New("the text is of another type")

// fromText reads a setting that is written as text. The error is errOtherType where
// the text is not of the type, else it says why it is not read at all. No number
// changes on its way: one that no 64-bit float holds is not of a number's type. JSON may
// have so many values.
func fromText(text string, t *spec.Type, most int) (property.Value, error) {
	switch t.Kind {
	case spec.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return property.Value{}, errOtherType
		}
		return property.New(b), nil
	case spec.Int, spec.Number:
		f, ok := decode.Float(text)
		if !ok {
			return property.Value{}, errOtherType
		}
		return property.New(f), nil
	case spec.List, spec.Map, spec.Object:
		return fromJSON(text, most)
	case spec.Union, spec.Any:
		if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			return fromJSON(text, most)
		}
	}
	return property.New(text), nil
}

// fromJSON reads a setting that is written as JSON, of at most so many values.
func fromJSON(text string, most int) (property.Value, error) {
	v, err := decode.JSON([]byte(text), decode.NewBudget(most))
	var many *decode.TooManyError
	var deep decode.DepthError
	switch {
	case errors.As(err, &many):
		return property.Value{}, fmt.Errorf("cannot be read: %w; `maxValues` at the top of the spec raises that", err)
	case errors.As(err, &deep):
		return property.Value{}, fmt.Errorf("cannot be read: %w", err)
	case err != nil:
		return property.Value{}, errOtherType
	default:
		return fromDecoded(v), nil
	}
}

// fromDecoded makes a value of a decoded one. A number that no 64-bit float holds stays
// the text that it is: it has its digits where text is declared, and is refused where
// a number is.
func fromDecoded(v any) property.Value {
	switch v := v.(type) {
	case int64:
		if sameNumber(v, float64(v)) {
			return property.New(float64(v))
		}
		return property.New(strconv.FormatInt(v, 10))
	case float64:
		return property.New(v)
	case json.Number:
		if f, ok := decode.Float(string(v)); ok {
			return property.New(f)
		}
		return property.New(string(v))
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = fromDecoded(item)
		}
		return property.New(items)
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for name, member := range v {
			members[name] = fromDecoded(member)
		}
		return property.New(members)
	default:
		return fromLiteral(v)
	}
}

// sameNumber reports whether an integer and a float are one number.
func sameNumber(i int64, f float64) bool {
	return math.Abs(f) < 1<<63 && f == math.Trunc(f) && int64(f) == i
}

// settings are a configuration on its way in.
type settings struct {
	values property.Map
	// most is how many values one of them may have.
	most int
	// unread are the settings whose texts were not read.
	unread []Failure
}

// read puts the value of a setting that came as text into the configuration. What is
// not read stays text.
func (s *settings) read(m *member, text string, secret bool) {
	v, err := fromText(text, m.check.t, s.most)
	if err != nil {
		v = property.New(text)
		if !errors.Is(err, errOtherType) {
			s.unread = append(s.unread, Failure{Path: m.Name, Reason: err.Error()})
		}
	}
	s.values = s.values.Set(m.Name, v.WithSecret(secret))
}

// failures are all that is wrong with the configuration, of which the checker has found
// some: it says of what was not read only that it is text.
func (s *settings) failures(found []Failure) []Failure {
	all := s.unread
	for _, f := range found {
		unread := false
		for _, u := range s.unread {
			unread = unread || u.Path == f.Path
		}
		if !unread {
			all = append(all, f)
		}
	}
	return all
}

// decodeConfig decodes settings that came as text, because hosts pass default
// providers' configuration as text.
func (p *Program) decodeConfig(news property.Map) settings {
	s := settings{values: news, most: p.MaxValues()}
	for name, value := range news.AllStable {
		if m := p.config.byName[name]; m != nil && value.IsString() {
			s.read(m, value.AsString(), value.Secret())
		}
	}
	return s
}

// withEnv adds what the environment gives for settings that are not given. An
// empty variable is unset; one that is set beats the default.
func (p *Program) withEnv(s settings, getenv func(string) string) settings {
	for _, m := range p.config.fields {
		if v, given := s.values.GetOk(m.Name); given && !v.IsNull() {
			continue
		}
		for _, name := range m.Env {
			if text := getenv(name); text != "" {
				s.read(m, text, m.Secret)
				break
			}
		}
	}
	return s
}

package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Reversible is a template that can be parsed back from its text: literals and
// settings, and between them variables, which are scalar inputs or, in an import, the
// id. The zero value means that a template is not reversible.
type Reversible struct {
	Text   string // as the author wrote it
	Pieces []expr.Segment
}

// IsSet reports whether the template is reversible.
func (p Reversible) IsSet() bool { return p.Pieces != nil }

// inputs returns the names of the inputs among the variables.
func (p Reversible) inputs() []string {
	var names []string
	for _, s := range p.Pieces {
		if IsInput(s) && !slices.Contains(names, s.Ref[1]) {
			names = append(names, s.Ref[1])
		}
	}
	return names
}

// HasID reports whether the id is among the variables.
func (p Reversible) HasID() bool { return slices.ContainsFunc(p.Pieces, IsID) }

// IsID reports whether a segment is the id.
func IsID(s expr.Segment) bool { return !s.Literal && len(s.Ref) == 1 && s.Ref[0] == "id" }

// IsInput reports whether a segment is an input.
func IsInput(s expr.Segment) bool { return !s.Literal && len(s.Ref) == 2 && s.Ref[0] == "inputs" }

// IsSetting reports whether a segment is a setting of the configuration.
func IsSetting(s expr.Segment) bool {
	return !s.Literal && len(s.Ref) > 1 && s.Ref[0] == "config"
}

// variable returns the name of an input, or "" for the id.
func variable(s expr.Segment) string {
	if IsInput(s) {
		return s.Ref[1]
	}
	return ""
}

// WithSettings returns the pieces with settings as literals, and adjacent literals
// joined.
func (p Reversible) WithSettings(config map[string]any) ([]expr.Segment, error) {
	var out []expr.Segment
	for _, s := range p.Pieces {
		if IsSetting(s) {
			text, err := settingText(config, s.Ref)
			if err != nil {
				return nil, err
			}
			s = expr.Segment{Text: text, Literal: true}
		}
		n := len(out)
		switch {
		case s.Literal && s.Text == "":
		case s.Literal && n > 0 && out[n-1].Literal:
			out[n-1].Text += s.Text
		case !s.Literal && n > 0 && !out[n-1].Literal:
			return nil, fmt.Errorf("in %q, the settings leave no text between two variables, so the end of the first is ambiguous", p.Text)
		default:
			out = append(out, s)
		}
	}
	return out, nil
}

func settingText(config map[string]any, path []string) (string, error) {
	var v any = config
	for _, name := range path[1:] {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return "", fmt.Errorf("%s has no value", strings.Join(path, "."))
	}
	return value.Text(v)
}

// Split parses a text, and returns the values of the variables. A variable extends to
// the next literal; the last one extends to the literal at the end. A variable that
// occurs twice must have the same value. ok is false if the text does not match.
func Split(pieces []expr.Segment, text string) (values map[string]string, ok bool) {
	values, rest := map[string]string{}, text
	for i, s := range pieces {
		if s.Literal {
			if rest, ok = strings.CutPrefix(rest, s.Text); !ok {
				return nil, false
			}
			continue
		}
		end := len(rest)
		switch {
		case i+1 == len(pieces):
		case i+2 == len(pieces):
			end = len(rest) - len(pieces[i+1].Text)
		default:
			end = strings.Index(rest, pieces[i+1].Text)
		}
		if end <= 0 {
			return nil, false
		}
		name := variable(s)
		if before, twice := values[name]; twice && before != rest[:end] {
			return nil, false
		}
		values[name], rest = rest[:end], rest[end:]
	}
	return values, rest == ""
}

// Read parses a text into inputs and, if the template contains it, the id.
func (p Reversible) Read(r *Resource, config map[string]any, text string) (inputs property.Map, id string, err error) {
	pieces, err := p.WithSettings(config)
	if err != nil {
		return inputs, "", err
	}
	values, ok := Split(pieces, text)
	for _, name := range p.inputs() {
		v, fits := scalarOf(values[name], r.Inputs.ByName[name].Check.Spec)
		ok = ok && fits
		inputs = inputs.Set(name, v)
	}
	if !ok {
		return property.Map{}, "", fmt.Errorf("%q is not a valid import ID of %s: expected the form %s", text, r.Spec.Name, form(pieces))
	}
	return inputs, values[""], nil
}

// Write returns the text by which users import an object with an id, which may be "" if it is not known, and inputs. ok is
// false if these do not determine it, or the template is not set.
func (p Reversible) Write(r *Resource, config map[string]any, id string, inputs property.Map) (text string, ok bool) {
	pieces, err := p.WithSettings(config)
	if err != nil || !p.IsSet() {
		return "", false
	}
	for _, s := range pieces {
		part := s.Text
		switch {
		case IsID(s):
			part = id
		case IsInput(s):
			v := inputs.Get(s.Ref[1])
			if v.HasComputed() || v.IsNull() {
				return "", false
			}
			if part, err = value.Text(r.Inputs.ByName[s.Ref[1]].Check.Plain(v, nil, &value.Secrets{})); err != nil {
				return "", false
			}
		}
		if part == "" {
			return "", false
		}
		text += part
	}
	return text, true
}

// form returns the form of an imported text for users, who do not know the spec: STORE/ID.
func form(pieces []expr.Segment) string {
	var b strings.Builder
	for _, s := range pieces {
		switch {
		case s.Literal:
			b.WriteString(s.Text)
		case variable(s) == "":
			b.WriteString("ID")
		default:
			b.WriteString(strings.ToUpper(variable(s)))
		}
	}
	return b.String()
}

// scalarOf returns a text as a value of a scalar type.
func scalarOf(text string, t *spec.Type) (property.Value, bool) {
	v, err := value.FromText(text, t, 1)
	if err != nil {
		return v, false
	}
	return v, t.Kind != spec.Int || v.AsNumber() == math.Trunc(v.AsNumber())
}

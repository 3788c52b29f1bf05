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

// Reversible is a template that can be read backwards: text, settings, and
// variables (scalar inputs, and in an import the id) with text between them. Its
// zero value is of a template that cannot.
type Reversible struct {
	Text   string // as its author wrote it
	Pieces []expr.Segment
}

func (p Reversible) Given() bool { return p.Pieces != nil }

// inputs are the names of the inputs that the text of such a template gives.
func (p Reversible) inputs() []string {
	var names []string
	for _, s := range p.Pieces {
		if IsInput(s) && !slices.Contains(names, s.Ref[1]) {
			names = append(names, s.Ref[1])
		}
	}
	return names
}

// HasID reports whether the text gives the id.
func (p Reversible) HasID() bool { return slices.ContainsFunc(p.Pieces, IsID) }

func IsID(s expr.Segment) bool    { return !s.Literal && len(s.Ref) == 1 && s.Ref[0] == "id" }
func IsInput(s expr.Segment) bool { return !s.Literal && len(s.Ref) == 2 && s.Ref[0] == "inputs" }
func IsSetting(s expr.Segment) bool {
	return !s.Literal && len(s.Ref) > 1 && s.Ref[0] == "config"
}

// variable names what a piece stands for: an input, or "" for the id.
func variable(s expr.Segment) string {
	if IsInput(s) {
		return s.Ref[1]
	}
	return ""
}

// Settled are the pieces with the settings as literals, and literals that are
// side by side as one.
func (p Reversible) Settled(config map[string]any) ([]expr.Segment, error) {
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
			return nil, fmt.Errorf("in %q, the settings leave nothing between two parts, so that nobody knows where the first ends", p.Text)
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

// Split reads a text backwards: what each variable stands for. A variable reaches
// to the next literal, and the last takes the rest up to the literal at the end.
// One that occurs twice must be the same at both places. ok is false where the
// text is not of the form.
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

// Read reads a text backwards into inputs and, where the template has one, an id.
func (p Reversible) Read(r *Resource, config map[string]any, text string) (inputs property.Map, id string, err error) {
	pieces, err := p.Settled(config)
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
		return property.Map{}, "", fmt.Errorf("%q is not an id that %s can be imported by: the form is %q", text, r.Spec.Name, p.Text)
	}
	return inputs, values[""], nil
}

// scalarOf is a text as a value of a scalar type.
func scalarOf(text string, t *spec.Type) (property.Value, bool) {
	v, err := value.FromText(text, t, 1)
	if err != nil {
		return v, false
	}
	return v, t.Kind != spec.Int || v.AsNumber() == math.Trunc(v.AsNumber())
}

package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Loop runs a step once, or once for each element of its `forEach`.
func (r *Run) Loop(ctx context.Context, s *plan.Step) (any, error) {
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	if s.ForEach == nil {
		return r.once(ctx, s)
	}
	collection, err := r.Evaluate(s.ForEach)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	switch collection.Plain.(type) {
	case expr.Unknown:
		return expr.Unknown{}, nil
	case nil:
		return overNull(r, s)
	}
	elements, listed, err := scope.Elements(collection.Marked)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	defer r.Secrets.Forget("each")
	defer delete(r.Vars.Values, "each")
	if !r.Undoing {
		r.matchEarlier(s, elements, listed)
	}
	list, byKey := make([]any, 0, len(elements)), map[string]any{}
	for _, el := range elements {
		value, err := r.element(ctx, s, el)
		// A response that does not have its declared type is kept: what it is about was made.
		if made := err == nil || verdict.IsUnfit(err); made && listed {
			list = append(list, value)
		} else if made {
			byKey[el.Text] = value
		}
		if err != nil {
			if !r.Undoing {
				r.setPartialAnswer(s, loopResult(listed, list, byKey))
			}
			return nil, err
		}
	}
	if r.Spare != nil && r.Looping == s && !r.Undoing {
		if err := r.Owner.Left(s, r.Spare); err != nil {
			return nil, r.Stop(s, 1, actions.Failed, err)
		}
	}
	return loopResult(listed, list, byKey), nil
}

// matchEarlier finds the elements for which an earlier run has results.
func (p *Progress) matchEarlier(s *plan.Step, elements []scope.Element, listed bool) {
	if p.Looping != s {
		return
	}
	keys, prints := make([]string, len(elements)), map[string]string{}
	for i, el := range elements {
		keys[i], prints[el.Text] = el.Text, fingerprint(el)
	}
	p.matchElements(keys, prints, listed)
}

// fingerprint returns a hash of an element. It is kept where results are, which hosts encrypt.
func fingerprint(el scope.Element) string {
	text, err := json.Marshal(expr.Reveal(el.Value, nil))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// overNull returns the result of a loop over null. To undo it is an error if the type does not say that it may be null: what
// was to be undone is then not known.
func overNull(r *Run, s *plan.Step) (any, error) {
	if r.Undoing && s.ForEachKind == spec.Any {
		return nil, r.Stop(s, 1, actions.Refused, errNullToUndo)
	}
	return noElements(s.ForEachKind), nil
}

// noElements returns the result of a loop over null.
func noElements(kind spec.Kind) any {
	switch kind {
	case spec.List:
		return []any{}
	case spec.Map:
		return map[string]any{}
	default:
		return nil
	}
}

// loopResult returns the result of a loop: a list for a list, a map for a map.
func loopResult(listed bool, list []any, byKey map[string]any) any {
	if listed {
		return list
	}
	return byKey
}

// element runs a step for one element, or returns the result that an earlier run has for it.
func (r *Run) element(ctx context.Context, s *plan.Step, el scope.Element) (any, error) {
	key := el.Text
	r.At = key
	if el.SecretKey {
		r.At = r.HiddenKey(key) // the journal records it
	}
	defer func() { r.At = "" }()
	if e, done := r.Elements[key]; done && r.Looping == s {
		r.takeTurn(s)
		return e.Result, nil
	}
	r.Entry = ""
	r.Set("each", map[string]any{"key": el.Key, "value": el.Value})
	value, err := r.once(ctx, s)
	if err != nil && !verdict.IsUnfit(err) || r.Undoing {
		return value, err
	}
	r.keepElement(s, recorded.Element{Key: key, Print: fingerprint(el), Result: value, Entry: r.Entry})
	return value, err
}

// HiddenKey returns a name for an element of a secret map that does not contain its key.
func (r *Run) HiddenKey(key string) string { return "secret-" + r.rt.hash(key)[:16] }

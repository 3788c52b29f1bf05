package http

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/decode"
)

// hidden is a text of the server's for people, without what is known to be
// secret. That goes before the text is cut to what is shown: no half of a secret
// is known as one.
func (x *exchange) hidden(text string) string {
	const most = 64 << 10 // far more than is shown
	if len(text) > most {
		text = text[:most]
	}
	if x.call.Mask != nil {
		text = x.call.Mask(text)
	}
	return clean(text)
}

// learn tells the engine of the secrets in an answer that is not used, by the
// names of their members, or as a login would find its token: what such an
// answer says is shown.
func (x *exchange) learn(a *answer) {
	if x.tokenOf != nil {
		x.learnToken(a.known())
	}
	objects := 0
	x.learnIn(a.body, &objects)
}

// mostObjects is in how many objects of an answer a login's token is looked for.
const mostObjects = 1000

func (x *exchange) learnIn(v any, objects *int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			x.learnIn(item, objects)
		}
	case map[string]any:
		if *objects++; x.tokenOf != nil && *objects <= mostObjects {
			x.learnToken(map[string]any{"body": v, "result": map[string]any{"body": v}})
		}
		for name, item := range v {
			if slices.ContainsFunc(x.call.Secrets, func(s string) bool { return decode.LocalName(s) == decode.LocalName(name) }) || slices.Contains(x.issues, name) {
				x.learnAll(item)
			} else {
				x.learnIn(item, objects)
			}
		}
	}
}

// learnToken tells the engine of what would be the token, were this the answer.
func (x *exchange) learnToken(known map[string]any) {
	if v, err := x.tokenOf(known); err == nil {
		x.learnAll(v)
	}
}

func (x *exchange) learnAll(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			x.learnAll(item)
		}
	case map[string]any:
		for _, item := range v {
			x.learnAll(item)
		}
	default:
		if text, err := actions.TextOf(v); err == nil {
			x.secret(text)
		}
	}
}

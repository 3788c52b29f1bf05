package http

import (
	"slices"

	"github.com/declprov/declprov/actions"
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
// names of their members: what such an answer says is shown.
func (x *exchange) learn(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			x.learn(item)
		}
	case map[string]any:
		for name, item := range v {
			if slices.Contains(x.call.Secrets, name) {
				x.learnAll(item)
			} else {
				x.learn(item)
			}
		}
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

package verdict

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/decode"
)

// hidden is a text of the server's for people, without what is known to be
// secret. That goes before the text is cut to what is shown: no half of a secret
// is known as one.
func (j *Judge) hidden(text string) string {
	const most = 64 << 10 // far more than is shown
	if len(text) > most {
		text = text[:most]
	}
	if j.call.Mask != nil {
		text = j.call.Mask(text)
	}
	return clean(text)
}

// learn tells the engine of the secrets in an answer that is not used, by the
// names of their members, or as a login would find its token: what such an
// answer says is shown.
func (j *Judge) learn(a *Answer) {
	if j.TokenOf != nil {
		j.learnToken(a.Known())
	}
	objects := 0
	j.learnIn(a.Body, &objects)
}

// mostObjects is in how many objects of an answer a login's token is looked for.
const mostObjects = 1000

func (j *Judge) learnIn(v any, objects *int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			j.learnIn(item, objects)
		}
	case map[string]any:
		if *objects++; j.TokenOf != nil && *objects <= mostObjects {
			j.learnToken(map[string]any{"body": v, "result": map[string]any{"body": v}})
		}
		for name, item := range v {
			if slices.ContainsFunc(j.call.Secrets, func(s string) bool { return decode.LocalName(s) == decode.LocalName(name) }) || slices.Contains(j.issues, name) {
				j.learnAll(item)
			} else {
				j.learnIn(item, objects)
			}
		}
	}
}

// learnToken tells the engine of what would be the token, were this the answer.
func (j *Judge) learnToken(known map[string]any) {
	if v, err := j.TokenOf(known); err == nil {
		j.learnAll(v)
	}
}

func (j *Judge) learnAll(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			j.learnAll(item)
		}
	case map[string]any:
		for _, item := range v {
			j.learnAll(item)
		}
	default:
		if text, err := actions.TextOf(v); err == nil {
			j.Secret(text)
		}
	}
}

// Secret tells the engine what must not show.
func (j *Judge) Secret(text string) {
	if j.call.Secret != nil && text != "" {
		j.call.Secret(text)
	}
}

package verdict

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/decode"
)

// maskText masks known secrets in a text from the server, and returns its beginning for
// messages. It masks before it cuts, since half of a secret would not be recognized.
func (j *Judge) maskText(text string) string {
	const most = 64 << 10 // far more than messages show
	text = actions.Clip(text, most)
	if j.call.Mask != nil {
		text = j.call.Mask(text)
	}
	return clean(text)
}

// learnSecrets registers the secrets in a response that messages may quote, such as an error
// response. It finds them by the names of their members, or as TokenOf would find the token
// in the response to a login.
func (j *Judge) learnSecrets(resp *Response) {
	l := learner{Judge: j, refused: resp.Status >= 400 && resp.Status < 500}
	if j.TokenOf != nil {
		l.learnToken(resp.Scope())
	}
	l.learnIn(resp.Body)
	for _, text := range l.found {
		j.AddSecret(text)
	}
}

// learner finds the secrets in a response.
type learner struct {
	*Judge
	// refused says that the response is a refusal, which may have a reason in place of a secret.
	refused bool
	found   []string
	// objects and reasons count what was examined.
	objects, reasons int
}

// mostObjects limits in how many objects of a response a token is searched.
const mostObjects = 1000

func (l *learner) learnIn(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			l.learnIn(item)
		}
	case map[string]any:
		if l.objects++; l.TokenOf != nil && l.objects <= mostObjects {
			l.learnToken(map[string]any{"body": v, "result": map[string]any{"body": v}})
		}
		for name, item := range v {
			switch {
			case slices.Contains(l.secretMembers, name):
				l.learn(item)
			case slices.ContainsFunc(l.call.Secrets, func(s string) bool { return decode.LocalName(s) == decode.LocalName(name) }):
				l.learnBut(item, func(text string) bool { return l.refused && l.isReason(name, text) })
			default:
				l.learnIn(item)
			}
		}
	}
}

// learnToken takes for secret what TokenOf finds in the scope.
func (l *learner) learnToken(known map[string]any) {
	if v, err := l.TokenOf(known); err == nil {
		l.learn(v)
	}
}

// learn takes the scalars in a value for secret.
func (l *learner) learn(v any) { l.learnBut(v, func(string) bool { return false }) }

// learnBut is learn without the scalars whose text is public.
func (l *learner) learnBut(v any, public func(text string) bool) {
	actions.EachScalar(v, func(scalar any) {
		if text, err := actions.TextOf(scalar); err == nil && !public(text) {
			l.found = append(l.found, text)
		}
	})
}

// AddSecret registers a text as secret.
func (j *Judge) AddSecret(text string) {
	if j.call.Secret != nil && text != "" {
		j.call.Secret(text)
	}
}

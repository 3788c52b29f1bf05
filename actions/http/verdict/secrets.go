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
	if len(text) > most {
		text = text[:most]
	}
	if j.call.Mask != nil {
		text = j.call.Mask(text)
	}
	return clean(text)
}

// learnSecrets registers the secrets in a response that messages may quote, such as an error
// response. It finds them by the names of their members, or as TokenOf would find the token
// in the response to a login.
func (j *Judge) learnSecrets(resp *Response) {
	if j.TokenOf != nil {
		j.learnToken(resp.Scope())
	}
	objects := 0
	j.learnSecretsIn(resp.Body, &objects)
}

// mostObjects limits in how many objects of a response a token is searched.
const mostObjects = 1000

func (j *Judge) learnSecretsIn(v any, objects *int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			j.learnSecretsIn(item, objects)
		}
	case map[string]any:
		if *objects++; j.TokenOf != nil && *objects <= mostObjects {
			j.learnToken(map[string]any{"body": v, "result": map[string]any{"body": v}})
		}
		for name, item := range v {
			if slices.ContainsFunc(j.call.Secrets, func(s string) bool { return decode.LocalName(s) == decode.LocalName(name) }) || slices.Contains(j.secretMembers, name) {
				j.addSecrets(item)
			} else {
				j.learnSecretsIn(item, objects)
			}
		}
	}
}

// learnToken registers what TokenOf finds in the scope.
func (j *Judge) learnToken(known map[string]any) {
	if v, err := j.TokenOf(known); err == nil {
		j.addSecrets(v)
	}
}

func (j *Judge) addSecrets(v any) {
	actions.EachScalar(v, func(scalar any) {
		if text, err := actions.TextOf(scalar); err == nil {
			j.AddSecret(text)
		}
	})
}

// AddSecret registers a text as secret.
func (j *Judge) AddSecret(text string) {
	if j.call.Secret != nil && text != "" {
		j.call.Secret(text)
	}
}

package engine

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/value"
)

// Settings come as text: hosts pass those of default providers so, and so does the
// environment. They enter here, by their declared types.

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
func (s *settings) read(m *value.Member, text string, secret bool) {
	v, err := value.FromText(text, m.Check.Spec, s.most)
	if err != nil {
		v = property.New(text)
		if !errors.Is(err, value.ErrOtherType) {
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
		if m := p.ConfigType.ByName[name]; m != nil && value.IsString() {
			s.read(m, value.AsString(), value.Secret())
		}
	}
	return s
}

// withEnv adds what the environment gives for settings that are not given. An
// empty variable is unset; one that is set beats the default.
func (p *Program) withEnv(s settings, getenv func(string) string) settings {
	for _, m := range p.ConfigType.Fields {
		if v, given := s.values.GetOk(m.Name); given && !v.IsNull() {
			continue
		}
		for _, name := range m.Env {
			if text := getenv(name); text != "" {
				s.read(m, text, m.IsSecret())
				break
			}
		}
	}
	return s
}

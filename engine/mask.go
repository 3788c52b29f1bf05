package engine

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/screen"
)

// Mask masks the secrets of the configuration, and what is marked as secret in some
// values: for what a server shows of a call, whoever has made the text.
func (e *Engine) Mask(values ...property.Value) *screen.Mask {
	var all secretPaths
	for _, v := range values {
		all.marked(v)
	}
	return e.hides.With(all.values)
}

// Mask masks what is secret in configurations, in which nothing needs to be marked.
func (p *Program) Mask(configs ...property.Value) *screen.Mask {
	var all secretPaths
	for _, v := range configs {
		all.marked(v)
		if !v.IsMap() {
			continue
		}
		for name, setting := range v.AsMap().All {
			if m := p.config.byName[name]; m != nil && m.Secret {
				all.texts(setting)
			}
		}
	}
	return screen.NewMask(all.values)
}

// marked collects the texts and numbers in what is marked as secret.
func (s *secretPaths) marked(v property.Value) {
	switch {
	case v.Secret():
		s.texts(v)
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.marked(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.marked(item)
		}
	}
}

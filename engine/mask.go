package engine

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Mask masks the secrets of the configuration, and what is marked as secret in some
// values: for what a server shows of a call, whoever has made the text.
func (e *Engine) Mask(values ...property.Value) *screen.Mask {
	return e.resources.Mask(values...)
}

// Mask masks what is secret in configurations, in which nothing needs to be marked.
func (p *Program) Mask(configs ...property.Value) *screen.Mask {
	var all value.Secrets
	for _, v := range configs {
		all.AddMarked(v)
		if !v.IsMap() {
			continue
		}
		for name, setting := range v.AsMap().All {
			if m := p.ConfigType.ByName[name]; m != nil && m.IsSecret() {
				all.AddTexts(setting)
			}
		}
	}
	return screen.NewMask(all.Values)
}

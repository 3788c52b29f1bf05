package recorded

import (
	"encoding/json"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// WithoutSecrets returns a configuration without its secret members.
func WithoutSecrets(p *plan.Program, config property.Map) property.Map {
	for name, value := range config.AllStable {
		if m := p.ConfigType.ByName[name]; m == nil || m.IsSecret() || value.HasSecrets() {
			config = config.Delete(name)
		}
	}
	return config
}

// OtherSettings returns the names of the settings of a recorded configuration that differ from those of
// now. Neither has secrets, so a setting that was a secret and is none now differs, too.
func OtherSettings(then, now json.RawMessage) ([]string, error) {
	before, err := value.DecodeRecorded(then)
	if err != nil {
		return nil, err
	}
	after, err := value.DecodeRecorded(now)
	if err != nil {
		return nil, err
	}
	var names []string
	for name, v := range before.AllStable {
		if !value.PlainEqual(v, after.Get(name)) {
			names = append(names, name)
		}
	}
	for name := range after.AllStable {
		if _, given := before.GetOk(name); !given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

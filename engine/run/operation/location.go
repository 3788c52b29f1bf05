package operation

import (
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// Location returns the settings that say where the objects of a resource are, each with a hash of its value, as states record it: ""
// if no setting does. It leaves out secrets, and what is not known yet.
func (rt *Runtime) Location(of *plan.Resource) string {
	if of.LocatedBy == nil {
		return ""
	}
	if known, ok := rt.locations.Load(of); ok {
		return known.(string)
	}
	var out []string
	for _, name := range of.LocatedBy {
		text, known := rt.locatingSetting(strings.Split(name, "."))
		if known && !strings.ContainsAny(name, " =") {
			out = append(out, name+"="+recorded.HashLocation(text))
		}
	}
	location := strings.Join(out, " ")
	rt.locations.Store(of, location) // each diff asks for it
	return location
}

// locatingSetting returns the value of a setting, or of a member of the session, as text. known is false if it is secret, or not known yet.
func (rt *Runtime) locatingSetting(path []string) (text string, known bool) {
	if path[0] == "session" {
		of := rt.session
		for _, name := range path[1:] {
			members, _ := of.(map[string]any)
			of = members[name]
		}
		raw, err := json.Marshal(of)
		return string(raw), err == nil && !rt.hides.Holds(string(raw))
	}
	v := property.New(rt.settings)
	for _, name := range path {
		if !v.IsMap() || v.Secret() {
			return "", !v.Secret() && !v.HasComputed()
		}
		v = v.AsMap().Get(name)
	}
	switch {
	case v.HasSecrets() || v.HasComputed():
		return "", false
	case v.IsString():
		return v.AsString(), true
	default:
		return value.Canonical(v), true
	}
}

package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// autonameDigits is how many random hexadecimal digits a derived name ends in,
// as Pulumi's own providers do.
const autonameDigits = 7

// withAutonames gives names to inputs with @autoname that have none. A name that an
// earlier check derived is kept: a new one would replace the resource.
func withAutonames(res *plan.Resource, req CheckRequest, f *value.Findings) property.Map {
	inputs := req.New
	for _, m := range res.Inputs.Fields {
		if m.Autoname == nil {
			continue
		}
		if v, given := inputs.GetOk(m.Name); given && !v.IsNull() {
			continue
		}
		if old := req.Old.Get(m.Name); req.HasOld && old.IsString() {
			inputs = inputs.Set(m.Name, old)
			continue
		}
		name := deriveName(req, m.Autoname.Sep, m.Autoname.Max, m.Name, f)
		if name != "" {
			inputs = inputs.Set(m.Name, property.New(name).WithSecret(m.IsSecret()))
		}
	}
	return inputs
}

// deriveName is the name that the host insists on or proposes, else the
// resource's with random digits; "" where there can be none, which f then says.
func deriveName(req CheckRequest, sep string, most int, property string, f *value.Findings) string {
	switch req.Autoname.Mode {
	case Disabled:
		f.Add(property, "must be given: automatic names are switched off")
		return ""
	case Enforce:
		if most > 0 && utf8.RuneCountInString(req.Autoname.Name) > most {
			f.Add(property, "cannot be %s: at most %d characters are allowed", value.Quote(req.Autoname.Name), most)
			return ""
		}
		return req.Autoname.Name
	case Propose:
		return cut(req.Autoname.Name, most)
	}
	if req.Name == "" {
		f.Add(property, "must be given: the host has no name to derive it from")
		return ""
	}
	digits := randomDigits(req.Seed, req.Key+property)
	if most > 0 && most <= len(sep)+len(digits) {
		return cut(digits, most)
	}
	if most > 0 {
		return cut(req.Name, most-utf8.RuneCountInString(sep)-len(digits)) + sep + digits
	}
	return req.Name + sep + digits
}

// randomDigits are the same for the same seed and resource.
func randomDigits(seed []byte, key string) string {
	if len(seed) == 0 {
		seed = make([]byte, 16)
		_, _ = rand.Read(seed) // never fails: crypto/rand aborts the process instead
	}
	sum := sha256.Sum256(append(append([]byte{}, seed...), key...))
	return hex.EncodeToString(sum[:])[:autonameDigits]
}

// cut shortens text to so many code points; 0 is no limit.
func cut(s string, most int) string {
	if r := []rune(s); most > 0 && len(r) > most {
		return string(r[:most])
	}
	return s
}

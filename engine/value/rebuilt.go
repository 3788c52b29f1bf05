package value

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// rebuilt is a map that is copied when the first of its entries changes.
type rebuilt struct {
	of      property.Map
	changed map[string]property.Value
}

func (r *rebuilt) set(name string, v property.Value) { r.copied()[name] = v }

func (r *rebuilt) drop(name string) { delete(r.copied(), name) }

func (r *rebuilt) copied() map[string]property.Value {
	if r.changed == nil {
		r.changed = r.of.AsMap()
		if r.changed == nil {
			r.changed = map[string]property.Value{}
		}
	}
	return r.changed
}

// value is v with the changed entries, as secret as it was.
func (r *rebuilt) value(v property.Value) (property.Value, bool) {
	if r.changed == nil {
		return v, false
	}
	return property.WithGoValue(v, property.NewMap(r.changed)), true
}

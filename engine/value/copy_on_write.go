package value

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// copyOnWrite is a map that is copied when its first entry changes.
type copyOnWrite struct {
	original property.Map
	changed  map[string]property.Value
}

func (r *copyOnWrite) set(name string, v property.Value) { r.writable()[name] = v }

func (r *copyOnWrite) drop(name string) { delete(r.writable(), name) }

// writable returns the copy.
func (r *copyOnWrite) writable() map[string]property.Value {
	if r.changed == nil {
		r.changed = r.original.AsMap()
		if r.changed == nil {
			r.changed = map[string]property.Value{}
		}
	}
	return r.changed
}

// value returns v with the changed entries, and reports whether there are any. It is
// secret if v is.
func (r *copyOnWrite) value(v property.Value) (property.Value, bool) {
	if r.changed == nil {
		return v, false
	}
	return property.WithGoValue(v, property.NewMap(r.changed)), true
}

package rest

import (
	"fmt"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// Defaults are the options of the shorthands of a spec that do not set them. A nil *Defaults has none.
type Defaults struct {
	Options *spec.Rest
	Place   source.Place
	// used are those that a resource uses.
	used map[*spec.Node]bool
}

// optionOf returns the field of a shorthand for a key of block.RestDefaults.
func optionOf(s *spec.Rest, key *block.Key) **spec.Node { return key.Into(s).(**spec.Node) }

// addTo adds the defaults that a shorthand does not set. A null in the shorthand removes one.
func (d *Defaults) addTo(x *options) {
	x.defaults = map[*spec.Node]string{}
	if d == nil {
		d = &Defaults{Options: &spec.Rest{}}
	}
	for i := range block.RestDefaults.Keys {
		key := &block.RestDefaults.Keys[i]
		option, value := optionOf(x.s, key), *optionOf(d.Options, key)
		switch {
		case *option == nil && value != nil:
			*option, x.defaults[value] = value, key.Name
		case *option != nil && (*option).Kind == spec.NullNode:
			if value == nil {
				x.fail(source.CodeMisplacedKey, (*option).Range, key.Name, fmt.Sprintf("%s has no default that null could remove", key.Name), "Remove it: null only removes a default, which the block `rest` of the whole spec sets.")
			}
			*option = nil
		}
	}
}

// dropDefaults removes defaults that cannot apply to this resource.
func dropDefaults(x *options) {
	for option, drop := range map[**spec.Node]bool{
		&x.s.Patch: x.update.method == "none" || x.s.Patch != nil && x.s.Patch.Text == "json" && x.update.method != "PATCH" ||
			patchesObject(x.s) && (x.update.method == "PATCH" || x.requests.readsList()),
		&x.s.Omit:        !patchesObject(x.s) || x.update.method == "none" || x.update.method == "PATCH" || x.requests.readsList(),
		&x.s.IfMatch:     x.requests.readsList(),
		&x.s.IfNoneMatch: x.create.method != "PUT",
	} {
		if drop && x.defaults[*option] != "" {
			*option = nil
		}
	}
}

// placeOf returns the place of a finding: that of the default if it is about one.
func (x *options) placeOf(at diag.Range, key string) source.Place {
	for value := range x.defaults {
		if value.Range == at {
			return source.PlaceOf([]string{"rest", key})
		}
	}
	return x.place.Member(key)
}

// use records options that a resource uses.
func (d *Defaults) use(options []*spec.Node) {
	if d == nil {
		return
	}
	if d.used == nil {
		d.used = map[*spec.Node]bool{}
	}
	for _, o := range options {
		d.used[o] = true
	}
}

// ReportUnused reports defaults that have no effect.
func (d *Defaults) ReportUnused(doc *source.Document) {
	if d == nil {
		return
	}
	for i := range block.RestDefaults.Keys {
		key := &block.RestDefaults.Keys[i]
		if value := *optionOf(d.Options, key); value != nil && !d.used[value] {
			doc.Report(source.CodeMisplacedKey, value.Range, d.Place.Member(key.Name), fmt.Sprintf("%s has no effect", key.Name), "No resource uses this default. Remove it.")
		}
	}
}

package openapi

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// Options say what to write.
type Options struct {
	// Name is the name of the provider.
	Name string
	// YAML means that the spec is written in YAML, and not in CUE.
	YAML bool
	// Only are patterns, as of path.Match, of the resources to write. The default is all.
	Only []string
}

// Spec is a spec with what its author should know about it.
type Spec struct {
	Text      []byte
	Resources []Summary
	LeftOut   []LeftOut
}

// Summary describes a resource.
type Summary struct{ Name, Path string }

// LeftOut is a path of the document that is no part of a resource, and why.
type LeftOut struct{ Path, Reason string }

// document is a spec before it is printed.
type document struct {
	name, title, wire string
	settings          []property
	http, rest        []option
	definitions       []*definition
	resources         []*resource
}

// Write returns a spec for a document. It returns an error if no resource can be written.
func Write(doc *Document, o Options) (*Spec, error) {
	found, left := endpoints(doc)
	left = append(left, doc.invalid...)
	t := newTypes(doc)
	d := &document{name: o.Name, wire: t.rule}
	d.title = strings.TrimSuffix(strings.TrimSpace(doc.root.get("info").get("title").text()), ".")
	d.settings, d.http = connection(doc, o.Name)
	out := &Spec{}
	// What is left out takes no name.
	found = slices.DeleteFunc(found, func(e endpoint) bool {
		_, reason := newTypes(doc).build(e, e.nameOf()[0])
		if reason != "" {
			left = append(left, LeftOut{e.item, reason})
		}
		return reason != ""
	})
	named := namesOf(found)
	for _, e := range found {
		name := named[e.item]
		if len(o.Only) > 0 && !slices.ContainsFunc(o.Only, func(pattern string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }) {
			continue
		}
		before := len(t.definitions)
		r, reason := t.build(e, name)
		if reason != "" {
			t.forget(before)
			left = append(left, LeftOut{e.item, reason})
			continue
		}
		d.resources = append(d.resources, r)
		out.Resources = append(out.Resources, Summary{name, e.item})
	}
	d.definitions, d.rest = t.definitions, takeShared(d.resources)
	out.LeftOut = left
	switch {
	case len(d.resources) == 0 && len(o.Only) > 0:
		return nil, fmt.Errorf("no resource of the document has the name %s", strings.Join(o.Only, " or "))
	case len(d.resources) == 0:
		return nil, noResources(left)
	}
	text, err := d.print(o.YAML)
	if len(text) > source.MaxFile {
		return nil, fmt.Errorf("the spec would have %.1f MiB, more than declprov reads. Choose some of its %d resources by --only, such as --only %s",
			float64(len(text))/(1<<20), len(d.resources), d.resources[0].name)
	}
	out.Text = text
	return out, err
}

// takeShared removes the options of `rest` that all resources have in common, apart from settings of which there is one, and returns them as
// defaults.
func takeShared(all []*resource) []option {
	objects := slices.DeleteFunc(slices.Clone(all), func(r *resource) bool {
		return slices.ContainsFunc(r.rest, func(o option) bool { return o.key == "singleton" })
	})
	if len(objects) < 2 {
		return nil
	}
	shared := slices.DeleteFunc(slices.Clone(objects[0].rest), func(o option) bool {
		return block.RestDefaults.Key(o.key) == nil || slices.ContainsFunc(objects, func(r *resource) bool { return !slices.Contains(r.rest, o) })
	})
	for _, r := range objects {
		r.rest = slices.DeleteFunc(r.rest, func(o option) bool { return slices.Contains(shared, o) })
	}
	return shared
}

// noResources explains why a document has no resource.
func noResources(left []LeftOut) error {
	var b strings.Builder
	b.WriteString("the document has no object that can be created and read:")
	slices.SortStableFunc(left, func(x, y LeftOut) int { return cmp.Compare(len(y.Reason), len(x.Reason)) }) // details first
	for i, l := range left {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(left)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s: %s", l.Path, l.Reason)
	}
	return fmt.Errorf("%s", &b)
}

func newTypes(doc *Document) *types {
	return &types{rule: doc.rule, made: map[string]*definition{}, named: map[string]*definition{}}
}

// namesOf returns the names of resources by the paths of their objects. Those with the fewest parents have the shortest names:
// /labels/{id} is a Label rather than /repos/{repo}/labels/{id}.
func namesOf(found []endpoint) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, e := range slices.SortedStableFunc(slices.Values(found), func(a, b endpoint) int { return cmp.Compare(len(a.parents), len(b.parents)) }) {
		name := e.unusedName(taken)
		out[e.item], taken[name] = name, true
	}
	return out
}

// unusedName returns a name for the resource of an endpoint that no other one has.
func (e endpoint) unusedName(taken map[string]bool) string {
	candidates := e.nameOf()
	for _, name := range candidates {
		if !taken[name] {
			return name
		}
	}
	last := candidates[len(candidates)-1]
	for n := 2; ; n++ {
		if name := fmt.Sprint(last, n); !taken[name] {
			return name
		}
	}
}

// forget removes the definitions from an index on.
func (t *types) forget(from int) {
	for _, def := range t.definitions[from:] {
		delete(t.named, def.name)
		for key, made := range t.made {
			if made == def {
				delete(t.made, key)
			}
		}
	}
	t.definitions = t.definitions[:from]
}

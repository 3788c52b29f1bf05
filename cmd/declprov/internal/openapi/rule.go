package openapi

import (
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
)

// ruleOf returns the naming rule that most members of the document's schemas follow, or "".
func ruleOf(doc *Document) string {
	c := spellings{counts: map[string]int{}, seen: map[*yaml.Node]bool{}}
	doc.paths.each(func(_ string, item part) {
		for _, o := range operationsOf(item) {
			c.addSchema(bodyOf(o))
			c.addSchema(responseOf(o))
		}
	})
	best := ""
	for _, rule := range spec.WireRules {
		if c.counts[rule] > c.counts[best] {
			best = rule
		}
	}
	return best
}

// spellings counts how many names follow each naming rule, and how many are declared as they are sent, by "".
type spellings struct {
	counts map[string]int
	seen   map[*yaml.Node]bool
}

// addSchema adds the names of the members in a schema.
func (s *spellings) addSchema(p part) {
	p = p.resolved()
	if p.node == nil || s.seen[p.node] {
		return
	}
	s.seen[p.node] = true
	p.get("properties").each(func(name string, value part) {
		s.addName(name)
		s.addSchema(value)
	})
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		for _, each := range p.get(key).list() {
			s.addSchema(each)
		}
	}
	s.addSchema(p.get("items"))
}

func (s *spellings) addName(name string) {
	if name == "" {
		return
	}
	for _, rule := range append([]string{""}, spec.WireRules...) {
		if spec.WireName(rule, declared(name)) == name {
			s.counts[rule]++
		}
	}
}

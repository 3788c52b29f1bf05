package printer

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// attributes returns the attributes of a property.
func attributes(p *spec.Property) []string {
	var list []string
	flag := func(set bool, text string) {
		if set {
			list = append(list, text)
		}
	}
	flag(p.Replace, "@replace()")
	flag(p.Moves, "@replace(false)")
	flag(p.Secret, "@secret()")
	flag(p.NoRead, "@noRead()")
	flag(p.Normalised, "@normalised()")
	flag(p.Ephemeral, "@ephemeral()")
	flag(p.Stable, "@stable()")
	flag(p.Set, "@set()")
	flag(p.Key != "", "@key("+argument(p.Key)+")")
	flag(p.Env != nil, "@env("+strings.Join(p.Env, ", ")+")")
	flag(p.Equal != "", "@equal("+p.Equal+")")
	if p.EqualExpr != nil {
		list = append(list, "@equal("+quote(p.EqualExpr.Text)+")")
	}
	if p.DefaultExpr != nil {
		list = append(list, "@default("+quote(p.DefaultExpr.Text)+")")
	}
	if a := p.Autoname; a != nil {
		list = append(list, fmt.Sprintf("@autoname(%ssep=%s)", map[bool]string{true: fmt.Sprintf("max=%d, ", a.Max)}[a.Max > 0], quote(a.Sep)))
	}
	if args := wireArguments(p); args != "" {
		list = append(list, "@wire("+args+")")
	}
	flag(p.Deprecated != "", "@deprecated("+quote(p.Deprecated)+")")
	for _, sdk := range sortedKeys(p.Names) {
		list = append(list, fmt.Sprintf("@name(%s=%s)", sdk, quote(p.Names[sdk])))
	}
	return list
}

// wireArguments returns the arguments of @wire, or "" without it.
func wireArguments(p *spec.Property) string {
	var list []string
	if p.Wire != "" {
		path := lists.Map(append(append([]string{}, p.WireParents...), p.Wire), argument)
		wire := strings.Join(path, ".")
		for i, name := range p.WireItem {
			wire += map[bool]string{true: "[]"}[i == 0] + "." + argument(name)
		}
		list = append(list, wire)
	}
	scalar := p.Type
	for scalar.Kind == spec.List || scalar.Kind == spec.Map {
		scalar = types.Elem(scalar)
	}
	if scalar.OnWire != spec.Any {
		list = append(list, "type="+scalar.OnWire.String())
	}
	return strings.Join(list, ", ")
}

// argument returns a name as an argument of an attribute. A type is quoted, because @wire(int) is a
// mistake.
func argument(name string) string {
	if plainLabel.MatchString(name) && name != spec.Int.String() && name != spec.String.String() {
		return name
	}
	return quote(name)
}

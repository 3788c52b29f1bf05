package load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
)

var resourceKeys = []string{
	"inputs", "outputs", "id", "import", "create", "read", "update", "delete", "return", "wire", "checks", "diff",
	"consistency", "find", "list", "aliases", "deprecated", "schemaVersion", "upgrade", "methods",
}

// resourceReader reads resources.
type resourceReader struct{ *stepReader }

// resource is one member of `resources`.
func (l *resourceReader) resource(it item, p place) *spec.Resource {
	b, ok := l.block(it, p, "a resource", resourceKeys, nil)
	if !ok {
		return nil
	}
	r := &spec.Resource{Name: it.name, Doc: l.doc(it), Range: it.nameAt}
	if r.Wire = l.wireRule(b); r.Wire != "" {
		l.wire = r.Wire
		defer func() { l.wire = l.specWire }()
	}
	r.Inputs = l.objectAt(b, "inputs", inputRole)
	r.Outputs = l.objectAt(b, "outputs", outputRole)
	l.identity(b, r)
	l.operations(b, r)
	l.resourceRules(b, r)
	l.history(b, r)
	if m, ok := b.get("list"); ok {
		r.List = l.lister(m, b.at("list").in("list"))
	}
	l.each(b, "methods", "method", memberName, func(m item, at place) {
		if f := l.function(m, at, "a method"); f != nil {
			r.Methods = append(r.Methods, f)
		}
	})
	return r
}

// identity is what names a resource in the world.
func (l *resourceReader) identity(b *block, r *spec.Resource) {
	if m, ok := b.get("id"); ok {
		r.ID = l.template(m, b.at("id").in("id"))
	} else if !b.given("id") {
		l.report(missingKey, r.Range, b.place, "the resource has no id",
			`Say what names one: id: "${inputs.name}", or id: "${result.id}" of what create returns.`)
	}
	if m, ok := b.get("import"); ok {
		r.Import = l.template(m, b.at("import").in("import"))
	}
}

func (l *resourceReader) operations(b *block, r *spec.Resource) {
	for name, op := range map[string]**spec.Operation{
		"create": &r.Create, "read": &r.Read, "update": &r.Update, "delete": &r.Delete,
	} {
		if m, ok := b.get(name); ok {
			*op = l.operation(m, b.at(name).in(name), name == "create")
		}
		if *op == nil && b.given(name) {
			*op = &spec.Operation{Range: r.Range} // broken, which was reported: it is there, all the same
		}
	}
	if !b.given("create") {
		l.report(missingKey, r.Range, b.place, "the resource has no create", "Say which step makes one: create: file: write: {…}.")
	}
	if m, ok := b.get("return"); ok {
		r.Return = l.node(m, b.at("return").in("return"))
	} else if b.given("return") {
		r.Return = &spec.Node{Range: r.Range} // misspelt, which was reported
	}
	if m, ok := b.get("find"); ok {
		r.Find = l.find(m, b.at("find").in("find"))
	}
	if m, ok := b.get("consistency"); ok {
		r.Consistency = l.duration(m, b.at("consistency"))
	}
}

// resourceRules are `checks` and `diff`.
func (l *resourceReader) resourceRules(b *block, r *spec.Resource) {
	if m, ok := b.get("checks"); ok {
		l.list(m, b.at("checks").in("checks"), func(m item, p place) {
			if c := l.check(m, p); c != nil {
				r.Checks = append(r.Checks, c)
			}
		})
	}
	m, ok := b.get("diff")
	if !ok {
		return
	}
	d, ok := l.block(m, b.at("diff").in("diff"), "diff", []string{"deleteBeforeReplace", "rules"}, nil)
	if !ok {
		return
	}
	r.Diff = &spec.Diff{}
	if m, ok := d.get("deleteBeforeReplace"); ok {
		r.Diff.DeleteBeforeReplace = l.bool(m, d.at("deleteBeforeReplace"))
	}
	if m, ok := d.get("rules"); ok {
		l.list(m, d.at("rules"), func(m item, p place) {
			if rule := l.diffRule(m, p); rule != nil {
				r.Diff.Rules = append(r.Diff.Rules, rule)
			}
		})
	}
}

func (l *resourceReader) check(it item, p place) *spec.Check {
	b, ok := l.block(it, p, "a check", []string{"assert", "message", "property"}, nil)
	if !ok {
		return nil
	}
	c := &spec.Check{Range: it.at}
	l.need(b, "assert", `assert: "${inputs.min <= inputs.max}"`)
	if m, ok := b.get("assert"); ok {
		c.Assert = l.condition(m, b.at("assert"))
	}
	l.need(b, "message", `message: "min must not exceed max"`)
	if m, ok := b.get("message"); ok {
		c.Message = l.template(m, b.at("message"))
	}
	if m, ok := b.get("property"); ok {
		c.Property = l.template(m, b.at("property"))
	}
	if c.Assert == nil {
		return nil
	}
	return c
}

func (l *resourceReader) diffRule(it item, p place) *spec.DiffRule {
	b, ok := l.block(it, p, "a rule", []string{"if", "replace"}, nil)
	if !ok {
		return nil
	}
	rule := &spec.DiffRule{Range: it.at}
	l.need(b, "replace", `replace: ["size"]`)
	if m, ok := b.get("if"); ok {
		rule.If = l.condition(m, b.at("if"))
	}
	if m, ok := b.get("replace"); ok {
		rule.Replace = l.templates(m, b.at("replace"))
	}
	return rule
}

// history is what a resource says of its former versions.
func (l *resourceReader) history(b *block, r *spec.Resource) {
	if m, ok := b.get("aliases"); ok {
		l.list(m, b.at("aliases").in("aliases"), func(m item, p place) { r.Aliases = append(r.Aliases, l.alias(m, p)) })
	}
	if m, ok := b.get("deprecated"); ok {
		r.Deprecated, _ = l.string(m, b.at("deprecated"))
	}
	var version item
	if m, ok := b.get("schemaVersion"); ok {
		version = m
		r.SchemaVersion = l.schemaVersion(m, b.at("schemaVersion"))
	}
	if _, there := b.get("schemaVersion"); !there && b.given("schemaVersion") {
		return // misspelt, which was reported
	}
	m, ok := b.get("upgrade")
	p := b.at("upgrade").in("upgrade")
	if !ok {
		if r.SchemaVersion > 0 && !b.given("upgrade") {
			l.report(upgradeGap, version.at, b.at("schemaVersion"), fmt.Sprintf("there is no way from the states before version %d", r.SchemaVersion),
				fmt.Sprintf(`Add upgrade: {"0": "${…}"}, one for each version up to %d, over old.`, r.SchemaVersion-1))
		}
		return
	}
	l.upgrade(m, p, r)
}

// typeToken is how a host writes the type of a resource.
var typeToken = regexp.MustCompile(`^[^:\s]+:[^:\s]*:[^:\s]+$`)

// alias is a former name of a resource, or a former type token.
func (l *resourceReader) alias(it item, p place) *spec.Node {
	text, ok := l.string(it, p)
	if !ok {
		return &spec.Node{Range: it.at}
	}
	if !resourceName.re.MatchString(text) && !typeToken.MatchString(text) {
		l.report(badName, it.at, p, fmt.Sprintf("%q is no former name of a resource", text),
			`Write the name that it had in this spec, "OldPet", or a whole type token, "store:index:Pet".`)
	}
	return l.node(it, p)
}

func (l *resourceReader) schemaVersion(it item, p place) int {
	n := l.node(it, p)
	if n.Kind == 0 {
		return 0
	}
	version, err := strconv.Atoi(n.Text)
	if n.Kind != spec.NumberNode || err != nil || version < 0 || version > 10000 {
		l.report(badValue, it.at, p, "schemaVersion must be a whole number from 0 on", "Add one to it whenever the shape of the state changes.")
		return 0
	}
	return version
}

var versionKey = regexp.MustCompile(`^(0|[1-9][0-9]{0,4})$`)

func (l *resourceReader) upgrade(it item, p place, r *spec.Resource) {
	if l.broken(it, p) {
		return
	}
	if l.kind(it) != cue.StructKind {
		l.wrongShape(it, p, "a struct of templates by version")
		return
	}
	r.Upgrade = map[int]*spec.Node{}
	for _, m := range l.values(it) {
		from, _ := strconv.Atoi(m.name)
		switch {
		case !versionKey.MatchString(m.name):
			l.report(badName, m.nameAt, p.at(m.name), fmt.Sprintf("%q is no version to upgrade from", m.name), `The keys are the versions of old states: "0", "1".`)
		case from >= r.SchemaVersion:
			l.report(upgradeGap, m.nameAt, p.at(m.name), fmt.Sprintf("nothing is to be upgraded from version %d", from),
				fmt.Sprintf("The resource's schemaVersion is %d; raise it to %d.", r.SchemaVersion, from+1))
		default:
			r.Upgrade[from] = l.node(m, p.at(m.name))
		}
	}
	var missing []string
	for v := range r.SchemaVersion {
		if r.Upgrade[v] == nil {
			missing = append(missing, strconv.Itoa(v))
		}
	}
	if len(missing) > 0 {
		l.report(upgradeGap, it.nameAt, p, "the upgrade has a gap: version "+strings.Join(missing, ", "),
			"Upgrades run one after the other, so each version below schemaVersion needs one.")
	}
}

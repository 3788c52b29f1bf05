package load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// resourceReader reads resources.
type resourceReader struct{ *stepReader }

// resource reads one member of `resources`.
func (l *resourceReader) resource(it walk.Item, p source.Place) *spec.Resource {
	b, ok := l.open(it, p, block.Resource, nil)
	if !ok {
		return nil
	}
	r := &spec.Resource{Name: it.Name, Doc: l.Doc(it), Range: it.NameAt}
	if r.Wire = l.wireRule(b); r.Wire != "" {
		l.Wire = r.Wire
		defer func() { l.Wire = l.SpecWire }()
	}
	r.Inputs = l.objectAt(b, "inputs", typing.InputRole)
	r.Outputs = l.objectAt(b, "outputs", typing.OutputRole)
	l.fill(b, r)
	l.missing(b, r)
	if m, ok := b.get("find"); ok {
		r.Find = l.find(m, b.at("find").AddContext("find"))
	}
	l.rules(b, r)
	l.history(b, r)
	if m, ok := b.get("list"); ok {
		r.List = l.lister(m, b.at("list").AddContext("list"))
	}
	l.each(b, "methods", "method", func(m walk.Item, at source.Place) {
		if f := l.function(m, at, "a method"); f != nil {
			r.Methods = append(r.Methods, f)
		}
	})
	return r
}

// missing reports what a resource must have and lacks. What is broken or misspelt,
// which was reported, is there all the same.
func (l *resourceReader) missing(b *section, r *spec.Resource) {
	if !b.given("id") {
		l.Report(source.CodeMissingKey, r.Range, b.place, "the resource has no id",
			`Say what names one: id: "${inputs.name}", or id: "${result.id}" of what create returns.`)
	}
	if !b.given("create") {
		l.Report(source.CodeMissingKey, r.Range, b.place, "the resource has no create", "Say which step makes one: create: file: write: {…}.")
	}
	for name, op := range map[string]**spec.Operation{"create": &r.Create, "read": &r.Read, "update": &r.Update, "delete": &r.Delete} {
		if *op == nil && b.given(name) {
			*op = &spec.Operation{Range: r.Range}
		}
	}
	if r.Return == nil && b.given("return") {
		r.Return = &spec.Node{Range: r.Range}
	}
}

// rules reads `checks` and `diff`.
func (l *resourceReader) rules(b *section, r *spec.Resource) {
	if m, ok := b.get("checks"); ok {
		l.list(m, b.at("checks").AddContext("checks"), func(m walk.Item, p source.Place) {
			c := &spec.Check{Range: m.At}
			if b, ok := l.open(m, p, block.Check, nil); ok {
				l.fill(b, c)
			}
			if c.Assert != nil {
				r.Checks = append(r.Checks, c)
			}
		})
	}
	m, ok := b.get("diff")
	if !ok {
		return
	}
	d, ok := l.open(m, b.at("diff").AddContext("diff"), block.Diff, nil)
	if !ok {
		return
	}
	r.Diff = &spec.Diff{}
	l.fill(d, r.Diff)
	if m, ok := d.get("rules"); ok {
		l.list(m, d.at("rules"), func(m walk.Item, p source.Place) {
			if b, ok := l.open(m, p, block.DiffRule, nil); ok {
				rule := &spec.DiffRule{Range: m.At}
				l.fill(b, rule)
				r.Diff.Rules = append(r.Diff.Rules, rule)
			}
		})
	}
}

// history reads what a resource says of its former versions.
func (l *resourceReader) history(b *section, r *spec.Resource) {
	if m, ok := b.get("aliases"); ok {
		l.list(m, b.at("aliases").AddContext("aliases"), func(m walk.Item, p source.Place) { r.Aliases = append(r.Aliases, l.alias(m, p)) })
	}
	version, ok := b.get("schemaVersion")
	if !ok && b.given("schemaVersion") {
		return // misspelt, which was reported
	}
	m, ok := b.get("upgrade")
	p := b.at("upgrade").AddContext("upgrade")
	if !ok {
		if r.SchemaVersion > 0 && !b.given("upgrade") {
			l.Report(source.CodeUpgradeGap, version.At, b.at("schemaVersion"), fmt.Sprintf("there is no way from the states before version %d", r.SchemaVersion),
				fmt.Sprintf(`Add upgrade: {"0": "${…}"}, one for each version up to %d, over old.`, r.SchemaVersion-1))
		}
		return
	}
	l.upgrade(m, p, r)
}

// typeToken is how a host writes the type of a resource.
var typeToken = regexp.MustCompile(`^[^:\s]+:[^:\s]*:[^:\s]+$`)

// alias reads a former name of a resource, or a former type token.
func (l *resourceReader) alias(it walk.Item, p source.Place) *spec.Node {
	text, ok := l.string(it, p)
	if !ok {
		return &spec.Node{Range: it.At}
	}
	if !block.CapitalNames.Pattern.MatchString(text) && !typeToken.MatchString(text) {
		l.Report(names.CodeName, it.At, p, fmt.Sprintf("%q is not a former name of a resource", text),
			`Write the name that it had in this spec, "OldPet", or a whole type token, "store:index:Pet".`)
	}
	return l.node(it, p)
}

var versionKey = regexp.MustCompile(`^(0|[1-9][0-9]{0,4})$`)

func (l *resourceReader) upgrade(it walk.Item, p source.Place, r *spec.Resource) {
	if l.Broken(it, p) {
		return
	}
	if l.Kind(it) != cue.StructKind {
		l.WrongShape(it, p, "a struct of templates by version")
		return
	}
	r.Upgrade = map[int]*spec.Node{}
	for _, m := range l.Values(it) {
		from, _ := strconv.Atoi(m.Name)
		switch {
		case !versionKey.MatchString(m.Name):
			l.Report(names.CodeName, m.NameAt, p.Member(m.Name), fmt.Sprintf("%q is not a version to upgrade from", m.Name), `The keys are the versions of old states: "0", "1".`)
		case from >= r.SchemaVersion:
			l.Report(source.CodeUpgradeGap, m.NameAt, p.Member(m.Name), fmt.Sprintf("nothing is to be upgraded from version %d", from),
				fmt.Sprintf("The resource's schemaVersion is %d; raise it to %d.", r.SchemaVersion, from+1))
		default:
			r.Upgrade[from] = l.node(m, p.Member(m.Name))
		}
	}
	var missing []string
	for v := range r.SchemaVersion {
		if r.Upgrade[v] == nil {
			missing = append(missing, strconv.Itoa(v))
		}
	}
	if len(missing) > 0 {
		l.Report(source.CodeUpgradeGap, it.NameAt, p, "the upgrade has a gap: version "+strings.Join(missing, ", "),
			"Upgrades run one after the other, so each version below schemaVersion needs one.")
	}
}

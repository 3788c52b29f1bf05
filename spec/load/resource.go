package load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/rest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// resourceReader reads resources.
type resourceReader struct {
	*stepReader
	// shorthands are the shorthands that are expanded when all types are known.
	shorthands   []shorthand
	restDefaults *rest.Defaults
}

// readResource reads one member of `resources`.
func (l *resourceReader) readResource(it walk.Item, p source.Place) *spec.Resource {
	misplaced := l.misplacedKeys(it, p)
	b, ok := l.openSection(it, p, block.Resource, misplaced.reportKey)
	if !ok {
		return nil
	}
	misplaced.reportRequests(b)
	r := &spec.Resource{Name: it.Name, Doc: l.Doc(it), Range: it.NameAt}
	if r.Wire = l.readWireRule(b); r.Wire != "" {
		l.Wire = r.Wire
		defer func() { l.Wire = l.SpecWire }()
	}
	r.Inputs = l.readObject(b, "inputs", typing.InputRole)
	r.Outputs = l.readObject(b, "outputs", typing.OutputRole)
	l.fill(b, r)
	l.readNulls(b, r)
	if m, ok := b.get("rest"); ok {
		l.readRest(m, b.at("rest").AddContext("rest"), r, misplaced)
	}
	l.reportMissing(b, r)
	if m, ok := b.get("find"); ok && !r.Unsought {
		r.Find = l.readFind(m, b.at("find").AddContext("find"))
	}
	l.readRules(b, r)
	l.readHistory(b, r)
	if m, ok := b.get("list"); ok {
		r.List = l.readLister(m, b.at("list").AddContext("list"))
	}
	l.readMembers(b, "methods", "method", func(m walk.Item, at source.Place) {
		r.Methods = appendRead(r.Methods, l.readFunction(m, at, "a method"))
	})
	l.readMembers(b, "examples", "example", func(m walk.Item, at source.Place) { l.readExample(m, at, r) })
	return r
}

// readNulls reads the keys by whose null the author says that the resource has no such operation, although `rest` would.
func (l *resourceReader) readNulls(b *section, r *spec.Resource) {
	for name, says := range map[string]*bool{"delete": &r.Kept, "find": &r.Unsought} {
		m, ok := b.get(name)
		*says = ok && l.isNull(m)
	}
}

// readExample reads an example, whose name is a title.
func (l *resourceReader) readExample(it walk.Item, p source.Place, r *spec.Resource) {
	if title := strings.TrimSpace(it.Name); title != it.Name || title == "" || strings.ContainsFunc(title, unicode.IsControl) {
		l.Report(names.CodeName, it.NameAt, p, fmt.Sprintf("%q is not a valid title for an example", it.Name),
			`Write one line of text: examples: "A small dog": {name: "Rex"}.`)
	}
	if !l.expect(it, p, cue.StructKind, walk.Struct.As("a struct of inputs")) {
		return
	}
	r.Examples = append(r.Examples, &spec.Example{Title: it.Name, Doc: l.Doc(it), Range: it.NameAt, Inputs: l.readNode(it, p)})
}

// reportMissing reports missing keys that a resource requires. An invalid or misspelt key
// was reported, and does not count as missing.
func (l *resourceReader) reportMissing(b *section, r *spec.Resource) {
	if !b.has("id") && !b.has("rest") {
		l.Report(source.CodeMissingKey, r.Range, b.place, "the resource requires an id",
			`Add id: "${inputs.name}", or id: "${result.id}" from the result of create. A conventional REST resource only needs rest: "/pets".`)
	}
	if !b.has("create") && !b.has("rest") {
		l.Report(source.CodeMissingKey, r.Range, b.place, "the resource requires create", "Add the step that creates it: create: file: write: {…}.")
	}
	for name, op := range map[string]**spec.Operation{"create": &r.Create, "read": &r.Read, "update": &r.Update, "delete": &r.Delete} {
		if *op == nil && b.has(name) && !(name == "delete" && r.Kept) {
			*op = &spec.Operation{Range: r.Range}
		}
	}
	if r.Return == nil && b.has("return") {
		r.Return = &spec.Node{Range: r.Range}
	}
}

// readRules reads `checks` and `diff`.
func (l *resourceReader) readRules(b *section, r *spec.Resource) {
	if m, ok := b.get("checks"); ok {
		l.readList(m, b.at("checks").AddContext("checks"), func(m walk.Item, p source.Place) {
			c := &spec.Check{Range: m.At}
			if b, ok := l.openSection(m, p, block.Check, nil); ok {
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
	d, ok := l.openSection(m, b.at("diff").AddContext("diff"), block.Diff, nil)
	if !ok {
		return
	}
	r.Diff = &spec.Diff{}
	l.fill(d, r.Diff)
	if m, ok := d.get("rules"); ok {
		l.readList(m, d.at("rules"), func(m walk.Item, p source.Place) {
			if b, ok := l.openSection(m, p, block.DiffRule, nil); ok {
				rule := &spec.DiffRule{Range: m.At}
				l.fill(b, rule)
				r.Diff.Rules = append(r.Diff.Rules, rule)
			}
		})
	}
}

// readHistory reads the aliases and versions of a resource.
func (l *resourceReader) readHistory(b *section, r *spec.Resource) {
	if m, ok := b.get("aliases"); ok {
		l.readList(m, b.at("aliases").AddContext("aliases"), func(m walk.Item, p source.Place) { r.Aliases = append(r.Aliases, l.readAlias(m, p)) })
	}
	version, ok := b.get("schemaVersion")
	if !ok && b.has("schemaVersion") {
		return // the key is misspelt or its value invalid, which was reported
	}
	m, ok := b.get("upgrade")
	p := b.at("upgrade").AddContext("upgrade")
	if !ok {
		if r.SchemaVersion > 0 && !b.has("upgrade") {
			l.Report(source.CodeUpgradeGap, version.At, b.at("schemaVersion"), fmt.Sprintf("states of versions before %d cannot be upgraded", r.SchemaVersion),
				fmt.Sprintf(`Add upgrade: {"0": "${…}"}, with an expression over old for each version up to %d.`, r.SchemaVersion-1))
		}
		return
	}
	l.readUpgrade(m, p, r)
}

// typeToken matches a type token of Pulumi.
var typeToken = regexp.MustCompile(`^[^:\s]+:[^:\s]*:[^:\s]+$`)

// readAlias reads a former name or a former type token of a resource.
func (l *resourceReader) readAlias(it walk.Item, p source.Place) *spec.Node {
	text, ok := l.readString(it, p)
	if !ok {
		return &spec.Node{Range: it.At}
	}
	if !block.CapitalNames.Pattern.MatchString(text) && !typeToken.MatchString(text) {
		l.Report(names.CodeName, it.At, p, fmt.Sprintf("%q is not a valid alias", text),
			`Write its former name in this spec, "OldPet", or a complete type token, "store:index:Pet".`)
	}
	return l.readNode(it, p)
}

var versionKey = regexp.MustCompile(`^(0|[1-9][0-9]{0,4})$`)

func (l *resourceReader) readUpgrade(it walk.Item, p source.Place, r *spec.Resource) {
	if !l.expect(it, p, cue.StructKind, walk.Versions) {
		return
	}
	r.Upgrade = map[int]*spec.Node{}
	for _, m := range l.Values(it) {
		from, _ := strconv.Atoi(m.Name)
		switch {
		case !versionKey.MatchString(m.Name):
			l.Report(names.CodeName, m.NameAt, p.Member(m.Name), fmt.Sprintf("%q is not a version to upgrade from", m.Name), `The keys are the versions of old states: "0", "1".`)
		case from >= r.SchemaVersion:
			l.Report(source.CodeUpgradeGap, m.NameAt, p.Member(m.Name), fmt.Sprintf("version %d does not require an upgrade", from),
				fmt.Sprintf("The schemaVersion of the resource is %d. Raise it to %d, or remove this upgrade.", r.SchemaVersion, from+1))
		default:
			r.Upgrade[from] = l.readNode(m, p.Member(m.Name))
		}
	}
	var missing []string
	for v := range r.SchemaVersion {
		if r.Upgrade[v] == nil {
			missing = append(missing, strconv.Itoa(v))
		}
	}
	if len(missing) > 0 {
		l.Report(source.CodeUpgradeGap, it.NameAt, p, "upgrade lacks version "+strings.Join(missing, ", "),
			"Upgrades run one after the other, so each version below schemaVersion requires one.")
	}
}

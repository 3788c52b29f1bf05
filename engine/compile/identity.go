package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// identity compiles `import`, and says what the id and it tell of each other. The
// id is compiled, and create is; read is not yet.
func (c *compiler) identity(r *plan.Resource) {
	if r.ID != nil {
		r.Identity.ID, _, _ = c.reversed(r.ID, r.Spec.ID.Text, r.Spec.Inputs, false)
	}
	switch {
	case r.Spec.Import == nil && r.Identity.ID.Given():
		r.Identity.Imports = r.Identity.ID
	case r.Spec.Import != nil:
		r.Identity.Imports = c.importTemplate(r)
	}
	given := r.Identity.Inputs()
	r.Identity.Known = !r.Identity.Imports.Given() || r.Identity.Imports.HasID() ||
		r.ID != nil && !slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
			return ref.Path[0] != "config" && (ref.Path[0] != "inputs" || len(ref.Path) < 2 || !given[ref.Path[1]])
		})
}

// importTemplate compiles the template that an import is read by.
func (c *compiler) importTemplate(r *plan.Resource) plan.Reversible {
	n := r.Spec.Import
	// Whatever stands in it is given by each import.
	inputs := checked(r.Spec.Inputs)
	for _, p := range inputs.Fields {
		p.Required = true // checked has made copies
	}
	scope := c.scope(c.configName(), expr.Name{Name: "inputs", Type: inputs}, expr.Name{Name: "id", Type: textType})
	v := c.template(n, scope, textType, "import")
	if v == nil {
		return plan.Reversible{}
	}
	if v.Secret() {
		c.fail(codeSecretExposed, n.Range, "import", "a secret goes into the import", "Whoever imports types that text, and everybody sees it. Build it of something else.")
		return plan.Reversible{}
	}
	p, why, remedy := c.reversed(v, n.Text, r.Spec.Inputs, true)
	if why != "" {
		c.fail(codeImportTemplate, n.Range, "import", why, remedy)
	}
	return p
}

// identify says what is wrong with the identity of a compiled resource.
func (c *compiler) identify(r *plan.Resource) {
	if r.ID == nil || r.Create == nil || r.Spec.Import != nil && !r.Identity.Imports.Given() {
		return // broken, which was reported
	}
	r.FoundBy = findBy(r)
	c.importCuts(r)
	why := c.notFollowed(r)
	r.Identity.Follows = why == ""
	if !r.Identity.Known && why != "" && r.Read != nil {
		c.fail(codeImportNoID, r.Spec.Import.Range, "import", fmt.Sprintf("an import gives %s no id", r.Spec.Name),
			fmt.Sprintf("The text of an import has no ${id}, and %s. Put ${id} into it, with text around it.", why))
	}
	c.renaming(r)
	c.importComplete(r)
}

// importCuts reports an import in which the id ends at a text that every id has
// in it.
func (c *compiler) importCuts(r *plan.Resource) {
	pieces := r.Identity.Imports.Pieces
	for i, s := range pieces {
		if !plan.IsID(s) || i+2 >= len(pieces) || !pieces[i+1].Literal {
			continue // it takes the rest
		}
		ends := pieces[i+1].Text
		if slices.ContainsFunc(r.ID.Segments(), func(s expr.Segment) bool { return s.Literal && strings.Contains(s.Text, ends) }) {
			c.fail(codeImportTemplate, r.Spec.Import.Range, "import", fmt.Sprintf("no import can have such an id: ${id} ends at %q, and every id has that in it", ends),
				"Put ${id} at the end, or another text behind it.")
			return
		}
	}
}

// notFollowed says why the id cannot be made anew of what a read sees; "" where
// it can.
func (c *compiler) notFollowed(r *plan.Resource) string {
	if r.Read == nil {
		return "there is no read"
	}
	yields, _ := c.yields(r.Read, r.Spec.Read)
	for _, ref := range r.ID.Refs() {
		switch root := ref.Path[0]; {
		case root == "config" || root == "session":
		case root == "inputs" && len(ref.Path) > 1:
			r.Identity.OfInputs = append(r.Identity.OfInputs, ref.Path[1])
			p := r.Spec.Inputs.Field(ref.Path[1])
			if p == nil || r.Identity.Inputs()[p.Name] || p.Default != nil {
				continue
			}
			if p.NoRead || p.Ephemeral || yields != nil && yields.Field(p.Name) == nil {
				return fmt.Sprintf("the id is made of inputs.%s, which neither import nor read gives", p.Name)
			}
		case root == "steps" || slices.Contains(plan.AnswerNames, root):
			r.Identity.Answered = true
			if why := c.answers(r, ref.Path); why != "" {
				return why
			}
		default:
			return fmt.Sprintf("the id is made of %s, which is another one when something is imported", strings.Join(ref.Path, "."))
		}
	}
	return ""
}

// answers returns why a member of a create's response cannot be taken from a
// read's; "" if it can.
func (c *compiler) answers(r *plan.Resource, path []string) string {
	named := func(op *plan.Operation) *plan.Step {
		if path[0] != "steps" {
			return plan.Last(op.Steps)
		}
		i := slices.IndexFunc(op.Steps, func(s *plan.Step) bool { return len(path) > 1 && s.Model.As == path[1] })
		if i < 0 {
			return nil
		}
		return op.Steps[i]
	}
	text := strings.Join(path, ".")
	made, seen := named(r.Create), named(r.Read)
	member := path
	switch path[0] {
	case "steps":
		member = path[min(2, len(path)):]
	case "result":
		member = path[1:]
	}
	if made == nil || seen == nil {
		return fmt.Sprintf("the id is %s, and read has no such step", text)
	}
	if made.Family == nil || made.Family != seen.Family || made.Kind == nil || seen.Kind == nil || made.ForEach != nil || seen.ForEach != nil {
		return fmt.Sprintf("the id is %s of %s, and read ends with %s", text, made.Action, seen.Action)
	}
	// What a whole answer says, another request's need not.
	inside := len(member) > 1 && (member[0] == made.Yield || member[0] == "headers")
	if made.Yield == "" {
		inside = len(member) > 0 && made.Kind != seen.Kind
	}
	if !inside {
		return fmt.Sprintf("the id is a whole response of %s", made.Action)
	}
	if c.reaches(seen.Result, member) || made.Yield != "" && member[0] == made.Yield && c.reaches(r.Read.YieldType(), member[1:]) {
		return ""
	}
	return fmt.Sprintf("the id is %s, and what read gives has no %s", text, strings.Join(member, "."))
}

// reaches reports whether values of a type may have something at a path.
func (c *compiler) reaches(t *spec.Type, path []string) bool {
	for _, name := range path {
		if t = c.spec.Types.Resolve(t); t.Kind != spec.Object || t.Open {
			return true
		}
		p := t.Field(name)
		if p == nil {
			return false
		}
		t = p.Type
	}
	return true
}

// renaming warns of ids that an update changes, or should.
func (c *compiler) renaming(r *plan.Resource) {
	if r.Update == nil {
		return
	}
	told := map[string]bool{}
	for _, ref := range r.ID.Refs() {
		if ref.Path[0] != "inputs" || len(ref.Path) < 2 || told[ref.Path[1]] || c.replaces(r, ref.Path[1:]) {
			continue
		}
		name := ref.Path[1]
		p := r.Spec.Inputs.Field(name)
		if p == nil {
			continue
		}
		told[name] = true
		switch {
		case !r.Update.Renames(name):
			c.warn(codeIDInput, p.Range, "inputs."+name, fmt.Sprintf("the id is made of input %q, and no update changes it there", name),
				fmt.Sprintf("An update with another %s would leave the object that was made under the old one. Mark it @replace(), or let update send it to the object of ${id}.", name))
		case !r.Identity.ID.Given():
			c.warn(codeIDChanges, p.Range, "inputs."+name, fmt.Sprintf("an update of input %q may change the id", name),
				"Pulumi learns of the new id with the next refresh, and then replaces what holds it in a property that cannot be changed. Mark the input @replace(), or take the id from something that stays.")
		}
	}
}

// replaces reports whether a change of an input replaces the resource, always or
// by a rule.
func (c *compiler) replaces(r *plan.Resource, path []string) bool {
	t := r.Spec.Inputs
	for _, name := range path {
		p := c.spec.Types.Resolve(t).Field(name)
		if p == nil {
			break
		}
		if p.Replace {
			return true
		}
		t = p.Type
	}
	for _, rule := range r.Rules {
		if slices.ContainsFunc(rule.Replace, func(at string) bool { return value.TopLevel(at) == path[0] }) {
			return true
		}
	}
	return false
}

// importComplete warns of inputs that a delete needs and an import never has: a
// change of theirs replaces the resource, which then cannot be deleted.
func (c *compiler) importComplete(r *plan.Resource) {
	if r.Read == nil || r.Delete == nil {
		return
	}
	given := r.Identity.Inputs()
	for _, p := range r.Spec.Inputs.Fields {
		if !p.Required || p.Default != nil || !p.NoRead || given[p.Name] || !p.Replace && r.Update != nil {
			continue
		}
		for _, s := range r.Delete.Steps {
			i := slices.IndexFunc(s.Refs(), func(ref expr.Ref) bool {
				return (ref.Path[0] == "inputs" || ref.Path[0] == "state") && (len(ref.Path) < 2 || ref.Path[1] == p.Name)
			})
			if i < 0 || s.Effect != actions.Write && s.Known {
				continue
			}
			c.warn(codeImportIncomplete, p.Range, "inputs."+p.Name, fmt.Sprintf("what was imported cannot be deleted: it has no %q", p.Name),
				fmt.Sprintf("delete needs it, an import does not give it, and read does not either. Put ${inputs.%s} into import, or let read return it.", p.Name))
			break
		}
	}
}

// nullHelp says what to do about what may be null in an operation of a resource.
func nullHelp(r *plan.Resource, v plan.Verb) func(string) string {
	return func(part string) string {
		path := strings.Split(part, ".")
		switch {
		case v == plan.Read && part == "id":
			return "An import does not give it. Put ${id} into `import`, or find the object by what import gives."
		case v == plan.Read && len(path) > 1 && path[0] == "inputs":
			return helpImport(r, path[1])
		case len(path) > 1 && path[0] == "state" && r.Unsure[path[1]]:
			return helpUnsure(r, path[1])
		default:
			return ""
		}
	}
}

// helpImport says how read comes by an input that an import does not give.
func helpImport(r *plan.Resource, name string) string {
	p := r.Spec.Inputs.Field(name)
	if p == nil || !plan.CheckedRequired(p) {
		return "" // it may be null at any time
	}
	with := "${inputs." + name + "}"
	if p.Default != nil {
		def, _ := json.Marshal(p.Default)
		return fmt.Sprintf("An import does not give it. Say what stands in for it (inputs.%s ?? %s), or put %s into `import`.", name, def, with)
	}
	if !r.Identity.Imports.Given() {
		return fmt.Sprintf("An import gives only the id. Say that users type more: import: \"%s/${id}\".", with)
	}
	return fmt.Sprintf("An import does not give it: the form is %q. Put %s into `import`, with text around it.", r.Identity.Imports.Text, with)
}

// reversed is the template where it can be read backwards. withID says that it
// may have the id as a part. Where it cannot be, why is in words.
func (c *compiler) reversed(v *expr.Value, text string, inputs *spec.Type, withID bool) (p plan.Reversible, why, remedy string) {
	inputNames, between := 0, true // whether text stands before the piece at hand
	for _, s := range v.Segments() {
		switch {
		case s.Literal || plan.IsSetting(s):
			between = between || !s.Literal || s.Text != ""
			continue
		case plan.IsInput(s) && c.isScalar(inputs.Field(s.Ref[1])) || withID && plan.IsID(s):
		case plan.IsInput(s) && inputs.Field(s.Ref[1]) != nil:
			return plan.Reversible{}, fmt.Sprintf("input %q cannot be told from text", s.Ref[1]),
				"It is read backwards, and takes inputs that are text, a number or a boolean."
		default:
			return plan.Reversible{}, "import is read backwards, and takes only inputs, config and the id",
				"Write each variable as ${inputs.NAME}, ${config.NAME} or ${id}, with text in between."
		}
		if !between {
			return plan.Reversible{}, "two variables of import stand side by side",
				"Put a separator between them, such as `/`: otherwise nobody knows where one ends."
		}
		inputNames, between = inputNames+1, false
	}
	if inputNames == 0 {
		return plan.Reversible{}, "import names no input", "It says how the text that a user imports by is read: \"${inputs.owner}/${inputs.name}\"."
	}
	return plan.Reversible{Text: text, Pieces: v.Segments()}, "", ""
}

// isScalar reports whether each value of a property is one text, and another one
// for another value.
func (c *compiler) isScalar(p *spec.Property) bool {
	if p == nil {
		return false
	}
	t := c.spec.Types.Resolve(p.Type)
	return !t.Nullable && slices.Contains([]spec.Kind{spec.String, spec.Bool, spec.Int, spec.Number}, t.Kind)
}

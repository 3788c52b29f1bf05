package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Check reports what is wrong with the identity of a compiled resource.
func Check(found *finding.Collector, r *plan.Resource) {
	if r.ID == nil || r.Create == nil || r.Spec.Import != nil && !r.Identity.Imports.IsSet() {
		return // broken, which was reported
	}
	c := checker{Collector: found, r: r}
	r.FoundBy = foundBy(r)
	r.KnowsObjects = r.Read != nil || r.Delete != nil
	for _, op := range []*plan.Operation{r.Read, r.Delete} {
		if op != nil {
			_, whole := op.Recorded(r)
			r.KnowsObjects = r.KnowsObjects && !whole
		}
	}
	c.checkImportEnd()
	why := c.whyFixed()
	r.Identity.Follows, r.Identity.Addressing = why == "", addressing(r)
	if !r.Identity.Known && why != "" && r.Read != nil {
		c.Fail(finding.CodeImportNoID, r.Spec.Import.Range, "import", fmt.Sprintf("an import gives %s no id", r.Spec.Name),
			fmt.Sprintf("The import does not contain ${id}, and %s. Put ${id} into it, separated from other values by literal text.", why))
	}
	c.checkRenames()
	c.checkDeleteInputs()
	c.checkReadInputs()
}

// checker checks the identity of one resource.
type checker struct {
	*finding.Collector
	r *plan.Resource
}

// checkImportEnd reports an import in which the text after ${id} is also in every id: the id would
// end too early.
func (c *checker) checkImportEnd() {
	pieces := c.r.Identity.Imports.Pieces
	for i, s := range pieces {
		if !plan.IsID(s) || i+2 >= len(pieces) || !pieces[i+1].Literal {
			continue // the id is the rest of the text
		}
		end := pieces[i+1].Text
		if slices.ContainsFunc(c.r.ID.Segments(), func(s expr.Segment) bool { return s.Literal && strings.Contains(s.Text, end) }) {
			c.Fail(finding.CodeImportTemplate, c.r.Spec.Import.Range, "import", fmt.Sprintf("no import can contain such an id: ${id} ends at %q, which is in every id", end),
				"Put ${id} at the end, or another text after it.")
			return
		}
	}
}

// whyFixed returns why the id cannot be evaluated again from what a read yields, or "" if it can.
func (c *checker) whyFixed() string {
	r := c.r
	if r.Read == nil {
		return "there is no read"
	}
	read, _ := yield.Known(r.Read, r.Spec.Read, r.Types)
	for _, ref := range r.ID.Refs() {
		switch root := ref.Path[0]; {
		case root == "config" || root == "session":
		case root == "inputs" && len(ref.Path) > 1:
			r.Identity.OfInputs = append(r.Identity.OfInputs, ref.Path[1])
			p := r.Spec.Inputs.Field(ref.Path[1])
			if p == nil || r.Identity.Inputs()[p.Name] || p.Default != nil {
				continue
			}
			if p.NoRead || p.Ephemeral || read != nil && read.Field(p.Name) == nil {
				return fmt.Sprintf("the id contains inputs.%s, which neither an import nor read gives", p.Name)
			}
		case root == "steps" || slices.Contains(plan.AnswerNames, root):
			r.Identity.Answered = true
			if why := c.whyNotRead(ref.Path); why != "" {
				return why
			}
		default:
			return fmt.Sprintf("the id contains %s, which is different in an import", strings.Join(ref.Path, "."))
		}
	}
	return ""
}

// whyNotRead returns why a member of a create's response is not a member of a read's, or "" if it
// is.
func (c *checker) whyNotRead(path []string) string {
	text, member := strings.Join(path, "."), path
	switch path[0] {
	case "steps":
		member = path[min(2, len(path)):]
	case "result":
		member = path[1:]
	}
	created, read := stepAt(c.r.Create, path), stepAt(c.r.Read, path)
	if created == nil || read == nil {
		return fmt.Sprintf("the id is %s, and read has no such step", text)
	}
	if created.Family == nil || created.Family != read.Family || created.Kind == nil || read.Kind == nil || created.ForEach != nil || read.ForEach != nil {
		return fmt.Sprintf("the id is %s of %s, and read ends with %s", text, created.Action, read.Action)
	}
	// A whole response is different for another request.
	inside := len(member) > 1 && (member[0] == created.Yield || member[0] == "headers")
	if created.Yield == "" {
		inside = len(member) > 0 && created.Kind != read.Kind
	}
	if !inside {
		return fmt.Sprintf("the id is a whole response of %s", created.Action)
	}
	if c.mayHave(read.Result, member) || created.Yield != "" && member[0] == created.Yield && c.mayHave(c.r.Read.YieldType(), member[1:]) {
		return ""
	}
	return fmt.Sprintf("the id is %s, and the response of read has no %s", text, strings.Join(member, "."))
}

// stepAt returns the step of an operation whose result a path refers to, or nil.
func stepAt(op *plan.Operation, path []string) *plan.Step {
	if path[0] != "steps" {
		return plan.Last(op.Steps)
	}
	if len(path) < 2 {
		return nil
	}
	return plan.Named(op.Steps, path[1])
}

// mayHave reports whether values of a type may have a member at a path.
func (c *checker) mayHave(t *spec.Type, path []string) bool {
	for _, name := range path {
		if t = c.r.Types.Resolve(t); t.Kind != spec.Object || t.Open {
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

// checkRenames warns about ids that an update changes, or leaves although an input of theirs has
// changed.
func (c *checker) checkRenames() {
	r := c.r
	if r.Update == nil {
		return
	}
	warned := map[string]bool{}
	for _, ref := range r.ID.Refs() {
		if ref.Path[0] != "inputs" || len(ref.Path) < 2 || warned[ref.Path[1]] || c.replaces(ref.Path[1:]) {
			continue
		}
		name := ref.Path[1]
		p := r.Spec.Inputs.Field(name)
		if p == nil {
			continue
		}
		warned[name] = true
		switch {
		case !r.Update.Renames(name):
			c.Warn(finding.CodeIDInput, p.Range, "inputs."+name, fmt.Sprintf("the id contains input %q, and update does not rename the object", name),
				fmt.Sprintf("An update with another %s would leave the object with the old id. Mark the input @replace(), or let update send it to the object of ${id}.", name))
		case !r.Identity.ID.IsSet():
			c.Warn(finding.CodeIDChanges, p.Range, "inputs."+name, fmt.Sprintf("an update of input %q may change the id", name),
				"Pulumi learns the new id at the next refresh, and then replaces resources that have it in a property that cannot be changed. Mark the input @replace(), or build the id of values that do not change.")
		}
	}
}

// replaces reports whether a change of an input replaces the resource, always or by a rule.
func (c *checker) replaces(path []string) bool {
	t := c.r.Spec.Inputs
	for _, name := range path {
		p := c.r.Types.Resolve(t).Field(name)
		if p == nil {
			break
		}
		if p.Replace {
			return true
		}
		t = p.Type
	}
	return slices.ContainsFunc(c.r.Rules, func(rule *plan.DiffRule) bool {
		return slices.ContainsFunc(rule.Replace, func(at string) bool { return value.TopLevel(at) == path[0] })
	})
}

// checkDeleteInputs warns about inputs that delete requires and an imported object never has. A
// change of such an input replaces the object, which then cannot be deleted.
func (c *checker) checkDeleteInputs() {
	r := c.r
	if r.Read == nil || r.Delete == nil {
		return
	}
	for _, p := range r.Spec.Inputs.Fields {
		if c.deletesWithout(p) {
			c.Warn(finding.CodeImportIncomplete, p.Range, "inputs."+p.Name, fmt.Sprintf("an imported %s cannot be deleted: it has no %q", r.Spec.Name, p.Name),
				fmt.Sprintf("delete requires it, and neither an import nor read gives it. Put ${inputs.%s} into import, or let read return it.", p.Name))
		}
	}
}

// deletesWithout reports whether delete requires an input that an imported object never has.
func (c *checker) deletesWithout(p *spec.Property) bool {
	r := c.r
	if r.Delete == nil || !p.Required || p.Default != nil || !p.NoRead || r.Identity.Inputs()[p.Name] || !p.Replace && r.Update != nil {
		return false
	}
	return slices.ContainsFunc(r.Delete.Steps, func(s *plan.Step) bool {
		return (s.Effect == actions.Write || !s.Known) && plan.StepAsksFor(s, "inputs."+p.Name)
	})
}

// addressing returns the inputs by which the id and the visible arguments of requests, such as paths, name the object.
func addressing(r *plan.Resource) (inputs []string) {
	refs := r.ID.Refs()
	for _, op := range []*plan.Operation{r.Read, r.Update, r.Delete} {
		if op == nil {
			continue
		}
		for _, s := range op.Steps {
			refs = append(refs, plan.ExposedRefs(s)...)
		}
	}
	for _, ref := range refs {
		if (ref.Path[0] == "inputs" || ref.Path[0] == "state") && len(ref.Path) > 1 {
			inputs = append(inputs, ref.Path[1])
		}
	}
	slices.Sort(inputs)
	return slices.Compact(inputs)
}

// foundBy returns the recorded properties that tell objects with the same id apart: those that
// delete refers to and, if there is a read, read too. An output that delete refers to is always
// one of them. Without a delete, they are those that read refers to.
func foundBy(r *plan.Resource) []string {
	var read []string
	whole := r.Read == nil
	if r.Read != nil {
		read, whole = r.Read.Recorded(r)
	}
	if r.Delete == nil {
		return read
	}
	deleted, _ := r.Delete.Recorded(r)
	return slices.DeleteFunc(deleted, func(name string) bool {
		return !whole && !slices.Contains(read, name) && r.Outputs.ByName[name] == nil
	})
}

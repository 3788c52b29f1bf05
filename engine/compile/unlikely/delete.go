package unlikely

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/template"
)

// checkDelete reports a request that deletes whatever is at a path, although read finds the object by its
// id or by the inputs: it would delete the whole collection.
func (c *checker) checkDelete() {
	read, op := c.r.Read, c.r.Delete
	if read == nil || op == nil || op.Broken || len(op.Steps) != 1 || len(read.Steps) == 0 || c.IsReported("delete") || c.HasFailed("read") {
		return
	}
	s, found := op.Steps[0], read.Steps[0]
	path, method := s.Args["path"], s.Args["method"]
	if !s.Known || !found.Known || path.Node == nil || method.Value == nil || path.Node.Kind != spec.StringNode || s.Model.ForEach != nil {
		return
	}
	if verb, known := method.Value.Const(); !known || verb != "DELETE" || refersToObject(s.Refs()) || found.Args["path"].Value == nil || !refersToObject(found.Args["path"].Value.Refs()) {
		return
	}
	text, query, _ := strings.Cut(path.Node.Text, "?")
	readPath := ""
	if n := found.Args["path"].Node; n != nil {
		readPath = n.Text
	}
	named := template.NamedPath(text, readPath)
	d := c.Fail(finding.CodeBadValue, path.Node.Range, "delete", "the request does not name the object",
		fmt.Sprintf("It would be about the whole collection, or about any object. Write the id into the path: `path: %q`. If the API names the object elsewhere, write the id there: `query: NAME: \"${id}\"`, or `json: NAME: \"${id}\"`.", named))
	if query == "" && strings.HasPrefix(readPath, strings.TrimSuffix(text, "/")+"/") {
		d.Replace(text, named)
	}
}

// refersToObject reports whether references say which object a request is about.
func refersToObject(refs []expr.Ref) bool {
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool { return ref.Path[0] != "config" && ref.Path[0] != "session" })
}

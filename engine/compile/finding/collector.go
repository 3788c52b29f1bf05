// Package finding collects what the compiler finds wrong with a spec: diagnostics, each with its
// code and the place that it is about.
package finding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Collector collects the findings of one compilation. It keeps the place that is being compiled,
// and compiles the templates there.
type Collector struct {
	Diags diag.List
	// Unchecked are the accesses to members of untyped responses, as notes.
	Unchecked diag.List
	// repeated are the paths of errors that are in Diags for another part: what two parts share has
	// one place.
	repeated []string
	// context is the place in words, path the one in the document: see In.
	context, path string
}

// In calls f for a part of the current place. context names the part in words, path in the
// document.
func (c *Collector) In(context, path string, f func()) {
	outer, outerPath := c.context, c.path
	if outer != "" {
		context = outer + ", " + context
	}
	c.context, c.path = context, c.below(path)
	f()
	c.context, c.path = outer, outerPath
}

// Enter moves on to a part of the current place, which the context does not name, until leave is
// called.
func (c *Collector) Enter(path string) (leave func()) {
	outer := c.path
	c.path = c.below(path)
	return func() { c.path = outer }
}

// below returns the path of a part of the current place.
func (c *Collector) below(path string) string {
	if path == "" || c.path == "" || path[0] == '[' {
		return c.path + path
	}
	return c.path + "." + path
}

// Fail adds an error about a part of the current place. The result is valid until the next
// finding.
func (c *Collector) Fail(code string, at diag.Range, path, summary, detail string) *diag.Diagnostic {
	return c.add(diag.Diagnostic{Severity: diag.Error, Code: code, Summary: summary, Detail: detail, Subject: at}, path)
}

// Warn adds a warning about a part of the current place. The result is valid until the next
// finding.
func (c *Collector) Warn(code string, at diag.Range, path, summary, detail string) *diag.Diagnostic {
	return c.add(diag.Diagnostic{Severity: diag.Warning, Code: code, Summary: summary, Detail: detail, Subject: at}, path)
}

// Add adds findings about a part of the current place, but for those that it has already: what
// several operations share, such as a resource's `return`, is compiled for each of them.
func (c *Collector) Add(list diag.List, path string) {
	for _, d := range list {
		c.add(d, path)
	}
}

// add adds one finding. It returns a copy that nobody reads if the finding is there already.
func (c *Collector) add(d diag.Diagnostic, path string) *diag.Diagnostic {
	d.Context = cmp.Or(d.Context, c.context)
	if d.Path == "" {
		d.Path = c.below(path)
	}
	if slices.ContainsFunc(c.Diags, func(o diag.Diagnostic) bool {
		return o.Code == d.Code && o.Subject == d.Subject && o.Summary == d.Summary
	}) {
		if d.Severity == diag.Error {
			c.repeated = append(c.repeated, d.Path)
		}
		return &d
	}
	c.Diags = append(c.Diags, d)
	return &c.Diags[len(c.Diags)-1]
}

// HasFailed reports whether a part of the current place has an error.
func (c *Collector) HasFailed(path string) bool {
	return slices.ContainsFunc(c.Diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && c.isWithin(d, path) }) ||
		slices.ContainsFunc(c.repeated, func(repeated string) bool { return c.isWithin(diag.Diagnostic{Path: repeated}, path) })
}

// IsReported reports whether a part of the current place has an error, or a text that is probably a reference.
func (c *Collector) IsReported(path string) bool {
	return c.HasFailed(path) || slices.ContainsFunc(c.Diags, func(d diag.Diagnostic) bool {
		return (d.Code == expr.CodeBareReference || d.Code == CodeBadCall) && c.isWithin(d, path)
	})
}

// isWithin reports whether a finding is about a part of the current place.
func (c *Collector) isWithin(d diag.Diagnostic, path string) bool {
	rest, below := strings.CutPrefix(d.Path, c.below(path))
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Template compiles a template of a type that the place expects. It returns nil if there is no
// template, or if it is wrong.
func (c *Collector) Template(n *spec.Node, s *expr.Scope, expected *spec.Type, path string) *expr.Value {
	if n == nil || IsReported(n) {
		return nil
	}
	v, diags := expr.Compile(n, s, expected)
	c.Add(diags, path)
	if diags.HasErrors() {
		return nil
	}
	// A template that is compiled more than once is noted each time: sorting removes duplicates.
	for _, at := range v.Unchecked() {
		c.Unchecked = append(c.Unchecked, diag.Diagnostic{
			Severity: diag.Note, Code: CodeUnchecked, Subject: at, Context: c.context, Path: c.below(path),
			Summary: "nothing is known of what this is a member of", Detail: "Give the step that asked for it `returns: #Type`: then the access is checked.",
		})
	}
	return v
}

// IsReported reports whether the loader has reported what is wrong with a value or with a part of
// it. Nothing is to be added then.
func IsReported(n *spec.Node) bool {
	return n.Kind == 0 || slices.ContainsFunc(n.Items, IsReported) ||
		slices.ContainsFunc(n.Fields, func(f spec.Field) bool { return IsReported(f.Value) })
}

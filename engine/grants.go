package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// network opens the origins that are granted.
func (e *Engine) network(vars *expr.Vars) (*network.Network, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Connect {
			continue
		}
		pattern, known, err := patternOf(g, vars, grant.OriginPattern)
		if err != nil {
			return nil, fmt.Errorf("permission %q: %w", g.Node.Text, err)
		}
		if known {
			rules = append(rules, grant.Rule{Access: g.Access, Pattern: pattern})
		}
	}
	if e.env != nil {
		return e.env.Network.Granting(rules)
	}
	return network.New(rules)
}

// rules evaluates the grants of files.
func (e *Engine) rules(vars *expr.Vars) ([]grant.Rule, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Read && g.Access != grant.Write {
			continue
		}
		pattern, known, err := patternOf(g, vars, globPattern)
		if err != nil {
			return nil, fmt.Errorf("permission %q: %w", g.Node.Text, err)
		}
		if known {
			rules = append(rules, grant.Rule{Access: g.Access, Pattern: pattern})
		}
	}
	return rules, nil
}

// patternOf is the grant's glob or origin; known is false where it depends on what
// is not known yet, and so grants nothing.
func patternOf(g plan.Permission, vars *expr.Vars, join func([]spec.Part) (string, error)) (text string, known bool, err error) {
	v, err := g.Value.Eval(vars)
	if err != nil && g.Chosen() {
		return "", false, nil // this resource has no such input, or it is null
	}
	if err != nil || expr.HasUnknown(v) {
		return "", false, err
	}
	parts, err := g.Value.Parts(vars)
	if err != nil {
		return "", false, err
	}
	pieces := make([]spec.Part, len(parts))
	for i, p := range parts {
		pieces[i] = spec.Part{Text: p.Text, Literal: p.Literal}
	}
	text, err = join(pieces)
	return text, err == nil, err
}

// globPattern is a glob in which a value stands for itself, whatever characters
// it has, and does not lead out of the folder that the author wrote before it:
// that is what a reviewer of the permissions has read.
func globPattern(parts []spec.Part) (string, error) {
	text, folder := "", "" // folder is what the author wrote out, before the first value
	if len(parts) > 1 && !parts[0].Literal && parts[0].Text == "" {
		return "", errors.New(`it begins with an empty value, and so would grant everything; "." is the program's own folder`)
	}
	for i, p := range parts {
		switch {
		case !p.Literal:
			text += grant.QuoteGlob(p.Text)
		default:
			text += p.Text
			if i == 0 {
				folder = p.Text[:strings.LastIndexAny(p.Text, `/\`)+1]
			}
		}
	}
	if folder != "" && len(parts) > 1 && slices.Contains(strings.FieldsFunc(text[len(folder):], isSlash), "..") {
		return "", fmt.Errorf("it would lead out of %s by a \"..\": give values that stay below", folder)
	}
	return text, nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

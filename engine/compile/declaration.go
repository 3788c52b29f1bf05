package compile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// correctDeclarations returns the findings with one about the declaration of a property that is probably misspelt, in place of those about its
// uses: at least two uses agree on another name, and nothing uses the declared one.
func correctDeclarations(list diag.List, p *spec.Provider) diag.List {
	uses := map[diag.Range][]*diag.Diagnostic{}
	for i := range list {
		if d := &list[i]; d.Code == types.CodeUnknownMember && len(d.Edits) == 1 && !d.Edits[0].Declared.IsZero() {
			uses[d.Edits[0].Declared] = append(uses[d.Edits[0].Declared], d)
		}
	}
	maps.DeleteFunc(uses, func(_ diag.Range, found []*diag.Diagnostic) bool { return len(found) < 2 || !agree(found) })
	if len(uses) == 0 {
		return list
	}
	text := textOf(p)
	maps.DeleteFunc(uses, func(at diag.Range, found []*diag.Diagnostic) bool {
		return !isOnlyDeclared(text, found[0].Edits[0].Text, at)
	})
	corrected := slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool {
		isUse := len(d.Edits) == 1 && uses[d.Edits[0].Declared] != nil
		return isUse || uses[d.Subject] != nil // what follows from the name
	})
	for at, found := range uses {
		corrected = append(corrected, misspelt(at, found))
	}
	return corrected
}

// misspelt returns the finding about a declaration, for those about its uses.
func misspelt(at diag.Range, found []*diag.Diagnostic) diag.Diagnostic {
	edit, places := found[0].Edits[0], []string{}
	for i, d := range found {
		if i == 3 {
			places = append(places, fmt.Sprintf("%d more", len(found)-i))
			break
		}
		places = append(places, d.Subject.String())
	}
	return diag.Diagnostic{
		Severity: diag.Error, Code: types.CodeUnknownMember, Subject: at,
		Summary: fmt.Sprintf("nothing uses %q, and %d expressions use %q", edit.Text, len(found), edit.Old),
		Detail:  fmt.Sprintf("The declaration is probably misspelt: write %q. It is used in %s.", edit.Old, diag.And(places)),
		Edits:   []diag.Edit{{At: at, Old: edit.Text, Text: edit.Old}},
	}
}

// agree reports whether findings are about the same name.
func agree(found []*diag.Diagnostic) bool {
	for _, d := range found {
		if d.Edits[0].Old != found[0].Edits[0].Old {
			return false
		}
	}
	return true
}

// textOf returns a spec as JSON, which contains each name and template.
func textOf(p *spec.Provider) string {
	var b strings.Builder
	parts := []any{p}
	for _, r := range p.Resources {
		parts = append(parts, r)
	}
	for _, part := range parts {
		text, err := json.Marshal(part)
		if err != nil {
			return "" // then nothing is known to be unused
		}
		b.Write(text)
	}
	return b.String()
}

// isOnlyDeclared reports whether a spec has a name only where it is declared.
func isOnlyDeclared(text, name string, at diag.Range) bool {
	place, err := json.Marshal(at)
	if err != nil || text == "" {
		return false
	}
	named := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	return len(named.FindAllStringIndex(text, -1)) == strings.Count(text, `"range":`+string(place))
}

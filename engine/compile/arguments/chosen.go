package arguments

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// suggestChoice completes the finding about a boolean where one of two words is chosen, as in
// {of: ["login", "nologin"], is: "${inputs.login}"}: as text, it would be none of them.
func suggestChoice(argument *spec.Node, found diag.List) {
	for _, f := range argument.Fields {
		of, is := f.Value.Get("of"), f.Value.Get("is")
		if of == nil || is == nil || of.Kind != spec.ListNode || len(of.Items) != 2 || is.Kind != spec.StringNode {
			continue
		}
		pieces, bad := template.Scan(is.Text)
		if bad != nil || len(pieces) != 1 || !pieces[0].Expr {
			continue
		}
		yes, no, certain := contrary(of.Items[0].Text, of.Items[1].Text)
		condition := strings.TrimSpace(pieces[0].Text)
		for i, d := range found {
			if d.Code != types.CodeTypeMismatch || !is.Range.Contains(d.Subject) || !strings.HasSuffix(d.Summary, "got a bool") {
				continue
			}
			written := fmt.Sprintf("%s ? '%s' : '%s'", condition, yes, no)
			found[i].Detail = fmt.Sprintf("Choose one of the words: \"${%s}\".", written)
			if certain && !strings.ContainsAny(condition, "?:|") {
				found[i].Suggest(diag.Edit{At: is.Range, Old: pieces[0].Text, Text: written})
			}
		}
	}
}

// contrary returns two words in the order in which a condition chooses them. It is certain if one of them is the
// other with a negation.
func contrary(first, second string) (yes, no string, certain bool) {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "")
	for _, negation := range []string{"no", "not", "non", "un"} {
		switch {
		case plain.Replace(first) == negation+plain.Replace(second):
			return second, first, true
		case plain.Replace(second) == negation+plain.Replace(first):
			return first, second, true
		}
	}
	return first, second, false
}

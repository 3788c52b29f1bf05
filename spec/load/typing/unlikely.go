package typing

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/types"
)

// typeRange returns the position of the type of a property, without the quotes of YAML.
func typeRange(x *Extractor, m walk.Item) diag.Range {
	at := m.At
	if !x.Raw || m.Field == nil {
		return at
	}
	return x.Files.Unquoted(at)
}

// checkQuotedType warns about a property whose type is the name of a type in quotes: it is a
// constant. A property that is called type or kind may well have such a value.
func checkQuotedType(x *Extractor, m walk.Item, s Site) {
	lit, meant, ok := quotedType(m)
	if !ok {
		return
	}
	at := x.Files.RangeOf(lit)
	x.Warn(source.CodeQuotedType, at, s.Place, fmt.Sprintf("the only value of %s is the text %s", m.Name, lit.Value),
		fmt.Sprintf("For a type, write %s without quotes.", meant)).Suggest(diag.Edit{At: at, Text: meant})
}

// checkLiteralSetting warns about a setting of which nothing but one value is allowed: it was
// meant to be the default.
func checkLiteralSetting(x *Extractor, p *spec.Property, m walk.Item, s Site) {
	lit, ok := m.Expr.(*ast.BasicLit)
	if !ok || s.Role != ConfigRole || s.depth != 1 || s.named || len(p.Type.Enum) != 1 || isQuotedType(m) {
		return
	}
	at, kind := typeRange(x, m), p.Type.Kind.String()
	if types.IsOnlyNull(p.Type) {
		x.Warn(source.CodeLiteralSetting, at, s.Place, "nothing but null can be set", nullRemedy(p))
		return
	}
	d := x.Warn(source.CodeLiteralSetting, at, s.Place, fmt.Sprintf("nothing but %s can be set", lit.Value),
		fmt.Sprintf("For a default, write `*%s | %s`.", lit.Value, kind))
	if !x.Raw {
		d.Suggest(diag.Edit{At: at, Text: fmt.Sprintf("*%s | %s", lit.Value, kind)})
	}
}

// reportBytes reports bytes in the place of a type: mostly, they are strings in single quotes.
func reportBytes(x *Extractor, s Site, parts []walk.Item) {
	var edits []diag.Edit
	for _, part := range parts {
		lit, ok := part.Expr.(*ast.BasicLit)
		if !ok || !strings.HasPrefix(lit.Value, "'") {
			continue
		}
		if text, err := literal.Unquote(lit.Value); err == nil {
			edits = append(edits, diag.Edit{At: x.Files.RangeOf(lit), Text: literal.String.Quote(text)})
		}
	}
	if edits == nil {
		x.Report(source.CodeBytesType, parts[0].At, s.Place, "bytes cannot be a property's type", "Use string and base64, or #Asset for a file of the user.")
		return
	}
	d := x.Report(source.CodeBytesType, edits[0].At, s.Place, "text in single quotes is bytes in CUE", "Write it in double quotes: "+edits[0].Text+".")
	if !x.Raw {
		d.Suggest(edits...)
	}
}

// checkConstant warns about an input of which only one value is allowed. In a struct, it may be the
// tag of a union, and settings have checkLiteralSetting.
func checkConstant(x *Extractor, p *spec.Property, m walk.Item, s Site) {
	isNull := types.IsOnlyNull(p.Type)
	if m.Field == nil || s.Role != InputRole || s.depth != 1 || s.named || p.Default != nil || len(p.Type.Enum) != 1 || p.Type.Ref != "" || p.Type.Nullable && !isNull || isQuotedType(m) {
		return
	}
	reported := slices.ContainsFunc(x.Diags, func(d diag.Diagnostic) bool {
		return d.Subject.File == m.At.File && d.Subject.Start.Line == m.At.Start.Line
	})
	if reported {
		return // such as `string = "x"` in CUE
	}
	if isNull {
		x.Warn(source.CodeConstantInput, m.At, s.Place, fmt.Sprintf("null is the only value of %s", p.Name), nullRemedy(p))
		return
	}
	shown, kind := types.DescribeValue(p.Type.Enum[0]), p.Type.Kind.String()
	remedy := fmt.Sprintf("For a default, write `%s: *%s | %s`.", p.Name, shown, kind)
	if text, ok := p.Type.Enum[0].(string); ok && strings.ContainsAny(text, "^$[]\\+*") {
		remedy = fmt.Sprintf("For a regular expression, write `%s: =~%s`.", p.Name, shown)
	}
	x.Warn(source.CodeConstantInput, m.At, s.Place, fmt.Sprintf("%s is the only value of %s", shown, p.Name),
		remedy+" If the API requires this value, write it into the request instead: users have nothing to choose.")
}

// nullRemedy returns what to write for a property of which only null is allowed.
func nullRemedy(p *spec.Property) string {
	return fmt.Sprintf("Write its type: `%s: string`, or `%[1]s: string | null` if it may be null.", p.Name)
}

// isQuotedType reports whether checkQuotedType warns about a property.
func isQuotedType(m walk.Item) bool {
	_, _, quoted := quotedType(m)
	return quoted
}

// quotedType returns the literal of a property whose type is the name of a type in quotes, and the
// type that was meant.
func quotedType(m walk.Item) (lit *ast.BasicLit, meant string, ok bool) {
	lit, ok = m.Expr.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING || strings.HasSuffix(strings.ToLower(m.Name), "type") || strings.HasSuffix(strings.ToLower(m.Name), "kind") {
		return nil, "", false
	}
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		return nil, "", false
	}
	if t, ok := foreign.ParseType(text); ok && t.Len == len(text) {
		return lit, t.CUE, true
	}
	return lit, text, slices.Contains(source.PredeclaredTypes, text)
}

// secretWords are the last words of names that hold secrets, by the role of the property. In
// inputs, token, secret and key have other meanings as well, and in outputs key.
var (
	secretWords = map[Role][]string{
		ConfigRole: {"password", "passphrase", "passwd", "secret", "token", "key"},
		InputRole:  {"password", "passphrase", "passwd"},
		OutputRole: {"password", "passphrase", "passwd", "secret", "token"},
	}
	secretPairs = []string{"api key", "secret key", "private key", "access token", "client secret", "auth token", "api token", "bearer token", "refresh token", "webhook secret", "shared secret", "admin key", "signing key", "encryption key", "master key"}
	publicPairs = []string{"host key", "public key", "next token", "page token", "continuation token"}
)

// checkUnmarkedSecret warns about a setting, an input or an output that is secret by its name, and
// not marked.
func checkUnmarkedSecret(x *Extractor, p *spec.Property, m walk.Item, s Site) {
	words := wordsOf(p.Name)
	if p.IsSecret() || s.depth != 1 || s.named || x.Kind(m)&cue.StringKind == 0 || x.named.types.Resolve(p.Type).Kind != spec.String || len(p.Type.Enum) > 0 {
		return
	}
	last := words[len(words)-1]
	pair := strings.Join(words[max(0, len(words)-2):], " ")
	isPair := func(secret string) bool { return secret == pair || strings.ReplaceAll(secret, " ", "") == last } // apikey
	if slices.Contains(publicPairs, pair) || !slices.Contains(secretWords[s.Role], last) && (secretWords[s.Role] == nil || !slices.ContainsFunc(secretPairs, isPair)) {
		return
	}
	x.Warn(source.CodeUnmarkedSecret, m.NameAt, s.Place, fmt.Sprintf("%s is stored in plain text", p.Name),
		"If it is a secret, mark it: add @secret(). If it is not, a name that does not suggest a secret is clearer.").Suggest(p.WithAttribute("secret()"))
}

// wordsOf splits a name such as apiKey or API_KEY into its words, in lower case.
func wordsOf(name string) []string {
	var words []string
	var word strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		starts := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if (starts || r == '_') && word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
		if r != '_' {
			word.WriteRune(unicode.ToLower(r))
		}
	}
	return append(words, word.String())
}

// tupleRemedy returns what to write for a list in the place of a type, with its edits: of one type, it is a list of that
// type; of literals, their alternatives.
func tupleRemedy(x *Extractor, it walk.Item) (string, []diag.Edit) {
	const remedy = "Write [...T] for a list of T (with list.MaxItems to limit its length), or a struct with a field for each item."
	list, ok := it.Expr.(*ast.ListLit)
	if !ok || len(list.Elts) == 0 {
		return remedy, nil
	}
	var values []string
	for _, e := range list.Elts {
		if lit, ok := e.(*ast.BasicLit); ok {
			values = append(values, lit.Value)
		}
	}
	at := x.Files.RangeOf(list)
	text := x.Files.TextAt(at)
	switch {
	case len(values) == len(list.Elts):
		either := strings.Join(values, " | ")
		written := fmt.Sprintf("For one of the values, write %s. For a list of them, write [...(%[1]s)].", either)
		if x.Raw {
			return written, nil
		}
		return written, []diag.Edit{{At: at, Text: either}}
	case len(list.Elts) == 1 && len(values) == 0 && strings.HasPrefix(text, "["):
		at.End = at.Start
		at.Start.Column++
		at.End.Column++
		return fmt.Sprintf("Write [...%s for a list.", text[1:]), []diag.Edit{{At: at, Text: "..."}}
	}
	return remedy, nil
}

package foreign

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// localName matches a local name (`let`) that is written as a member.
var localName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^\w.])(let\.)[A-Za-z_]`) })

// inExpressions are the rules for expressions that cannot be parsed.
var inExpressions = sync.OnceValue(func() []rule {
	return []rule{
		{
			regexp.MustCompile(`^\s*(\{)[^{}]*(\})\s*$`), "an expression has one brace", "Write ${…}, not ${{ … }}.", twoBraces,
		},
		{localName(), "a local name is written alone", "", func(text string, _ []int) []Part {
			var parts []Part
			for _, m := range localName().FindAllStringSubmatchIndex(text, -1) {
				parts = append(parts, Part{m[2], m[3], ""})
			}
			return parts
		}},
		choice(`^\s*(?P<a>\S.*?)\s+if\s+(?P<c>.+?)\s+else\s+(?P<b>.+?)\s*$`),
		choice(`^\s*(?:if\s+)?(?P<c>\S.*?)\s+then\s+(?P<a>.+?)\s+else\s+(?P<b>.+?)\s*$`),
		{regexp.MustCompile(`^\s*if\s*\(`), "a condition precedes its values", "", choiceOfCall},
		{
			regexp.MustCompile(`^\s*\[\s*(\w+)((?:\.\w+)*)\s+for\s+(\w+)\s+in\s+([\w.]+)\s*\]\s*$`), "a list is computed with map", "Write map(list, #.name), where # is the item.",
			func(text string, m []int) []Part {
				return []Part{{0, len(text), "map(" + group(text, m, 4) + ", " + cmp.Or(group(text, m, 2), "#") + ")"}}
			},
		},
		{
			regexp.MustCompile(`\?*\.` + overItems), "a function over items takes the list first", "",
			methodsOverItems,
		},
		{
			regexp.MustCompile(`\b(?:map|filter|sortBy|groupBy|find|findLast|reduce)\(`), "a struct in a predicate requires parentheses", "",
			structOfPredicate,
		},
		{
			regexp.MustCompile(`,\s*(\(?(\w+)\)?\s*=>)`), "a predicate has no parameter", "Write # for the item: filter(list, #.name == 'a').",
			func(text string, m []int) []Part {
				end := endOfArgument(text, m[1])
				if end < 0 {
					return nil
				}
				return []Part{{m[2], end, itemOf(group(text, m, 2), text[m[1]:end])}}
			},
		},
		{regexp.MustCompile(`(\bis\s+not\s+(?:None|null|nil|undefined)|!==?\s*(?:None|nil|undefined))\b`), "a value is compared with null by !=", "Write x != null.", whole("!= null")},
		{regexp.MustCompile(`(\bis\s+(?:None|null|nil|undefined)|===?\s*(?:None|nil|undefined))\b`), "a value is compared with null by ==", "Write x == null.", whole("== null")},
		{regexp.MustCompile(`(===)`), "two values are compared with ==", "Write == for ===.", whole("==")},
		{regexp.MustCompile(`(!==)`), "two values are compared with !=", "Write != for !==.", whole("!=")},
		{regexp.MustCompile(`(<>)`), "two values are compared with !=", "Write != for <>.", whole("!=")},
		{regexp.MustCompile(`\s(=~)\s`), "a string is compared with a pattern by matches", "Write x matches '^a'.", whole("matches")},
		{regexp.MustCompile(`[^=!<>](=)[^=~>]`), "two values are compared with ==", "Write == for =.", whole("==")},
		{regexp.MustCompile(`(\?:)`), "a default is written with ??", "Write a ?? b.", whole("??")},
		{regexp.MustCompile(`[\w\])](\?)\[`), "an item of a list that may be null is written ?.[ ]", "Write a?.[0].", whole("?.")},
		{regexp.MustCompile(`\s(!\s*in)\s`), "an item that a list does not have is written not in", "Write x not in y.", whole("not in")},
		{
			regexp.MustCompile(`\$\{([^{}]*)\}`), "an expression cannot contain ${", "Write the name without ${ and }.",
			func(_ string, m []int) []Part { return []Part{{m[0], m[2], ""}, {m[3], m[1], ""}} },
		},
		{regexp.MustCompile(`(\$)[a-z]`), "a name has no $", "Write the name without $.", whole("")},
		{regexp.MustCompile(`[\w\])](!)(?:\.|\s*$|\))`), "an expression has no !", "Write a default, x ?? '', or a condition, if the value may be null.", whole("")},
		{
			regexp.MustCompile(`^\s*([\w.]+)\[\*\]((?:\.\w+)+)\s*$`), "a member of all items is computed with map", "Write map(list, #.name).",
			func(text string, m []int) []Part {
				return []Part{{0, len(text), "map(" + group(text, m, 1) + ", " + group(text, m, 2) + ")"}}
			},
		},
		{regexp.MustCompile(`^\s*(\.(?:Values\.|Release\.)?)[A-Za-z]`), "a name begins with inputs or config", "Write inputs.name or config.name.", whole("inputs.")},
		{regexp.MustCompile(`[^|]\|\s*[A-Za-z]`), "a function is called by its name", "", filters},
		{
			regexp.MustCompile(`\bin\s+(\()[^()]*(\))`), "a list is written in brackets", "Write x in ['a', 'b'].",
			func(_ string, m []int) []Part { return []Part{{m[2], m[3], "["}, {m[4], m[5], "]"}} },
		},
		{regexp.MustCompile(`\b(f)["']`), "text and values are joined in a template", "Write the text around the expression: \"a-${x}\".", whole("")},
		{regexp.MustCompile(`\s\?(?:[^?.:]|$)`), "a condition chooses between two values", "", choiceOfOne},
	}
})

// firstKey matches the first member of a struct, which is in braces itself.
var firstKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?:[\w#.-]+|"[^"]*"|'[^']*'|\([^()]*\))\s*:`) })

// twoBraces returns the parts that remove the braces around an expression that is not a struct.
func twoBraces(text string, m []int) []Part {
	if firstKey().MatchString(text[m[3]:m[4]]) {
		return nil
	}
	return []Part{{m[2], m[3], ""}, {m[4], m[5], ""}}
}

func group(text string, m []int, n int) string { return text[m[2*n]:m[2*n+1]] }

// ParseExpression translates an expression that cannot be parsed.
func ParseExpression(text string) (Repair, bool) {
	for _, r := range inExpressions() {
		if repair, ok := r.apply(text); ok {
			return repair, true
		}
	}
	return Repair{}, false
}

// functions are the names of functions elsewhere, in lower case without underscores.
var functions = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"length": "len", "size": "len", "count": "len", "strlen": "len",
		"tostring": "string", "str": "string", "tonumber": "float", "number": "float", "parseint": "int", "toint": "int", "integer": "int", "parsefloat": "float",
		"touppercase": "upper", "uppercase": "upper", "toupper": "upper", "ucase": "upper", "upcase": "upper",
		"tolowercase": "lower", "lowercase": "lower", "tolower": "lower", "downcase": "lower",
		"trimspace": "trim", "strip": "trim", "trimstart": "trim", "removeprefix": "trimPrefix", "removesuffix": "trimSuffix",
		"parse": "jsondecode", "parsejson": "jsondecode", "fromjson": "jsondecode", "loads": "jsondecode",
		"stringify": "jsonencode", "tojson": "jsonencode", "dumps": "jsonencode",
		"toyaml": "yamlencode", "fromyaml": "yamldecode",
		"b64enc": "base64encode", "btoa": "base64encode", "b64encode": "base64encode", "base64": "base64encode",
		"b64dec": "base64decode", "atob": "base64decode", "b64decode": "base64decode",
		"sha256sum": "sha256", "sha1sum": "sha1", "md5sum": "md5", "encodeuricomponent": "urlencode", "urlquery": "urlencode", "quoteplus": "urlencode",
		"startswith": "hasPrefix", "beginswith": "hasPrefix", "endswith": "hasSuffix", "hasprefix": "hasPrefix", "hassuffix": "hasSuffix",
		"replaceall": "replace", "sub": "replace", "distinct": "uniq", "unique": "uniq", "element": "get", "lookup": "get", "index": "get",
		"sorted": "sort", "reversed": "reverse", "extend": "concat", "append": "concat", "assign": "merge", "pluck": "pick",
		"pow": "", "abspath": "", "file": "", "format": "", "printf": "", "sprintf": "", "uuid": "", "random": "", "try": "coalesce", "can": "", "ternary": "",
		"defaultto": "coalesce", "ifnull": "coalesce", "nvl": "coalesce",
	}
})

// remedies are the remedies for functions without a counterpart.
var remedies = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"format": "Write the text around the expressions: \"a-${x}-b\".", "printf": "Write the text around the expressions: \"a-${x}-b\".", "sprintf": "Write the text around the expressions: \"a-${x}-b\".",
		"uuid": "Nothing is random in a template. For a generated name, declare the input with @autoname().", "random": "Nothing is random in a template. For a generated name, declare the input with @autoname().",
		"can": "Write x != null.", "ternary": "Write c ? a : b.", "file": "Read the file in a step: `file: read: path: \"…\"`.",
	}
})

// Function translates the name of a function.
func Function(name string) (own string, ok bool) {
	own = functions()[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
	return own, own != "" && own != name
}

// FunctionRemedy returns what to write for a function without a counterpart, or "".
func FunctionRemedy(name string) string {
	return remedies()[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
}

// literals are constants.
var literals = sync.OnceValue(func() map[string]string {
	return map[string]string{"None": "null", "undefined": "null", "NULL": "null", "Null": "null", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
})

// Literal translates a constant.
func Literal(name string) (own string, ok bool) {
	own, ok = literals()[name]
	return own, ok
}

// IsEnvironment reports whether a name stands for the environment elsewhere.
func IsEnvironment(name string) bool {
	switch name {
	case "env", "ENV", "environ", "process", "os", "secrets", "github":
		return true
	default:
		return false
	}
}

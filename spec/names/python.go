package names

import (
	"slices"
	"strings"
)

// Python returns the name of a property in a Python SDK: publicIPs becomes public_ips, and a
// keyword gets a _ at its end (pulumi/pulumi v3.259.0, pkg/codegen/python/python.go, PyName).
func Python(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		afterUpper := i > 0 && isUpper(runes[i-1])
		startsWord := isUpper(r) && i > 0 && !afterUpper
		if isUpper(r) && afterUpper && i+1 < len(runes) { // the last letter of an acronym, or the first one of a word
			next := runes[i+1]
			startsWord = !isUpper(next) && next != 's' && (next < '0' || next > '9')
		}
		if startsWord {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	if slices.Contains(pythonKeywords, b.String()) {
		b.WriteByte('_')
	}
	return b.String()
}

// pythonKeywords are the keywords of Python 2 and 3 in lower case.
var pythonKeywords = []string{
	"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "exec", "finally", "for", "from",
	"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "print", "raise", "return", "try", "while", "with", "yield",
}

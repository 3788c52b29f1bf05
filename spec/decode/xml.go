package decode

import "bytes"

// CountXML counts the elements and attributes of an XML text without making any, and
// never too few: every element has a `<` before its name, and every attribute a `=`
// before its quote. What looks like one in a comment or in CDATA counts, too: to leave
// that out would need a second parser, and where two parsers disagree, one is deceived.
func CountXML(data []byte) int {
	count := 0
	for rest := data; ; {
		at := bytes.IndexAny(rest, "<=")
		if at < 0 {
			return count
		}
		mark := rest[at]
		rest = rest[at+1:]
		next := bytes.TrimLeft(rest, " \t\r\n")
		switch {
		case len(next) == 0:
			return count
		case mark == '=' && (next[0] == '"' || next[0] == '\''):
			count++
		case mark == '<' && rest[0] != '/' && rest[0] != '!' && rest[0] != '?':
			count++
		}
		rest = next
	}
}

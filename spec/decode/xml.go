package decode

import "bytes"

// CountXML returns an upper bound for the number of elements and attributes of an XML
// text without decoding it. Every element has a `<` before its name, and every
// attribute a `=` before its quote. Text in comments and CDATA that looks like one is
// counted as well. Excluding it would require a second parser, and an attacker could
// exploit any difference between the two parsers.
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

package diag

import "bytes"

// Sources are the contents of a spec's files, by the names that ranges give
// them. A writer takes the lines of its snippets from there; a file that is
// missing costs the snippet, never the finding.
type Sources map[string][]byte

// line is line n of a file, counted from 1, without its end. ok is false where
// there is no such line.
func (s Sources) line(file string, n int) (text string, ok bool) {
	content, ok := s[file]
	if !ok || n < 1 {
		return "", false
	}
	for ; n > 1; n-- {
		_, rest, found := bytes.Cut(content, []byte{'\n'})
		if !found {
			return "", false
		}
		content = rest
	}
	first, _, _ := bytes.Cut(content, []byte{'\n'})
	return string(bytes.TrimSuffix(first, []byte{'\r'})), true
}

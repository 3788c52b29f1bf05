package diag

import "bytes"

// Sources are the contents of a spec's files, by the file names in ranges. Writers
// take the lines of snippets from them. If a file is missing, the diagnostic is
// written without a snippet.
type Sources map[string][]byte

// line returns line n of a file, counted from 1, without its line break. ok is false
// if there is no such line.
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

package layout

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// blank stands for an empty line while a document is encoded: a comment, which the encoder
// keeps in its place.
const blank = "#·blank·line·"

// YAML formats a document: two spaces for each level, one space around what separates
// values, at most one empty line in a row. The styles of strings, lists and structs stay as
// they are. It returns an *Error for a document that the encoder would change.
func YAML(text []byte) ([]byte, error) {
	// The encoder places some comments differently the second time.
	for range maxRounds {
		formatted, err := formatOnce(text)
		if err != nil || string(formatted) == string(text) {
			return formatted, err
		}
		text = formatted
	}
	return nil, &Error{Line: 1, Summary: "the comments of this document have no stable place", Remedy: "Move them to lines of their own, above the keys that they are about."}
}

// maxRounds is how often a document is formatted before it has to stay as it is.
const maxRounds = 4

func formatOnce(text []byte) ([]byte, error) {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	before, err := decode([]string{string(text)})
	if err != nil || len(before.Content) == 0 {
		return text, err
	}
	marked, err := decode(markBlank(lines, scalars(before, lines)))
	if err != nil {
		return nil, err
	}
	out, err := encode(marked)
	if err != nil {
		return nil, err
	}
	if err := compare(before, lines, out); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// decode decodes a document. Without a newline at its end, the decoder would lose comments.
func decode(lines []string) (*yaml.Node, error) {
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")+"\n"), &doc)
	return &doc, err
}

// encode returns the text of a document in which markBlank has marked the empty lines.
func encode(doc *yaml.Node) (string, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	withoutMergeTags(doc)
	if err := encoder.Encode(doc); err != nil {
		return "", fmt.Errorf("formatting: %w", err)
	}
	var out []string
	marked := false
	for line := range strings.SplitSeq(text.String(), "\n") {
		switch {
		case strings.TrimSpace(line) == blank:
			marked, line = true, ""
			if len(out) > 0 && out[len(out)-1] == "" {
				continue
			}
		case marked && line == "": // the encoder puts one after comments at the end of a block
			continue
		default:
			marked = false
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n", nil
}

// withoutMergeTags removes the tags of the keys <<, which the encoder would write.
func withoutMergeTags(n *yaml.Node) {
	if n.Tag == "!!merge" {
		n.Tag = ""
	}
	for _, child := range n.Content {
		withoutMergeTags(child)
	}
}

// markBlank marks the empty lines that are not part of a scalar, one of several in a row. Each
// is indented like the line that follows: the decoder attaches comments to nodes by their
// indentation.
func markBlank(lines []string, within []extent) []string {
	var out []string
	indent, marked := "", true // there is no line after the last one
	for i, line := range slices.Backward(lines) {
		text := strings.TrimLeft(line, " \t")
		switch {
		case text != "" || slices.ContainsFunc(within, func(e extent) bool { return i > e.line && e.contains(i, 0) }):
			indent, marked = line[:len(line)-len(text)], false
			out = append(out, line)
		case !marked && i > 0:
			marked = true
			out = append(out, indent+blank)
		}
	}
	slices.Reverse(out)
	return out
}

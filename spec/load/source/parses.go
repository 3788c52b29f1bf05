package source

import (
	"bytes"
	"cmp"

	"cuelang.org/go/cue/parser"
	"cuelang.org/go/encoding/json"
	"go.yaml.in/yaml/v3"
)

// Parses reports whether the text of a file has the syntax of its format, which its name
// determines; stdinFormat is the format of a name without an extension.
func Parses(name, stdinFormat string, content []byte) bool {
	content = bytes.ReplaceAll(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	var err error
	switch cmp.Or(formatOf(name), stdinFormat, "cue") {
	case "yaml":
		err = yaml.Unmarshal(content, new(yaml.Node))
	case "json":
		_, err = json.Extract(name, content)
	default:
		_, err = parser.ParseFile(name, content, parser.ParseComments)
	}
	return err == nil
}

package diag

import (
	"fmt"
	"io"
	"strings"

	"github.com/declprov/declprov/spec/screen"
)

// WriteGitHub writes diagnostics as workflow commands, which GitHub Actions displays
// next to the lines of a pull request.
//
// The commands and their escapes are those of
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions and
// of the runner's source code (ActionCommand.cs).
func WriteGitHub(w io.Writer, list List) error {
	for _, d := range list {
		message := d.Summary
		if d.Detail != "" {
			message += "\n" + d.Detail
		}
		command := d.Severity.String()
		if d.Severity == Note {
			command = "notice"
		}
		_, err := fmt.Fprintf(w, "::%s %s::%s\n", command, githubPlace(d), githubData(message))
		if err != nil {
			return err
		}
	}
	return nil
}

// githubPlace returns the properties of a command: the known parts of the position,
// and the code as the title.
func githubPlace(d Diagnostic) string {
	var props []string
	if d.Subject.File != "" {
		props = append(props, "file="+githubProperty(d.Subject.File))
	}
	if start := d.Subject.Start; start.Line > 0 {
		props = append(props, fmt.Sprintf("line=%d,col=%d", start.Line, start.Column))
	}
	return strings.Join(append(props, "title="+githubProperty(d.Code)), ",")
}

// githubData returns the escaped text of a command.
func githubData(s string) string {
	return screen.Visible(strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s))
}

// githubProperty returns the escaped value of a property of a command.
func githubProperty(s string) string {
	return screen.Exact(strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s))
}

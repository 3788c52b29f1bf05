package exec

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// resultType returns the type of the result of a command.
func resultType(s actions.Static) *spec.Type {
	return declare.Object(members(s)...)
}

func members(s actions.Static) []*spec.Property {
	out := []*spec.Property{declare.Member("exitCode", declare.Int(), "Exit code.")}
	form, _ := s.Literals["stdout"].(string)
	switch {
	case s.Types["returns"] != nil:
		out = append(out, declare.Member("stdout", s.Types["returns"], "Standard output, decoded."))
	case form == "json":
		out = append(out, declare.Field("stdout", declare.Any(), "Standard output, decoded; null if it is empty."))
	case form == "lines":
		out = append(out, declare.Member("stdout", declare.List(declare.Text()), "Lines of the standard output, without line ends."))
	case form == "none":
	case form == "raw":
		out = append(out, declare.Member("stdout", declare.Text(), "Standard output, unchanged."))
	case form == "bytes":
		out = append(out, declare.Member("stdout", declare.Text(), "Standard output in base64."))
	default:
		out = append(out, declare.Member("stdout", declare.Text(), "Standard output, by default without one newline at its end; the argument `stdout` sets another format, and with it another type."))
	}
	return append(out, declare.Member("stderr", declare.Text(), "Standard error, without one newline at its end."))
}

// lateScope returns the names that a late expression may refer to after a failure. The
// standard output is text if it cannot be decoded.
func lateScope(actions.Static, string) []*spec.Property {
	known := []*spec.Property{
		declare.Member("exitCode", declare.Int(), "Exit code; -1 if a signal ended the command."), declare.Field("stdout", declare.Any(), "Standard output, decoded if possible, else as text."),
		declare.Member("stderr", declare.Text(), "Standard error."),
	}
	return append(known, declare.Member("result", declare.Object(known...), "The three members above."))
}

// decoded returns the standard output in the format that `stdout` sets.
func (j *judge) decoded() (any, error) {
	raw := j.out.stdout.kept
	switch j.opts.Stdout {
	case "none":
		return nil, nil
	case "bytes":
		return base64.StdEncoding.EncodeToString(raw), nil
	case "json":
		if len(strings.TrimSpace(string(raw))) == 0 {
			if j.opts.Returns {
				return nil, errors.New("expected a value of the type that `returns` names, got empty output")
			}
			return nil, nil
		}
		return decode.JSON(raw, decode.NewBudget(j.call.MaxValues()))
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("invalid UTF-8; use `stdout: \"bytes\"`")
	}
	if j.opts.Stdout == "raw" {
		return string(raw), nil
	}
	if j.opts.Stdout == "lines" {
		if err := decode.NewBudget(j.call.MaxValues()).Spend(bytes.Count(raw, []byte("\n")) + 1); err != nil {
			return nil, err
		}
		lines := []any{}
		for line := range strings.Lines(string(raw)) {
			lines = append(lines, trimNewline(line))
		}
		return lines, nil
	}
	return trimNewline(string(raw)), nil
}

// result returns the result of the command.
func (j *judge) result(exitCode int) (map[string]any, error) {
	out := map[string]any{"exitCode": int64(exitCode), "stderr": j.stderr()}
	if !j.call.Asks("stdout") {
		return out, nil
	}
	if j.out.stdout.size > int64(j.opts.MaxBytes) {
		return nil, fmt.Errorf("its standard output exceeds maxBytes (%d bytes); raise maxBytes, or set `stdout: \"none\"`", j.opts.MaxBytes)
	}
	v, err := j.decoded()
	var many *decode.TooManyError
	if errors.As(err, &many) {
		return nil, fmt.Errorf("its standard output has %d values, which exceeds maxValues (%d); raise maxValues, or print less", many.Count, many.Limit)
	}
	if err != nil {
		return nil, fmt.Errorf("its standard output cannot be read as %s: %w", strings.ToUpper(j.opts.Stdout), err)
	}
	if j.opts.Stdout != "none" {
		out["stdout"] = v
	}
	return out, nil
}

func (j *judge) stderr() string {
	return trimNewline(strings.ToValidUTF8(string(j.out.stderr.bytes()), "\uFFFD"))
}

// trimNewline returns text without one newline at its end.
func trimNewline(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }

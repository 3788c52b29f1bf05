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

// resultType is the type of what a command yields.
func resultType(s actions.Static) *spec.Type {
	return declare.Object(members(s)...)
}

func members(s actions.Static) []*spec.Property {
	out := []*spec.Property{declare.Member("exitCode", declare.Int(), "The exit code.")}
	form, _ := s.Literals["stdout"].(string)
	switch {
	case s.Types["returns"] != nil:
		out = append(out, declare.Member("stdout", s.Types["returns"], "Its standard output, decoded."))
	case form == "json":
		out = append(out, declare.Field("stdout", declare.Any(), "Its standard output, decoded; null where it wrote nothing."))
	case form == "lines":
		out = append(out, declare.Member("stdout", declare.List(declare.Text()), "The lines of its standard output, without their ends."))
	case form == "none":
	case form == "bytes":
		out = append(out, declare.Member("stdout", declare.Text(), "Its standard output, in base64."))
	default:
		out = append(out, declare.Member("stdout", declare.Text(), "Its standard output, decoded as `stdout` says: text, without one line end at its end."))
	}
	return append(out, declare.Member("stderr", declare.Text(), "Its standard error, without one line end at its end."))
}

// sees are what a late expression knows of a command that failed: its output was
// perhaps not meant for anybody, and is text where it is not what it should be.
func sees(actions.Static, string) []*spec.Property {
	known := []*spec.Property{
		declare.Member("exitCode", declare.Int(), "The exit code; -1 where a signal ended it."), declare.Field("stdout", declare.Any(), "Its standard output, decoded, or as text."),
		declare.Member("stderr", declare.Text(), "Its standard error."),
	}
	return append(known, declare.Member("result", declare.Object(known...), "All three."))
}

// decoded is the standard output in the form that the call wants.
func (j *judge) decoded() (any, error) {
	raw := j.out.stdout.kept
	switch j.given.Stdout {
	case "none":
		return nil, nil
	case "bytes":
		return base64.StdEncoding.EncodeToString(raw), nil
	case "json":
		if len(strings.TrimSpace(string(raw))) == 0 {
			if j.given.Returns {
				return nil, errors.New("it is empty, and what `returns` names is wanted")
			}
			return nil, nil
		}
		return decode.JSON(raw, decode.NewBudget(j.call.MaxValues()))
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("it is no valid UTF-8; use `stdout: \"bytes\"`")
	}
	if j.given.Stdout == "lines" {
		if err := decode.NewBudget(j.call.MaxValues()).Spend(bytes.Count(raw, []byte("\n")) + 1); err != nil {
			return nil, err
		}
		lines := []any{}
		for line := range strings.Lines(string(raw)) {
			lines = append(lines, withoutEnd(line))
		}
		return lines, nil
	}
	return withoutEnd(string(raw)), nil
}

// result is what the command yields.
func (j *judge) result(exitCode int) (map[string]any, error) {
	out := map[string]any{"exitCode": int64(exitCode), "stderr": j.stderr()}
	if !j.call.Asks("stdout") {
		return out, nil
	}
	if j.out.stdout.size > int64(j.given.MaxBytes) {
		return nil, fmt.Errorf("its standard output has more than the %d bytes that maxBytes allows; raise maxBytes, or say `stdout: \"none\"`", j.given.MaxBytes)
	}
	v, err := j.decoded()
	var many *decode.TooManyError
	if errors.As(err, &many) {
		return nil, fmt.Errorf("its standard output holds %d values, and maxValues allows %d; raise maxValues, or print less", many.Count, many.Limit)
	}
	if err != nil {
		return nil, fmt.Errorf("its standard output cannot be read as %s: %w", strings.ToUpper(j.given.Stdout), err)
	}
	if j.given.Stdout != "none" {
		out["stdout"] = v
	}
	return out, nil
}

func (j *judge) stderr() string {
	return withoutEnd(strings.ToValidUTF8(string(j.out.stderr.bytes()), "\uFFFD"))
}

// withoutEnd is text without one line end at its end.
func withoutEnd(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }

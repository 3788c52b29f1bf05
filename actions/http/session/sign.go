package session

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// signSettings are the expressions that sign a message.
type signSettings struct {
	Headers actions.LateExpr `arg:"headers"`
	Query   actions.LateExpr `arg:"query"`
}

// expression signs messages by expressions of the spec.
type expression struct {
	signSettings
	clocks *clocks
}

func (s *Session) newSign(m *signSettings) (credential, error) {
	if m.Headers == nil && m.Query == nil {
		return nil, errors.New("sign: expected headers, query or both")
	}
	return &expression{*m, &s.shared.clocks}, nil
}

func (c *expression) sign(_ context.Context, h hop) (signature, actions.Outcome) {
	out, err := c.signature(h)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: sign: %w", err))
	}
	return out, actions.Outcome{Status: actions.Done}
}

func (c *expression) renew(h hop, resp *verdict.Response) bool { return c.clocks.correct(h.url, resp) }

func (c *expression) signature(h hop) (out signature, err error) {
	seen, err := describeMessage(h)
	if err != nil {
		return out, err
	}
	known := map[string]any{"request": seen, "now": c.clocks.at(h.url)}
	if out.headers, err = evaluatePairs("headers", c.Headers, known); err != nil {
		return out, err
	}
	for i, p := range out.headers {
		if !request.IsToken(p.Name) || request.IsReserved(p.Name) {
			return out, fmt.Errorf("%q is not a header that can be set", actions.Clip(p.Name, 80))
		}
		if err := request.CheckHeaderValue(p.Value); err != nil {
			return out, fmt.Errorf("header %q: %w", p.Name, err)
		}
		out.headers[i].Name = http.CanonicalHeaderKey(p.Name)
	}
	out.query, err = evaluatePairs("query", c.Query, known)
	return out, err
}

// evaluatePairs returns the members that an expression yields, sorted by name, without nulls.
func evaluatePairs(what string, late actions.LateExpr, known map[string]any) ([]request.Pair, error) {
	if late == nil {
		return nil, nil
	}
	v, err := late(known)
	if err != nil {
		return nil, fmt.Errorf("%s failed: %w", what, err)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: expected an object, got %s", what, actions.KindOf(v))
	}
	var out []request.Pair
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if members[name] == nil {
			continue
		}
		text, err := actions.TextOf(members[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", what, name, err)
		}
		out = append(out, request.Pair{Name: name, Value: text})
	}
	return out, nil
}

// describeMessage returns the value of `request`: what an expression may sign.
func describeMessage(h hop) (map[string]any, error) {
	u := h.sent()
	target, rawQuery, _ := strings.Cut(u.RequestURI(), "?")
	query := map[string]any{}
	for name, values := range u.Query() {
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		query[name] = list
	}
	headers := map[string]any{}
	for name, values := range h.headers {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	body, err := describeBody(h.body)
	return map[string]any{
		"method": h.method, "url": u.String(), "host": u.Host, "path": target, "query": query, "rawQuery": rawQuery, "headers": headers, "body": body,
	}, err
}

// maxText is the maximum size of a body that expressions see as text.
const maxText = 1 << 20

// describeBody returns the size, the digests and the text of a body. The text of a large body
// is null.
func describeBody(b *request.Body) (map[string]any, error) {
	digests := map[string]hash.Hash{"md5": md5.New(), "sha1": sha1.New(), "sha256": sha256.New(), "sha512": sha512.New()}
	var to []io.Writer
	for _, sum := range digests {
		to = append(to, sum)
	}
	var text strings.Builder
	out := map[string]any{"size": b.Length(), "text": nil}
	if b.Length() <= maxText {
		to = append(to, &text)
	}
	if err := b.CopyTo(io.MultiWriter(to...)); err != nil {
		return nil, err
	}
	for name, sum := range digests {
		out[name] = hex.EncodeToString(sum.Sum(nil))
	}
	if b.Length() <= maxText {
		out["text"] = text.String()
	}
	return out, nil
}

package verdict

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec/decode"
)

// Answer is what a server said.
type Answer struct {
	Status int
	Reason string // the status in words
	Header http.Header
	Raw    []byte
	// Body is the decoded content: of the declared type, where the request has one
	// and the answer is what was asked for.
	Body any
	// came is the content before that, in a form.
	came any
	form actions.Form
	// At is where it came from, without what auth put there.
	At *url.URL
	// Moved says that a redirect made a GET of the request, which had been done.
	Moved bool
	// Signed are the parameters that auth put there.
	Signed []request.Pair
}

// url is where it came from, without the query, which may hold secrets.
func (a *Answer) url() string {
	u := *a.At
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}

// headers are the answer's, as results have them.
func (a *Answer) headers() map[string]any {
	out := make(map[string]any, len(a.Header))
	for name, values := range a.Header {
		separator := ", "
		if name == "Set-Cookie" { // a comma is part of a date
			separator = "\n"
		}
		out[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, separator), "�")
	}
	return out
}

// Known are the names that a late expression sees.
func (a *Answer) Known() map[string]any { return a.knownAs(a.Body) }

// knownAs are these names with another body.
func (a *Answer) knownAs(body any) map[string]any {
	result := map[string]any{"status": int64(a.Status), "headers": a.headers(), "body": body}
	return map[string]any{"result": result, "status": result["status"], "headers": result["headers"], "body": body}
}

// Trail adds what a server says of an answer only at its end (RFC 9110, 6.5.1):
// Caddy knows the ETag of what it sends no earlier. A header is not replaced.
func (a *Answer) Trail(fields http.Header) {
	for _, name := range []string{"Etag", "Last-Modified"} {
		if value := fields.Get(name); value != "" && a.Header.Get(name) == "" {
			a.Header.Set(name, value)
		}
	}
}

// ResolveLocation makes the header absolute: what a later request with it
// resolves it against is not known there any more.
func (a *Answer) ResolveLocation(at *url.URL) {
	for _, name := range []string{"Location", "Content-Location"} {
		if text := a.Header.Get(name); text != "" {
			if u, err := at.Parse(text); err == nil {
				a.Header.Set(name, u.String())
			}
		}
	}
}

// Unsign takes the parameters that auth adds out of a URL that the server gave: they
// are added again to what is sent, and stand nowhere else.
func (a *Answer) Unsign(u *url.URL) {
	for _, p := range a.Signed {
		if query := u.Query(); query.Has(p.Name) {
			query.Del(p.Name)
			u.RawQuery = query.Encode()
		}
	}
}

// mediaType is the answer's, in lower case, and its charset.
func (a *Answer) mediaType() (string, string) {
	kind, params, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(a.Header.Get("Content-Type"), ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind, strings.ToLower(params["charset"])
}

func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

func isXML(kind string) bool {
	return kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml")
}

// formOf is what the body is taken for: what was asked for, else what the server
// says, else what it looks like.
func (a *Answer) formOf(asked string, typed bool) string {
	kind, _ := a.mediaType()
	switch {
	case asked != "":
		return asked
	case typed, isJSON(kind):
		return "json"
	case isXML(kind):
		return "xml"
	case strings.HasPrefix(kind, "text/") || kind == "application/x-www-form-urlencoded":
		return "text"
	case kind == "" && looksLikeJSON(a.Raw):
		return "json"
	case kind == "" && utf8.Valid(a.Raw):
		return "text"
	default:
		return "bytes"
	}
}

func looksLikeJSON(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// decode makes the body of what was read. One of no bytes is null, whatever it
// was to be.
func (a *Answer) decode(asked string, typed bool, b *decode.Budget) error {
	form := a.formOf(asked, typed)
	if len(a.Raw) == 0 || form == "none" {
		return nil
	}
	var err error
	switch form {
	case "json":
		a.came, err = DecodeJSON(a.Raw, b)
		a.Body = a.came
	case "xml":
		a.came, err = DecodeXML(a.Raw, b)
		a.Body, a.form = decode.Unqualify(a.came), actions.XML
		if !typed {
			a.came = nil // not kept beside its copy
		}
	case "text":
		a.Body, err = a.text()
	default:
		a.Body = base64.StdEncoding.EncodeToString(a.Raw)
	}
	if a.came == nil {
		a.came = a.Body
	}
	if err == nil {
		return nil
	}
	var many *decode.TooManyError
	if errors.As(err, &many) {
		return fmt.Errorf("holds %d values, and maxValues allows %d, all pages together; raise maxValues, or ask for less", many.Count, many.Limit)
	}
	kind, _ := a.mediaType()
	if asked == "" && !typed || form == "text" {
		return fmt.Errorf("its body cannot be read as %s: %w; say what it is with `response`", strings.ToUpper(form), err)
	}
	if kind == "" {
		kind = "no Content-Type"
	}
	return fmt.Errorf("its body (%s) cannot be read as %s: %w", kind, strings.ToUpper(form), err)
}

// text is the body as text, from UTF-8 or Latin-1.
func (a *Answer) text() (string, error) {
	_, charset := a.mediaType()
	switch charset {
	case "", "utf-8", "utf8", "us-ascii":
		if !utf8.Valid(a.Raw) {
			return "", errors.New("it is no valid UTF-8; use `response: \"bytes\"`")
		}
		return string(a.Raw), nil
	case "iso-8859-1", "latin1":
		runes := make([]rune, len(a.Raw))
		for i, c := range a.Raw {
			runes[i] = rune(c)
		}
		return string(runes), nil
	default:
		return "", fmt.Errorf("it is in %q; use `response: \"bytes\"`", actions.Clip(charset, 40))
	}
}

// lenient decodes the body of an answer that says what went wrong: whatever it
// is, it must not hide that. What a typed request came back with is kept whole.
func (a *Answer) lenient(typed bool, values *decode.Budget) {
	kind, _ := a.mediaType()
	form := a.formOf("", false)
	if form != "json" && !isXML(kind) && looksLikeJSON(a.Raw) {
		form = "json"
	}
	if a.decode(form, typed, values) != nil {
		a.Body, a.came, a.form = nil, nil, actions.Data
		if utf8.Valid(a.Raw) {
			a.Body = string(a.Raw)
		}
	}
}

// excerpt is what a server said in text; "" where it said nothing readable.
func (a *Answer) excerpt() string {
	kind, _ := a.mediaType()
	if !utf8.Valid(a.Raw) || kind == "text/html" || !isJSON(kind) && !isXML(kind) && kind != "" && !strings.HasPrefix(kind, "text/") {
		return ""
	}
	return string(a.Raw)
}

// clean is the beginning of a text of the server's, without control characters.
func clean(s string) string {
	const most = 200
	var b strings.Builder
	count, space := 0, false
	for _, r := range s {
		if r <= ' ' || r == 0x7f || r == 0xa0 || r >= 0x80 && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			space = b.Len() > 0
			continue
		}
		if count++; count > most {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			count++
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

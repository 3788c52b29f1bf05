package verdict

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/lists"
)

// Response is the response of a server.
type Response struct {
	Status int
	Reason string // the status line
	Header http.Header
	Raw    []byte
	// Incomplete says that the connection ended before Raw did.
	Incomplete bool
	// Body is the decoded content. After Judge.Outcome it has the declared type, if the
	// request has one and the response is a success.
	Body any
	// wireBody is the content before it is converted to the declared type, in wireForm.
	wireBody any
	wireForm actions.Form
	// Errors are the errors in a response of GraphQL; nil in any other response.
	Errors []any
	// Event is the event of a stream that Raw contains, or nil.
	Event *Event
	// URL is the URL of the last request, without the query parameters that auth added.
	URL *url.URL
	// MethodChanged says that a redirect changed the method to GET. The server had then
	// already processed the original request.
	MethodChanged bool
	// AuthQuery are the query parameters that auth added.
	AuthQuery []request.Pair
	// ClockSkew is how far the clock of the server is ahead of that of this machine, if the
	// server refused credentials that depend on the time.
	ClockSkew time.Duration
}

// Event is an event of a stream.
type Event struct {
	Name string // "" if it has none
	// Outcome is the outcome of the request, if it ended with this event.
	Outcome actions.Outcome
}

// bareURL returns the URL without the query, which may contain secrets.
func (resp *Response) bareURL() string {
	u := *resp.URL
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}

// headers returns the headers in the form of the result member `headers`.
func (resp *Response) headers() map[string]any {
	out := make(map[string]any, len(resp.Header))
	for name, values := range resp.Header {
		separator := ", "
		if name == "Set-Cookie" { // a date contains a comma
			separator = "\n"
		}
		out[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, separator), "�")
	}
	return out
}

// ETag returns the header ETag, or "" if the response has none.
func (resp *Response) ETag() string {
	return strings.ToValidUTF8(strings.Join(resp.Header.Values("Etag"), ", "), "\uFFFD")
}

// Wire returns the body with the names that it has on the wire, in which the maps of the type that the call declares are of
// the type *actions.Dictionary. That of a response of GraphQL is its data.
func (resp *Response) Wire(c *actions.Call) any {
	if c.WithDictionaries == nil {
		return resp.wireBody
	}
	return c.WithDictionaries(resp.wireBody, resp.wireForm)
}

// IsXML reports whether the body was XML.
func (resp *Response) IsXML() bool { return resp.wireForm == actions.XML }

// Scope returns the names that a late expression may refer to.
func (resp *Response) Scope() map[string]any { return resp.scopeWithBody(resp.Body) }

// scopeWithBody returns these names with another body.
func (resp *Response) scopeWithBody(body any) map[string]any {
	result := map[string]any{"status": int64(resp.Status), "headers": resp.headers(), "body": body}
	if resp.Errors != nil {
		result["errors"] = resp.Errors
	}
	scope := maps.Clone(result)
	scope["result"] = result
	return scope
}

// AddTrailers adds the ETag and Last-Modified that a server sends after the body (RFC 9110,
// 6.5.1), as Caddy does. It does not replace headers.
func (resp *Response) AddTrailers(fields http.Header) {
	for _, name := range []string{"Etag", "Last-Modified"} {
		if value := fields.Get(name); value != "" && resp.Header.Get(name) == "" {
			resp.Header.Set(name, value)
		}
	}
}

// ResolveLocation makes Location and Content-Location absolute. A later request that uses
// them does not know the URL that they are relative to.
func (resp *Response) ResolveLocation(at *url.URL) {
	for _, name := range []string{"Location", "Content-Location"} {
		if text := resp.Header.Get(name); text != "" {
			if u, err := at.Parse(text); err == nil {
				resp.Header.Set(name, u.String())
			}
		}
	}
}

// RemoveAuthQuery removes the parameters that auth adds from a URL that the server returned.
// They are added again when the request is sent, and must not appear anywhere else.
func (resp *Response) RemoveAuthQuery(u *url.URL) {
	for _, p := range resp.AuthQuery {
		if query := u.Query(); query.Has(p.Name) {
			query.Del(p.Name)
			u.RawQuery = query.Encode()
		}
	}
}

// mediaType returns the media type in lower case, and the charset.
func (resp *Response) mediaType() (string, string) {
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind, strings.ToLower(params["charset"])
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json") || strings.HasPrefix(kind, "application/x-amz-json-")
}

func isXML(kind string) bool {
	return kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml")
}

// bodyFormat returns the format to decode the body from: the requested one, or that of the
// Content-Type, or a guess from the content.
func (resp *Response) bodyFormat(requested string, typed bool) string {
	kind, _ := resp.mediaType()
	switch {
	case requested != "":
		return requested
	case isXML(kind):
		return "xml"
	case typed, isJSON(kind):
		return "json"
	case strings.HasPrefix(kind, "text/") || kind == "application/x-www-form-urlencoded":
		return "text"
	case kind == "" && looksLikeJSON(resp.Raw):
		return "json"
	case kind == "" && utf8.Valid(resp.Raw):
		return "text"
	default:
		return "bytes"
	}
}

func looksLikeJSON(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// decode sets Body from Raw. If Raw is empty, Body is null in every format.
func (resp *Response) decode(requested string, typed bool, b *decode.Budget) error {
	form := resp.bodyFormat(requested, typed)
	if len(resp.Raw) == 0 || form == "none" {
		return nil
	}
	if requested == "" && resp.Status/100 == 2 && resp.isPage() {
		return errPage
	}
	if resp.Event != nil && requested == "" && !typed {
		form = "event"
	}
	var err error
	switch form {
	case "event":
		err = resp.decodeEvent(b)
	case "json":
		resp.wireBody, err = DecodeJSON(resp.Raw, b)
		resp.Body = resp.wireBody
	case "xml":
		resp.wireBody, err = DecodeXML(resp.Raw, b)
		resp.Body, resp.wireForm = decode.Unqualify(resp.wireBody), actions.XML
		if !typed {
			resp.wireBody = nil // the copy in Body suffices
		}
	case "text":
		resp.Body, err = resp.decodeText()
	default:
		resp.Body = base64.StdEncoding.EncodeToString(resp.Raw)
	}
	if resp.wireBody == nil {
		resp.wireBody = resp.Body
	}
	if err == nil {
		return nil
	}
	var many *decode.TooManyError
	if errors.As(err, &many) {
		return fmt.Errorf("the response contains %d values, and maxValues allows %d, counting all pages; raise maxValues, or request less", many.Count, many.Limit)
	}
	kind, _ := resp.mediaType()
	if requested == "" && !typed || form == "text" {
		return fmt.Errorf("the body cannot be decoded as %s: %w; set its format with `response`", strings.ToUpper(form), err)
	}
	if kind == "" {
		kind = "no Content-Type"
	}
	return fmt.Errorf("the body (%s) cannot be decoded as %s: %w", kind, strings.ToUpper(form), err)
}

// decodeEvent sets Body to the data of an event, which is text if it is not JSON.
func (resp *Response) decodeEvent(b *decode.Budget) error {
	var err error
	if resp.Body, err = DecodeJSON(resp.Raw, b); err != nil {
		if errors.As(err, new(*decode.TooManyError)) {
			return err
		}
		resp.Body, err = resp.decodeText()
	}
	return err
}

// decodeText returns the body as a string, decoded from UTF-8 or Latin-1.
func (resp *Response) decodeText() (string, error) {
	_, charset := resp.mediaType()
	switch charset {
	case "", "utf-8", "utf8", "us-ascii":
		if !utf8.Valid(resp.Raw) {
			return "", errors.New("invalid UTF-8; use `response: \"bytes\"`")
		}
		return string(resp.Raw), nil
	case "iso-8859-1", "latin1":
		runes := lists.Map(resp.Raw, func(c byte) rune { return rune(c) })
		return string(runes), nil
	default:
		return "", fmt.Errorf("the charset %q is not supported; use `response: \"bytes\"`", actions.Clip(charset, 40))
	}
}

// decodeLeniently decodes the body of an error response. A body that cannot be decoded must
// not hide the error. If the request is typed, wireBody keeps the full content.
func (resp *Response) decodeLeniently(typed bool, values *decode.Budget) {
	kind, _ := resp.mediaType()
	form := resp.bodyFormat("", false)
	if form != "json" && !isXML(kind) && looksLikeJSON(resp.Raw) {
		form = "json"
	}
	if resp.decode(form, typed, values) != nil {
		resp.Body, resp.wireBody, resp.wireForm = nil, nil, actions.Data
		if utf8.Valid(resp.Raw) {
			resp.Body = markEnd(string(resp.Raw), resp.Incomplete)
		}
	}
}

// markEnd marks the end of a body whose rest is missing, so that the beginning of a secret there is masked.
func markEnd(body string, incomplete bool) string {
	if incomplete {
		return body + "…"
	}
	return body
}

// tags matches the tags of HTML, and the elements whose content is not text.
var tags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<(script|style|svg)\b.*?</(script|style|svg)\s*>|<!--.*?-->|<[^>]*>`)
})

// excerpt returns the body for messages: the text of a page, and of bytes how many they are.
func (resp *Response) excerpt() string {
	kind, _ := resp.mediaType()
	data := resp.Raw
	switch {
	case len(data) == 0:
		return ""
	case !utf8.Valid(data):
		if text, err := resp.decodeText(); err == nil {
			return markEnd(text, resp.Incomplete)
		}
		return fmt.Sprintf("(a body of %s, %d bytes)", cmp.Or(kind, "an unknown type"), len(data))
	case kind == "text/html" || kind == "application/xhtml+xml":
		return html.UnescapeString(tags().ReplaceAllString(actions.Clip(markEnd(string(data), resp.Incomplete), maxPage), " "))
	default:
		return markEnd(string(data), resp.Incomplete)
	}
}

// maxPage is how much of an HTML page is searched for text.
const maxPage = 64 << 10

// clean returns a text from the server without control characters, and without its middle if it is
// long.
func clean(s string) string {
	const most = 400
	var b strings.Builder
	space := false
	for _, r := range s {
		if r <= ' ' || r == 0x7f || r == 0xa0 || r >= 0x80 && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return actions.ClipMiddle(b.String(), most)
}
